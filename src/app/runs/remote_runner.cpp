#include "app/runs/remote_runner.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include <fmt/format.h>

#include "app/runs/history.h"
#include "app/runs/model_names.h"
#include "app/runs/run_values.h"
#include "app/suites/standalone_suite.h"
#include "app/suites/suite_text.h"
#include "app/suites/validate.h"
#include "base/json.h"
#include "base/json_value.h"
#include "remote/follow.h"
#include "remote/server.h"

namespace vibe::app {

using base::Code;

namespace {

// Retries if the connection breaks: the run is over, and nothing is lost.
template <class Ask>
auto patiently(const remote::Server& server, Ask ask) {
  constexpr int kMostTries = 5;
  for (int tries = 1;; ++tries) {
    auto answer = ask();
    const bool is_unreachable = !answer && answer.error().has(Code::unreachable_server);
    if (!is_unreachable || tries == kMostTries) return answer;
    std::this_thread::sleep_for(std::chrono::duration<double>(tries * server.wait_scale()));
  }
}

// Of the request to start a run.
std::string_view key_of(Continue how) {
  switch (how) {
    case Continue::missing: return "resume";
    case Continue::failed: return "retryFailed";
    case Continue::again: return "again";
  }
  return {};
}

class RemotePreparation {
 public:
  RemotePreparation(const RunRequest& request, const config::Config& config, remote::Server& server,
                    store::Archive& archive, base::Diagnostics& out)
      : request_(request), config_(config), server_(server), archive_(archive), out_(out) {}

  std::optional<Prepared> run() {
    if (!refuse() || !(request_.earlier.empty() ? prepare_new() : prepare_earlier()))
      return std::nullopt;
    prepared_.budget = request_.budget ? request_.budget : config_.budget;
    prepared_.run_timeout = request_.run_timeout ? request_.run_timeout : config_.run_timeout;
    prepared_.cache = request_.cache;
    for (const auto& one : prepared_.runs) prepared_.remote.bodies.push_back(body(one.run));
    if (request_.strict) out_.make_warnings_errors();
    if (out_.failed()) return std::nullopt;
    prepared_.remote.known = out_;
    return std::move(prepared_);
  }

 private:
  // Refuses options that work only on this machine.
  bool refuse() {
    if (request_.record)
      out_.add(Code::bad_usage, {},
               "`--record` works only on this machine, but the server sends the prompts",
               "run the suite without a server to record it");
    if (request_.dry_run && !request_.earlier.empty())
      out_.add(Code::bad_usage, {}, "`--dry-run` takes a suite, not a run on a server");
    return !out_.failed();
  }

  std::optional<suite::Suite> read(const std::string& shown_path, const std::string& text) {
    prepared_.source = base::make_source(shown_path, text);
    Validated validated = validate(prepared_.source);
    validated.diagnostics.remove_notes();
    out_.append(validated.diagnostics);
    return std::move(validated.suite);
  }

  // ---- a new run

  bool prepare_new() { return load_suite() && make_plan() && name_models(); }

  bool load_suite() {
    auto found = find_suite_text(request_.suite, request_.is_file, archive_.suites());
    if (failed(found, out_)) return false;
    prepared_.remote.path = found->path;
    auto suite = read(found->shown_path, found->text);
    if (!suite) return false;
    prepared_.suite = std::make_shared<const suite::Suite>(*std::move(suite));
    prepared_.gates = {request_.min_score ? request_.min_score : prepared_.suite->score.min,
                       request_.min_success};
    auto text = standalone_text(prepared_.source, *prepared_.suite, out_);
    if (!text) return false;
    text_ = *std::move(text);
    return true;
  }

  bool make_plan() {
    auto filler = find_values(*prepared_.suite, prepared_.source, request_.plan, request_.tools,
                              values_on_server(archive_.variables()));
    if (failed(filler, out_)) return false;
    run::PlanOptions options = request_.plan;
    options.limits = fill_limits(config_);
    prepared_.plan = run::Plan::make(prepared_.suite, *std::move(filler), options, out_);
    if (!prepared_.plan) return false;
    name_ = prepared_.plan->filler().fill(prepared_.suite->metadata.name);
    model_ = prepared_.plan->filler().fill(prepared_.suite->metadata.model);
    (void)tool_server(request_.tools, *prepared_.plan, config_, {}, out_);  // the server opens it
    return !out_.failed();
  }

  bool name_models() {
    auto names = request_.models.empty() ? std::vector{model_}
                                         : model_names(request_.models, models_of(server_));
    if (failed(names, out_)) return false;
    for (const auto& name : *names) add_run(name);
    return true;
  }

