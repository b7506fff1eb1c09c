// Runs: started, listed, shown, cancelled. How they go is in status_routes.cpp and
// event_routes.cpp.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/runs/history.h"
#include "app/runs/run_parameters.h"
#include "app/team/start_run.h"
#include "base/json.h"
#include "base/text.h"
#include "server/handlers.h"
#include "server/listing.h"
#include "server/result_stream.h"
#include "wire/json.h"
#include "wire/run.h"

namespace vibe::server {

namespace {

using base::JsonValue;

const JsonValue* given(const JsonValue& body, std::string_view key) {
  const JsonValue* found = body.find(key);
  return found && !found->is_null() ? found : nullptr;
}

// A number of `options`; a sentence goes to `problem` where it is something else.
std::optional<double> amount(const JsonValue& options, std::string_view key, bool may_be_0,
                             std::string& problem) {
  const JsonValue* found = given(options, key);
  if (!found) return std::nullopt;
  const auto number = found->number();
  if (number && (*number > 0 || (may_be_0 && *number == 0))) return number;
  problem = fmt::format("`options.{}` must be a number{}", key,
                        may_be_0 ? ", 0 or more" : " greater than 0");
  return std::nullopt;
}

// A key that nobody reads is a mistake of whoever wrote it.
void check_keys(const JsonValue& of, std::string_view where, std::span<const std::string_view> keys,
                std::string& problem) {
  constexpr std::size_t kMostShown = 60;
  for (const auto& [key, value] : *of.object())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      problem =
          fmt::format("`{}` has no key `{}`: there are `{}`", where,
                      base::printable(base::shorten(key, kMostShown)), fmt::join(keys, "`, `"));
}

void check_text(const JsonValue& of, std::string_view key, std::string_view where,
                std::string& problem) {
  if (const JsonValue* found = given(of, key); found && !found->text())
    problem = fmt::format("`{}.{}` must be a string", where, key);
}

constexpr std::array<std::string_view, 9> kOptions{"budget",      "cache",         "mcp_server",
                                                   "model",       "only",          "repeat",
                                                   "run_timeout", "system_prompt", "threads"};
constexpr std::array<std::string_view, 3> kToolOptions{"authorization_token", "name", "url"};

void check_tools(const JsonValue& tools, std::string& problem) {
  constexpr std::string_view kWhere = "options.mcp_server";
  if (!tools.object()) {
    problem = "`options.mcp_server` must be an object";
    return;
  }
  check_keys(tools, kWhere, kToolOptions, problem);
  for (const auto key : kToolOptions) check_text(tools, key, kWhere, problem);
}

void check_range(std::string_view key, const JsonValue& value, std::int64_t most,
                 std::string& problem) {
  const auto number = value.integer();
  if (!number || *number < 1 || *number > most)
    problem = fmt::format("`options.{}` must be a whole number from 1 to {}", key, most);
}

constexpr std::size_t kMostOnly = 1000;

void read_only(const JsonValue& only, app::SentOptions& out, std::string& problem) {
  if (only.text()) {
    out.only.push_back(*only.text());
    return;
  }
  if (only.array())
    for (const auto& one : *only.array())
      if (one.text()) out.only.push_back(*one.text());
  if (!only.array() || out.only.size() != only.array()->size())
    problem = "`options.only` must be a list of strings";
  if (out.only.size() > kMostOnly)
    problem = fmt::format("`options.only` has more than {} strings", kMostOnly);
}

tl::expected<app::SentOptions, std::string> read_options(const JsonValue& body) {
  app::SentOptions out;
  const JsonValue* options = given(body, "options");
  if (!options) return out;
  if (!options->object()) return tl::unexpected<std::string>("`options` must be an object");
  std::string problem;
  check_keys(*options, "options", kOptions, problem);
  out.budget = amount(*options, "budget", true, problem);
  out.run_timeout = amount(*options, "run_timeout", false, problem);
  if (const JsonValue* repeat = given(*options, "repeat")) {
    out.repeat = repeat->integer();
    check_range("repeat", *repeat, app::kMostRepeats, problem);
  }
  if (const JsonValue* cache = given(*options, "cache")) {
    out.cache = cache->boolean().value_or(false);
    if (!cache->boolean()) problem = "`options.cache` must be true or false";
  }
  if (const JsonValue* threads = given(*options, "threads"))
    check_range("threads", *threads, app::kMostThreads, problem);
  if (const JsonValue* only = given(*options, "only")) read_only(*only, out, problem);
  for (const std::string_view key : {"model", "system_prompt"})
    check_text(*options, key, "options", problem);
  if (const JsonValue* tools = given(*options, "mcp_server")) check_tools(*tools, problem);
  if (!problem.empty()) return tl::unexpected(problem);
  return out;
}

// What the rest is about: a suite, or a run that is resumed; empty: nothing is wrong.
std::string wrong_subject(const JsonValue& body) {
  for (const std::string_view key : {"resume", "retryFailed"})
    if (const JsonValue* found = given(body, key); found && !found->text())
      return fmt::format("`{}` must be a string", key);
  if (given(body, "resume") && given(body, "retryFailed"))
    return "`resume` and `retryFailed` exclude each other";
  return {};
}

struct Earlier {
  std::string id;
  app::Continue how;
};

// Which run is resumed, if one is.
std::optional<Earlier> earlier_of(const JsonValue& body) {
  for (const auto& [key, how] : {std::pair("resume", app::Continue::missing),
                                 std::pair("retryFailed", app::Continue::failed)})
    if (const JsonValue* id = given(body, key)) return Earlier{*id->text(), how};
  return std::nullopt;
}

// What comes before what the suite says.
void take_overrides(const JsonValue& body, app::SentSuite& suite) {
  const JsonValue* options = given(body, "options");
  if (!options) return;
  const auto text = [&](const JsonValue& of, std::string_view key, auto& out) {
    if (const JsonValue* found = given(of, key); found && found->text()) out = *found->text();
  };
  text(*options, "model", suite.model);
  text(*options, "system_prompt", suite.plan.system_prompt);
  if (const auto threads = options->integer_of("threads")) suite.plan.threads = threads;
  const JsonValue* tools = given(*options, "mcp_server");
  if (!tools) return;
  text(*tools, "url", suite.tools.url);
  text(*tools, "name", suite.tools.name);
  text(*tools, "authorization_token", suite.tools.token);
}

// Of a run that is resumed: it asks what it asked before, of the same model.
std::string read_overrides(const JsonValue& body, app::SentOptions& out) {
  const JsonValue* options = given(body, "options");
  if (!options) return {};
  const auto refused = [](std::string_view key) {
    return fmt::format("`options.{}` cannot be changed when a run is resumed", key);
  };
  for (const std::string_view key : {"model", "system_prompt", "only", "repeat"})
    if (given(*options, key)) return refused(key);
  out.threads = options->integer_of("threads");
  const JsonValue* tools = given(*options, "mcp_server");
  if (!tools) return {};
  for (const std::string_view key : {"url", "name"})
    if (given(*tools, key)) return refused(fmt::format("mcp_server.{}", key));
  if (const JsonValue* token = given(*tools, "authorization_token"))
    out.tools_token = *token->text();
  return {};
}

std::optional<app::StartedRun> start(const Call& call, app::Local& local, const JsonValue& body,
                                     const app::SentOptions& options, base::Diagnostics& out) {
  const store::Organisation& organisation = call.caller->organisation;
  if (const auto earlier = earlier_of(body))
    return app::continue_run(earlier->id, earlier->how, options, organisation, local, out);
  auto suite = read_suite(body, local, out);
  if (!suite) return std::nullopt;
  take_overrides(body, *suite);
  return app::start_run(*suite, options, organisation, local, out);
}

Response started(const Call& call, app::Local& local, const JsonValue& body) {
  if (const auto problem = wrong_subject(body); !problem.empty()) return error(400, problem);
  auto options = read_options(body);
  if (!options) return error(400, options.error());
  if (earlier_of(body))
    if (const auto problem = read_overrides(body, *options); !problem.empty())
      return error(400, problem);
  base::Diagnostics found;
  const auto run = start(call, local, body, *options, found);
  if (!run) return found.empty() ? error(400, kNoSuite) : error(call, found);
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

// Those of a page, of which most are known as a rule; null where a run is gone meanwhile.
base::Result<std::vector<RunTexts::Text>> texts_of(const Call& call, store::Feed& feed,
                                                   std::span<const store::ListedRun> listed) {
  RunTexts& known = call.service.run_texts;
  auto texts = known.find(call.organisation(), listed);
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < listed.size(); ++i)
    if (!texts[i]) missing.push_back(listed[i].id);
  if (missing.empty()) return texts;
  const auto runs = feed.runs_of(missing);
  if (!runs) return tl::unexpected(runs.error());
  auto run = runs->begin();
  for (std::size_t i = 0; i < listed.size() && run != runs->end(); ++i) {
    if (texts[i] || run->id != listed[i].id) continue;
    base::JsonWriter out;
    wire::write_run(out, *run++);
    texts[i] = std::make_shared<const std::string>(out.text());
    known.keep(call.organisation(), listed[i], texts[i]);
  }
  return texts;
}

// The whole is put together in one piece: it is the answer that is asked for most.
std::string list_body(std::span<const RunTexts::Text> texts, std::size_t total,
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
  const auto run = app::find_run(local.runs(), call.parameters[0]);
  if (!run) return error(call, run.error());
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

void start_run(Call&& call) {
  const auto body = read_object(call);
  if (!body) return;
  if (auto local = open_store(call)) call.reply->send(started(call, *local, *body));
}
void get_runs(Call&& call) { with_store<run_list>(std::move(call)); }
void get_run(Call&& call) { with_store<one_run>(std::move(call)); }
void get_run_figures(Call&& call) { with_store<figures_of>(std::move(call)); }
void cancel_run(Call&& call) { with_store<cancelled>(std::move(call)); }

}  // namespace vibe::server
