// Starting, listing, showing and cancelling runs. Their progress is in status_routes.cpp and
// event_routes.cpp.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/runs/certainty.h"
#include "app/runs/history.h"
#include "app/team/start_run.h"
#include "base/json.h"
#include "server/body_schema.h"
#include "server/handlers.h"
#include "server/listing.h"
#include "server/result_stream.h"
#include "wire/json.h"
#include "wire/run.h"

namespace vibe::server {

namespace {

using base::JsonValue;

constexpr std::size_t kMostOnly = 1000;

// The strings of a list, or a single string; none: it is neither.
std::optional<std::vector<std::string>> texts_in(const JsonValue& value) {
  if (value.text()) return std::vector{*value.text()};
  if (!value.array()) return std::nullopt;
  std::vector<std::string> out;
  for (const auto& one : *value.array()) {
    if (!one.text()) return std::nullopt;
    out.push_back(*one.text());
  }
  return out;
}

void check_only(const Body& options, base::Diagnostics& out) {
  const JsonValue* only = options.find("only");
  if (!only) return;
  const auto texts = texts_in(*only);
  if (!texts)
    options.refuse("only", out);
  else if (texts->size() > kMostOnly)
    options.refuse("only", fmt::format("has more than {} strings", kMostOnly), out);
}

// The keys that name an earlier run.
struct EarlierKey {
  std::string_view name;
  app::Continue how;
};
constexpr std::array kEarlierKeys{
    EarlierKey{"resume", app::Continue::missing},
    EarlierKey{"retryFailed", app::Continue::failed},
    EarlierKey{"again", app::Continue::again},
};

bool resumes(const Body& body) {
  return std::any_of(kEarlierKeys.begin(), kEarlierKeys.end(),
                     [&](const EarlierKey& key) { return body.has(key.name); });
}

// A resumed run sends the same prompts to the same model.
void refuse_changes(const Body& options, base::Diagnostics& out) {
  const auto refuse = [&](const Body& keys, std::string_view key) {
    if (keys.fits(key)) keys.refuse(key, "cannot be changed when a run is resumed", out);
  };
  for (const std::string_view key : {"model", "system_prompt", "only", "repeat"})
    refuse(options, key);
  for (const std::string_view key : {"url", "name"}) refuse(options.section("mcp_server"), key);
}

void check_start(const Body& body, base::Diagnostics& out) {
  const Body options = body.section("options");
  check_only(options, out);
  if (!resumes(body)) return require_suite(body, out);
  refuse_changes(options, out);
  const auto keys = std::count_if(kEarlierKeys.begin(), kEarlierKeys.end(),
                                  [&](const EarlierKey& key) { return body.find(key.name); });
  if (keys > 1)
    out.add(base::Code::bad_usage, {}, "`resume`, `retryFailed` and `again` cannot be combined");
}

app::SentOptions read_options(const Body& options) {
  app::SentOptions out;
  out.budget = options.number("budget");
  out.run_timeout = options.number("run_timeout");
  out.cache = options.boolean("cache").value_or(false);
  if (const JsonValue* only = options.find("only")) out.only = *texts_in(*only);
  out.repeat = options.integer("repeat");
  out.threads = options.integer("threads");
  out.tools_token = options.section("mcp_server").text("authorization_token");
  return out;
}

// Options that override the suite.
void take_overrides(const Body& options, app::SentSuite& suite) {
  const auto take = [](const auto& value, auto& out) {
    if (value) out = value;
  };
  take(options.text("model"), suite.model);
  take(options.text("system_prompt"), suite.plan.system_prompt);
  take(options.integer("threads"), suite.plan.threads);
  const Body tools = options.section("mcp_server");
  take(tools.text("url"), suite.tools.url);
  take(tools.text("name"), suite.tools.name);
  take(tools.text("authorization_token"), suite.tools.token);
}

std::optional<app::StartedRun> start(const Call& call, app::Local& local, const Body& body,
                                     base::Diagnostics& out) {
  const store::Organisation& organisation = call.caller->organisation;
  const Body keys = body.section("options");
  const app::SentOptions options = read_options(keys);
  for (const EarlierKey& key : kEarlierKeys)
    if (const auto id = body.text(key.name))
      return key.how == app::Continue::again
                 ? app::ask_again(*id, options, organisation, local, out)
                 : app::continue_run(*id, key.how, options, organisation, local, out);
  auto suite = read_suite(body, local, out);
  if (!suite) return std::nullopt;
  take_overrides(keys, *suite);
  return app::start_run(*suite, options, organisation, local, out);
}

Response started(const Call& call, app::Local& local, const Body& body) {
  base::Diagnostics found;
  const auto run = start(call, local, body, found);
  if (!run) return error(call, found);
  call.service.tenants.events().publish(
      {store::Event::Kind::queued, call.organisation(), run->run.id});
  base::JsonWriter out;
  out.begin_object().key("runId").string(run->run.id);
  out.key("isUpdate").boolean(run->is_update);
  out.key("after").integer(run->queued_after);
  out.key("suiteName").string(run->run.suite_name).key("model").string(run->run.model);
  out.key("warnings").begin_array();
  for (const auto& one : found.all()) base::write_json(out, one);
  return json(out.end_array().end_object().text());
}

// The texts of a page; most are usually cached. Null if a run is gone meanwhile.
base::Result<std::vector<RenderedRuns::Text>> texts_of(const Call& call, store::Feed& feed,
                                                       std::span<const store::ListedRun> listed) {
  RenderedRuns& known = call.service.rendered_runs;
  auto texts = known.find(call.organisation(), listed);
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < listed.size(); ++i)
    if (!texts[i]) missing.push_back(listed[i].id);
  if (missing.empty()) return texts;
  VIBE_TRY(const auto runs, feed.runs_of(missing));
  auto run = runs.begin();
  for (std::size_t i = 0; i < listed.size() && run != runs.end(); ++i) {
    if (texts[i] || run->id != listed[i].id) continue;
    base::JsonWriter out;
    wire::write_run(out, *run++);
    texts[i] = std::make_shared<const std::string>(out.text());
    known.keep(call.organisation(), listed[i], texts[i]);
  }
  return texts;
}

// Built in one piece: it is the most frequent answer.
std::string list_body(std::span<const RenderedRuns::Text> texts, std::size_t total,
                      std::string_view next) {
  base::JsonWriter rest;
  rest.begin_object();
  wire::write_pagination(rest, total, next);
  const std::string_view pagination = std::string_view(rest.end_object().text()).substr(1);
  std::size_t size = pagination.size() + 16;
  for (const auto& text : texts) size += text ? text->size() + 1 : 0;
  std::string out;
  out.reserve(size);
  out += R"({"runs":[)";
  bool is_first = true;
  for (const auto& text : texts) {
    if (!text) continue;
    if (!std::exchange(is_first, false)) out += ',';
    out += *text;
  }
  out += "],";
  out += pagination;
  return out;
}

Response run_list(const Call& call, app::Local& local) {
  const auto query = read_run_query(call.request.target);
  if (!query) return error(400, query.error());
  const auto page = local.store->feed().list(*query);
  if (!page) return list_error(call, page.error());
  const auto texts = texts_of(call, local.store->feed(), page->items);
  if (!texts) return error(call, texts.error());
  return json(list_body(*texts, page->total, page->next));
}

Response one_run(const Call& call, app::Local& local) {
  auto run = app::find_run(local.runs(), call.parameters[0]);
  if (!run) return error(call, run.error());
  app::add_certainty({&*run, 1}, local.runs(), local.store->journal());
  if (call.query("results") != "0") return run_answer(call, *run);
  base::JsonWriter out;
  out.begin_object().key("run");
  wire::write_run(out, *run);
  return json(out.end_object().text());
}

Response figures_of(const Call& call, app::Local& local) {
  const auto run = app::find_run(local.runs(), call.parameters[0]);
  if (!run) return error(call, run.error());
  auto figures = local.runs().figures(run->id);
  if (!figures) return error(call, figures.error());
  Response out;
  out.body = *std::move(figures);
  out.type = "application/octet-stream";
  return out;
}

Response cancelled(const Call& call, app::Local& local) {
  const auto run = app::find_run(local.runs(), call.parameters[0]);
  if (!run) return error(call, run.error());
  const auto asked = local.runs().request_stop(run->id);
  if (!asked) return error(call, asked.error());
  if (!*asked)
    return error(409, fmt::format("run `{}` is neither queued nor running: it is `{}`", run->id,
                                  to_string(run->status)));
  call.service.queue.load()->cancelled(call.organisation(), run->id);
  call.service.tenants.events().publish(
      {store::Event::Kind::changed, call.organisation(), run->id});
  return json(R"({"success":true,"cancelled":true})");
}

}  // namespace

void start_run(Call&& call) { with_body<started, check_start>(std::move(call)); }
void get_runs(Call&& call) { with_store<run_list>(std::move(call)); }
void get_run(Call&& call) { with_store<one_run>(std::move(call)); }
void get_run_figures(Call&& call) { with_store<figures_of>(std::move(call)); }
void cancel_run(Call&& call) { with_store<cancelled>(std::move(call)); }

}  // namespace vibe::server