  void add_run(const std::string& model) {
    PreparedModel& run = prepared_.runs.emplace_back();
    run.run.suite_name = name_;
    run.run.model = model;
    run.run.planned = static_cast<std::uint32_t>(prepared_.plan->samples().size());
    run.pending.resize(run.run.planned);
    std::iota(run.pending.begin(), run.pending.end(), 0U);
    // Only for estimates.
    run.opened = described(model);
    if (!request_.dry_run) return;
    for (const auto& sample : prepared_.plan->samples())
      for (const auto& [name, count] : judge_calls(*prepared_.plan, sample)) {
        if (run.judges.models.contains(name)) continue;
        const auto& chosen = name.empty() ? prepared_.suite->metadata.judge_model : name;
        run.judges.models.emplace(name, described(chosen.empty() ? config_.judge_model : chosen));
      }
  }

  // Describes a model that the server opens.
  model::Opened described(const std::string& name) const {
    model::Opened out;
    out.name = name;
    out.price = config_.models.prices.find(name);
    const auto route = model::Models(config_.models).route(name);
    for (const auto& row : model::providers())
      if (route && row.name == route->provider) out.is_free = row.is_free;
    return out;
  }

  // ---- an earlier run

  bool prepare_earlier() {
    auto run = find_run(archive_.runs(), request_.earlier);
    if (failed(run, out_)) return false;
    if (!read(run->suite_name, run->suite_text)) return false;
    prepared_.gates = {request_.min_score ? request_.min_score : run->min_score,
                       request_.min_success};
    PreparedModel& prepared = prepared_.runs.emplace_back();
    if (request_.how == Continue::again) {
      prepared.pending.resize(run->planned);
      std::iota(prepared.pending.begin(), prepared.pending.end(), 0U);
    } else {
      const auto results = archive_.runs().results(run->id);
      if (failed(results, out_)) return false;
      prepared.pending = unfinished(*results, run->planned, request_.how);
      if (prepared.pending.empty()) out_.append(nothing_left(*run, request_.how));
    }
    earlier_ = run->id;
    prepared.run = *std::move(run);
    return !out_.failed();
  }

  // ---- the request

  std::string body(const score::Run& run) const {
    base::JsonWriter json;
    json.begin_object();
    if (request_.earlier.empty())
      json.key("yamlContent").string(text_);
    else
      json.key(key_of(request_.how)).string(earlier_);
    json.key("options").begin_object();
    if (prepared_.budget) json.key("budget").number(*prepared_.budget);
    if (prepared_.run_timeout) json.key("run_timeout").number(*prepared_.run_timeout);
    if (request_.cache) json.key("cache").boolean(true);
    if (const auto& count = request_.plan.threads) json.key("threads").integer(*count);
    if (request_.earlier.empty()) write_changes(json, run);
    write_tools(json);
    return json.end_object().end_object().text();
  }

  // Options that cannot be changed when a run is resumed.
  void write_changes(base::JsonWriter& json, const score::Run& run) const {
    const run::PlanOptions& plan = request_.plan;
    if (!request_.models.empty()) json.key("model").string(run.model);
    if (plan.system_prompt) json.key("system_prompt").string(*plan.system_prompt);
    if (plan.repeat) json.key("repeat").integer(*plan.repeat);
    if (plan.only.empty()) return;
    json.key("only").begin_array();
    for (const auto& name : plan.only) json.string(name);
    json.end_array();
  }

  void write_tools(base::JsonWriter& json) const {
    const auto& [url, name, token] = request_.tools;
    if (!url && !name && !token) return;
    const auto write = [&](std::string_view key, const std::optional<std::string>& value) {
      if (value) json.key(key).string(*value);
    };
    json.key("mcp_server").begin_object();
    write("url", url);
    write("name", name);
    write("authorization_token", token);
    json.end_object();
  }

