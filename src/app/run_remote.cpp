#include "app/run_remote.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "app/history.h"
#include "app/rubric.h"
#include "app/standalone_suite.h"
#include "app/suites.h"
#include "app/validate.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_value.h"
#include "base/text.h"
#include "base/yaml.h"
#include "base/yaml_text.h"
#include "remote/follow.h"
#include "remote/models.h"
#include "remote/server.h"

namespace vibe::app {

using base::Code;

namespace {

constexpr std::size_t kMostModels = 32;  // side by side

bool is_there(const std::string& path) {
  std::error_code error;
  return path == "-" || std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

// The suite as JSON with what the command says instead, which is how the API takes it.
class SuiteJson {
 public:
  SuiteJson(const base::YamlNode& root, const RunRequest& request)
      : root_(root), request_(request) {}

  std::string with(const std::optional<std::string>& model) {
    json_ = base::JsonWriter();
    json_.begin_object();
    for (const auto& [key, value] : root_.entries) {
      json_.key(key->text);
      if (key->text == "metadata")
        write_metadata(*value, model);
      else
        json_.raw(base::to_json(*value));
    }
    return json_.end_object().text();
  }

 private:
  void write_metadata(const base::YamlNode& metadata, const std::optional<std::string>& model) {
    std::set<std::string_view> said;
    json_.begin_object();
    const auto say = [&](std::string_view key) -> base::JsonWriter& {
      said.insert(key);
      return json_.key(key);
    };
    if (model) say("model").string(*model);
    if (const auto& text = request_.plan.system_prompt) say("system_prompt").string(*text);
    if (const auto& count = request_.plan.threads) say("threads").integer(*count);
    if (const auto& tools = request_.tools; tools.url || tools.name || tools.token) {
      say("mcp_server");
      write_tools(metadata.find("mcp_server"));
    }
    for (const auto& [key, value] : metadata.entries)
      if (!said.contains(key->text)) json_.key(key->text).raw(base::to_json(*value));
    json_.end_object();
  }

  void write_tools(const base::YamlNode* suite) {
    const auto write = [&](std::string_view key, const std::optional<std::string>& said) {
      const base::YamlNode* value = suite ? suite->find(key) : nullptr;
      if (said)
        json_.key(key).string(*said);
      else if (value)
        json_.key(key).raw(base::to_json(*value));
    };
    json_.begin_object();
    write("url", request_.tools.url);
    write("name", request_.tools.name);
    write("authorization_token", request_.tools.token);
    json_.end_object();
  }

  const base::YamlNode& root_;
  const RunRequest& request_;
  base::JsonWriter json_;
};

class RemotePreparation {
 public:
  RemotePreparation(const RunRequest& request, Local& local, base::Diagnostics& out)
      : request_(request), local_(local), out_(out) {}

  std::optional<RemoteRuns> run() {
    if (!refuse() || !(request_.earlier.empty() ? prepare_new() : prepare_earlier()))
      return std::nullopt;
    prepared_.budget = request_.budget ? request_.budget : local_.config.budget;
    prepared_.run_timeout = request_.run_timeout ? request_.run_timeout : local_.config.run_timeout;
    prepared_.cache = request_.cache;
    write_bodies();
    if (request_.strict) out_.make_warnings_errors();
    if (out_.failed()) return std::nullopt;
    return std::move(runs_);
  }

 private:
  template <class T>
  bool failed(const base::Result<T>& result) {
    if (result) return false;
    out_.append(result.error());
    return true;
  }

  // What only this machine could do.
  bool refuse() {
    if (request_.record)
      out_.add(Code::bad_usage, {}, "`--record` keeps answers on this machine, and a server asks",
               "run the suite without a server to record it");
    if (request_.dry_run && !request_.earlier.empty())
      out_.add(Code::bad_usage, {}, "`--dry-run` takes a suite, not a run of a server");
    return !out_.failed();
  }

  // ---- a new run

  bool prepare_new() { return read_suite() && load_suite() && make_plan() && name_models(); }

  bool read_suite() {
    const std::string& name = request_.suite;
    if (request_.is_file || is_there(name)) return read_file();
    auto stored = local_.store->suite(name);
    if (failed(stored)) return false;
    if (*stored) {
      text_ = std::move((*stored)->text);
      shown_path_ = name;
      return true;
    }
    if (name.ends_with(".yaml") || name.ends_with(".yml") || name.find('/') != std::string::npos)
      return read_file();
    out_.add(Code::not_found, {},
             fmt::format("there is no file and no stored suite `{}`", base::printable(name)),
             suite_hint(*local_.store, name));
    return false;
  }

  bool read_file() {
    auto text = base::read_file(request_.suite, base::kMaxYamlBytes);
    if (failed(text)) return false;
    text_ = *std::move(text);
    shown_path_ = base::display_name(request_.suite);
    if (request_.suite == "-") return true;
    std::error_code error;
    runs_.path = std::filesystem::absolute(request_.suite, error).lexically_normal().string();
    return true;
  }

  bool load_suite() {
    prepared_.source = base::make_source(shown_path_, text_);
    Validated validated = validate(prepared_.source);
    validated.diagnostics.remove_notes();
    out_.append(validated.diagnostics);
    if (!validated.suite) return false;
    prepared_.suite = std::make_shared<const suite::Suite>(*std::move(validated.suite));
    prepared_.gates = {request_.min_score ? request_.min_score : prepared_.suite->score.min,
                       request_.min_success};
    auto text = standalone_text(prepared_.source, *prepared_.suite, out_);
    if (!text) return false;
    text_ = *std::move(text);
    return true;
  }

  bool make_plan() {
    const auto& tools = request_.tools;
    const std::string more =
        fmt::format("{}\n{}\n{}\n{}", request_.plan.system_prompt.value_or(""),
                    tools.url.value_or(""), tools.name.value_or(""), tools.token.value_or(""));
    run::Values variables, secrets;
    const auto uses = run::used_names(*prepared_.suite, more);
    if (!uses.empty() && !read_values(variables, secrets)) return false;
    std::vector<run::NamedUse> missing;
    for (const auto& use : uses) {
      const auto& known = use.kind == suite::Placeholder::Kind::secret ? secrets : variables;
      if (!known.contains(use.name)) missing.push_back(use);
    }
    run::report_unknown_names(missing, prepared_.source, out_);
    if (!missing.empty()) return false;
    run::Filler filler(std::move(variables), std::move(secrets));
    name_ = filler.fill(prepared_.suite->metadata.name);
    model_ = filler.fill(prepared_.suite->metadata.model);
    prepared_.plan = run::Plan::make(prepared_.suite, std::move(filler), request_.plan, out_);
    return prepared_.plan.has_value();
  }

  // Of secrets the server tells the names alone: what is planned here has these in their place.
  bool read_values(run::Values& variables, run::Values& secrets) {
    auto all = local_.store->variables();
    const auto names = local_.store->secrets();
    if (failed(all) || failed(names)) return false;
    for (auto& one : *all) variables.emplace(std::move(one.name), std::move(one.value));
    for (const auto& name : *names)
      secrets.emplace(name, fmt::format("{{{{secret('{}')}}}}", name));
    return true;
  }

  bool name_models() {
    std::vector<std::string> names;
    const auto add = [&](std::string name) {
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    };
    if (request_.models.empty()) add(model_);
    for (const auto& wanted : request_.models) {
      const bool is_pattern = wanted.find('*') != std::string::npos &&
                              !wanted.starts_with("exec:") && !wanted.starts_with("replay:");
      const std::size_t before = names.size();
      if (!is_pattern)
        add(wanted);
      else if (!read_known_models())
        return false;
      else
        for (const auto& id : known_models_)
          if (price::fits(wanted, id) && names.size() <= kMostModels) add(id);
      if (is_pattern && names.size() == before)
        out_.add(Code::unknown_model, {},
                 fmt::format("no model that the server knows fits `{}`", base::printable(wanted)),
                 "`vibe get models` lists them");
    }
    if (names.size() > kMostModels)
      out_.add(Code::too_many, {}, fmt::format("more than {} models at once", kMostModels),
               "narrow the pattern; `vibe get models PATTERN` shows what it stands for");
    for (const auto& name : names) add_run(name);
    return !out_.failed();
  }

  bool read_known_models() {
    if (!known_models_.empty()) return true;
    const auto list = remote::list_models(*local_.server, "");
    if (failed(list)) return false;
    for (const auto& one : list->models) known_models_.push_back(one.row.id);
    return true;
  }

  void add_run(const std::string& model) {
    PreparedModel& run = prepared_.runs.emplace_back();
    run.run.suite_name = name_;
    run.run.model = model;
    run.run.planned = static_cast<std::uint32_t>(prepared_.plan->samples().size());
    run.pending.resize(run.run.planned);
    std::iota(run.pending.begin(), run.pending.end(), 0U);
    // For estimates alone.
    run.opened = described(model);
    if (!request_.dry_run) return;
    for (const auto& sample : prepared_.plan->samples())
      for (const auto& [name, count] : judge_calls(*prepared_.plan, sample)) {
        if (run.judges.models.contains(name)) continue;
        const auto& chosen = name.empty() ? prepared_.suite->metadata.judge_model : name;
        run.judges.models.emplace(name,
                                  described(chosen.empty() ? local_.config.judge_model : chosen));
      }
  }

  // A model that somebody else opens.
  model::Opened described(const std::string& name) const {
    model::Opened out;
    out.name = name;
    out.price = local_.config.models.prices.find(name);
    const auto route = model::Models(local_.config.models).route(name);
    for (const auto& row : model::providers())
      if (route && row.name == route->provider) out.is_free = row.is_free;
    return out;
  }

  // ---- an earlier one

  bool prepare_earlier() {
    auto run = find_run(*local_.store, request_.earlier);
    if (failed(run)) return false;
    const auto results = local_.store->results(run->id);
    if (failed(results)) return false;
    prepared_.gates = {request_.min_score ? request_.min_score : run->min_score,
                       request_.min_success};
    PreparedModel& prepared = prepared_.runs.emplace_back();
    std::set<std::uint32_t> done;
    for (const auto& result : *results) {
      done.insert(result.sample);
      if (request_.how == Continue::failed && result.status == score::ResultStatus::error)
        prepared.pending.push_back(result.sample);
    }
    for (std::uint32_t i = 0; request_.how == Continue::missing && i < run->planned; ++i)
      if (!done.contains(i)) prepared.pending.push_back(i);
    prepared.run = *std::move(run);
    return true;
  }

  // ---- what is sent

  void write_bodies() {
    if (!request_.earlier.empty()) {
      const auto key = request_.how == Continue::failed ? "retryFailed" : "resume";
      runs_.bodies.push_back(body(
          [&](base::JsonWriter& json) { json.key(key).string(prepared_.runs.front().run.id); }));
      return;
    }
    const auto document = base::parse_yaml(base::make_source(shown_path_, text_));
    const bool is_as_written = request_.models.empty() && !request_.plan.system_prompt &&
                               !request_.plan.threads && !request_.tools.url &&
                               !request_.tools.name && !request_.tools.token;
    for (const auto& run : prepared_.runs)
      runs_.bodies.push_back(body([&](base::JsonWriter& json) {
        if (!is_as_written && document) {
          const auto model = request_.models.empty() ? std::nullopt : std::optional(run.run.model);
          json.key("evalSuite").raw(SuiteJson(document->root(), request_).with(model));
        }
        json.key("yamlContent").string(text_);
      }));
  }

  template <class Write>
  std::string body(const Write& write) {
    base::JsonWriter json;
    json.begin_object();
    write(json);
    json.key("options").begin_object();
    if (prepared_.budget) json.key("budget").number(*prepared_.budget);
    if (prepared_.run_timeout) json.key("run_timeout").number(*prepared_.run_timeout);
    if (request_.cache) json.key("cache").boolean(true);
    if (request_.plan.repeat) json.key("repeat").integer(*request_.plan.repeat);
    if (!request_.plan.only.empty()) {
      json.key("only").begin_array();
      for (const auto& name : request_.plan.only) json.string(name);
      json.end_array();
    }
    return json.end_object().end_object().text();
  }

  const RunRequest& request_;
  Local& local_;
  base::Diagnostics& out_;
  RemoteRuns runs_;
  Prepared& prepared_ = runs_.prepared;
  std::string text_, shown_path_, name_, model_;
  std::vector<std::string> known_models_;  // of the server
};

// Hands on what comes to who watches the runs.
class Observer final : public remote::FollowObserver {
 public:
  explicit Observer(Watcher& watcher) : watcher_(watcher) {}
  void on_result(std::size_t run, const score::Result& result) override {
    watcher_.on_result(run, result);
  }
  void on_tick() override { watcher_.on_tick(); }
  bool wants_to_stop() const override { return watcher_.wants_to_stop(); }

 private:
  Watcher& watcher_;
};

void cancel(std::span<const PreparedModel> runs, store::Store& store) {
  for (const auto& run : runs)
    if (!run.run.id.empty()) (void)store.request_stop(run.run.id);
}

// Warnings of the server that were not found here already.
void add_warnings(const base::JsonValue& answer, base::Diagnostics& out) {
  const auto* warnings = answer.find("warnings");
  if (!warnings || !warnings->array()) return;
  for (const auto& one : *warnings->array()) {
    const auto message = one.text_of("message");
    const auto& known = out.all();
    const bool is_known =
        std::any_of(known.begin(), known.end(),
                    [&](const base::Diagnostic& each) { return each.message == message; });
    const auto* row = std::find_if(base::kCodes.begin(), base::kCodes.end(), [&](const auto& each) {
      return base::to_string(each.code) == one.text_of("code");
    });
    if (!is_known && row != base::kCodes.end() && row->severity == base::Severity::warning)
      out.add(row->code, {}, std::string(message), std::string(one.text_of("hint")));
  }
}

// Once more where the connection breaks: the run is over, and nothing is lost.
base::Result<score::Run> fetch_run(Local& local, const std::string& id) {
  constexpr int kMostTries = 5;
  for (int tries = 1;; ++tries) {
    auto run = find_run(*local.store, id);
    const bool is_unreachable = !run && run.error().all().front().code == Code::unreachable_server;
    if (!is_unreachable || tries == kMostTries) return run;
    std::this_thread::sleep_for(std::chrono::duration<double>(tries * local.server->wait_scale()));
  }
}

base::Result<FinishedRun> finished(const std::string& id, Local& local, const std::string& path) {
  auto run = fetch_run(local, id);
  if (!run) return tl::unexpected(run.error());
  auto results = local.store->results(id);  // came with the run
  if (!results) return tl::unexpected(results.error());
  FinishedRun done;
  done.run = *std::move(run);
  done.run.suite_path = path;
  done.results = *std::move(results);
  if (auto score = explain_run(*local.store, done.run)) done.score = *std::move(score);
  return done;
}

}  // namespace

std::optional<RemoteRuns> prepare_remote(const RunRequest& request, Local& local,
                                         base::Diagnostics& out) {
  return RemotePreparation(request, local, out).run();
}

bool start_remote(RemoteRuns& runs, Local& local, base::Diagnostics& out) {
  for (std::size_t i = 0; i < runs.bodies.size(); ++i) {
    auto& run = runs.prepared.runs[i].run;
    const auto answer = local.server->ask({.method = "POST",
                                           .path = "/api/eval/run",
                                           .body = runs.bodies[i],
                                           .about = runs.prepared.source});
    if (!answer) {
      out.append(answer.error());
      if (i > 0) cancel(std::span(runs.prepared.runs).first(i), *local.store);
      return false;
    }
    run.id = answer->body.text_of("runId");
    set_queued_after(run, answer->body.integer_of("after").value_or(0));
    add_warnings(answer->body, out);
  }
  return true;
}

std::vector<FinishedRun> run_remote(RemoteRuns& runs, Local& local, Watcher& watcher,
                                    base::Diagnostics& out) {
  if (!start_remote(runs, local, out)) return {};
  watcher.on_start(runs.prepared.runs);
  std::vector<remote::FollowedRun> followed;
  // What an earlier run had already is no news.
  for (const auto& one : runs.prepared.runs) {
    const auto after = queued_after(one.run);
    followed.push_back({one.run.id, after > 0 ? std::to_string(after) : ""});
  }
  Observer observer(watcher);
  if (const auto ended = remote::follow(*local.server, followed, observer); !ended) {
    out.append(ended.error());
    return {};
  }
  std::vector<FinishedRun> done;
  for (const auto& run : followed) {
    auto one = finished(run.id, local, runs.path);
    if (one)
      done.push_back(*std::move(one));
    else
      out.append(one.error());
  }
  return done;
}

}  // namespace vibe::app