  const RunRequest& request_;
  const config::Config& config_;
  remote::Server& server_;
  store::Archive& archive_;
  base::Diagnostics& out_;
  Prepared prepared_;
  std::string text_, name_, model_;
  std::string earlier_;  // the id of the earlier run
};

// Adds the server's warnings, except for known ones.
void add_warnings(const base::JsonValue& answer, const base::Diagnostics& known,
                  base::Diagnostics& out) {
  const auto* warnings = answer.find("warnings");
  if (!warnings || !warnings->array()) return;
  for (const auto& one : *warnings->array()) {
    const auto message = one.text_of("message");
    const auto has = [&](const base::Diagnostics& all) {
      return std::any_of(all.all().begin(), all.all().end(),
                         [&](const auto& each) { return each.message == message; });
    };
    const auto* row = std::find_if(base::kCodes.begin(), base::kCodes.end(), [&](const auto& each) {
      return base::to_string(each.code) == one.text_of("code");
    });
    const bool is_warning = row != base::kCodes.end() && row->severity == base::Severity::warning;
    if (is_warning && !has(known) && !has(out))
      out.add(row->code, {}, std::string(message), std::string(one.text_of("hint")));
  }
}

// Says what becomes of a run that could not be followed to its end, or not be fetched then.
void add_lost(const remote::FollowedRun& run, bool is_unwanted, base::Diagnostics& out) {
  const Code code = out.all().back().code;
  std::string message = fmt::format("run `{}` is still running on the server", run.id);
  if (is_unwanted)
    message =
        fmt::format("run `{}` could not be cancelled: it is still running on the server", run.id);
  if (run.is_cancelled)
    message = fmt::format("run `{}` was cancelled, but its results could not be fetched", run.id);
  if (run.is_finished)
    message = fmt::format("run `{}` has ended, but its results could not be fetched", run.id);
  out.add(code, {}, std::move(message),
          fmt::format("`vibe get run {}` shows it{}", run.id,
                      code == Code::refused_key ? ", with a valid key" : ""));
}

}  // namespace

std::optional<Prepared> RemoteRunner::prepare(const RunRequest& request, base::Diagnostics& out) {
  return RemotePreparation(request, config_, server_, archive_, out).run();
}

// Those that were started.
void RemoteRunner::cancel(std::span<const Prepared> suites) {
  for (const auto& suite : suites)
    for (const auto& run : suite.runs)
      if (!run.run.id.empty()) (void)archive_.runs().request_stop(run.run.id);
}

bool RemoteRunner::start(std::span<Prepared> suites, base::Diagnostics& out) {
  for (std::size_t i = 0; i < suites.size(); ++i) {
    if (start_one(suites[i], out)) continue;
    cancel(suites.first(i + 1));
    return false;
  }
  return true;
}

bool RemoteRunner::start_one(Prepared& prepared, base::Diagnostics& out) {
  // Those of resumed runs come back with the answer.
  for (auto& one : prepared.runs) one.run.id.clear();
  const RemoteJobs& jobs = prepared.remote;
  for (std::size_t i = 0; i < jobs.bodies.size(); ++i) {
    PreparedModel& one = prepared.runs[i];
    const auto answer = server_.ask({.method = "POST",
                                     .path = "/api/eval/run",
                                     .body = jobs.bodies[i],
                                     .about = prepared.source});
    const std::string id(answer ? answer->body.text_of("runId") : "");
    if (id.empty()) {
      if (answer)
        out.add(
            Code::strange_server, {},
            fmt::format("the server `{}` started a run but did not return its id", server_.url()),
            "is it a `vibe serve`?");
      else
        out.append(answer.error());
      return false;
    }
    one.run.id = id;
    one.queued_after = answer->body.integer_of("after").value_or(0);
    add_warnings(answer->body, jobs.known, out);
  }
  return true;
}

base::Result<FinishedRun> RemoteRunner::finished(const std::string& id,
                                                 const std::string& suite_path) {
  VIBE_TRY(auto run, patiently(server_, [&] { return find_run(archive_.runs(), id); }));
  VIBE_TRY(auto results, archive_.runs().results(id));  // came with the run
  FinishedRun done;
  done.run = std::move(run);
  done.run.suite_path = suite_path;
  done.results = std::move(results);
  if (is_finished(done.run.status) && !done.run.score_formula.empty())
    if (auto score = patiently(server_, [&] { return explain_run(archive_.runs(), done.run); }))
      done.score = *std::move(score);
  return done;
}

std::vector<FinishedRun> RemoteRunner::follow(std::span<Prepared> suites, Watcher& watcher,
                                              base::Diagnostics& out) {
  std::vector<remote::FollowedRun> followed;
  std::vector<std::string> paths;  // of the suites
  for (const Prepared& suite : suites) {
    watcher.on_start(suite.runs);
    // Skips the results that an earlier run already had.
    for (const auto& one : suite.runs) {
      followed.push_back(
          {one.run.id, one.queued_after > 0 ? std::to_string(one.queued_after) : std::string()});
      paths.push_back(suite.remote.path);
    }
  }
  if (const auto ended = remote::follow(server_, followed, watcher); !ended) {
    out.append(ended.error());
    for (const auto& run : followed) add_lost(run, watcher.wants_to_stop(), out);
    return {};
  }
  std::vector<FinishedRun> done;
  for (std::size_t i = 0; i < followed.size(); ++i) {
    const auto& run = followed[i];
    auto one = finished(run.id, paths[i]);
    if (one) {
      done.push_back(*std::move(one));
    } else {
      out.append(one.error());
      add_lost(run, watcher.wants_to_stop(), out);
    }
  }
  return done;
}

}  // namespace vibe::app
