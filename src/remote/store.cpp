#include "remote/store.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "base/yaml.h"
#include "report/read_run.h"
#include "report/read_scored.h"
#include "score/figures.h"
#include "score/samples.h"

namespace vibe::remote {

using base::Code;
using base::JsonValue;
using base::Result;
using store::Millis;

namespace {

using Parameters = std::vector<std::pair<std::string_view, std::string>>;

tl::unexpected<base::Diagnostics> strange(const Server& server, std::string_view what) {
  return base::fail(
      Code::strange_server, {},
      fmt::format("the server `{}` gives {} that this program cannot read", server.url(), what),
      "is it of another version? `vibe doctor` shows it");
}

tl::unexpected<base::Diagnostics> not_here(std::string_view what) {
  return base::fail(Code::refused_by_server, {},
                    fmt::format("{} are the business of the server alone", what));
}

std::string number(double value) { return base::JsonWriter().number(value).text(); }

void add_bounds(Parameters& out, std::string_view least, std::string_view most,
                const store::Bounds& bounds) {
  if (bounds.least) out.emplace_back(least, number(*bounds.least));
  if (bounds.most) out.emplace_back(most, number(*bounds.most));
}

void add_time(Parameters& out, std::string_view name, const std::optional<Millis>& time) {
  if (time) out.emplace_back(name, base::iso_time(*time));
}

// An empty one is no condition.
void add_text(Parameters& out, std::string_view name, const std::string& text) {
  if (!text.empty()) out.emplace_back(name, text);
}

template <class Query>
Parameters page_of(const Query& query) {
  Parameters out{{"limit", std::to_string(query.limit)}};
  add_text(out, "after", query.after);
  if (query.offset > 0) out.emplace_back("offset", std::to_string(query.offset));
  return out;
}

std::string names_of(const std::vector<score::RunStatus>& statuses) {
  std::vector<std::string_view> names;
  for (const auto status : statuses) names.push_back(to_string(status));
  return fmt::format("{}", fmt::join(names, ","));
}

std::string_view name_of(store::RunOrder order) {
  switch (order) {
    case store::RunOrder::created: return "created_at";
    case store::RunOrder::success: return "success_percentage";
    case store::RunOrder::cost: return "total_cost";
    case store::RunOrder::time: return "duration_seconds";
    case store::RunOrder::score: return "score";
    case store::RunOrder::price_performance: return "price_performance";
  }
  std::abort();
}

Parameters parameters_of(const store::RunQuery& query) {
  Parameters out = page_of(query);
  add_text(out, "status", names_of(query.status));
  add_text(out, "status__ne", names_of(query.status_ne));
  add_text(out, "suite_name", query.suite);
  add_text(out, "model", query.model);
  add_text(out, "model__like", query.model_like);
  add_bounds(out, "total_cost__gte", "total_cost__lte", query.cost);
  add_bounds(out, "success_percentage__gte", "success_percentage__lte", query.success);
  add_bounds(out, "score__gte", "score__lte", query.score);
  add_bounds(out, "duration_seconds__gte", "duration_seconds__lte", query.duration);
  add_time(out, "created_at__gte", query.created_from);
  add_time(out, "created_at__lte", query.created_to);
  add_time(out, "completed_at__gte", query.completed_from);
  add_time(out, "completed_at__lte", query.completed_to);
  out.emplace_back("sort", fmt::format("{}{}", query.ascending ? "" : "-", name_of(query.order)));
  return out;
}

Parameters parameters_of(const store::ExecutionQuery& query) {
  Parameters out = page_of(query);
  // `NAME@` are those without a version; an empty name is that of no known agent.
  if (query.agent) {
    const bool is_joined = query.version && !query.agent->empty();
    out.emplace_back("agent", is_joined ? *query.agent + "@" + *query.version : *query.agent);
    if (query.version && !is_joined) out.emplace_back("version", *query.version);
  }
  add_text(out, "session", query.session);
  add_text(out, "grade", query.grade);
  add_text(out, "rubric", query.rubric);
  add_bounds(out, "score__gte", "score__lte", query.score);
  add_time(out, "time__gte", query.from);
  add_time(out, "time__lte", query.to);
  return out;
}

store::SuiteEntry read_suite(const JsonValue& from, std::string_view name) {
  store::SuiteEntry out;
  out.name = from.text_of("name").empty() ? name : from.text_of("name");
  out.text = from.text_of("yamlContent");
  out.evals = static_cast<std::uint32_t>(from.integer_of("evalCount").value_or(0));
  out.version = static_cast<std::uint32_t>(from.integer_of("version").value_or(0));
  out.edited_at = report::read_time(from, "lastEdit").value_or(0);
  out.last_run_at = report::read_time(from, "lastRun");
  return out;
}

// The evals of a suite with their tags, which results do not have.
void add_evals(std::string_view suite, score::Samples& out) {
  const auto document = base::parse_yaml(base::make_source("suite", std::string(suite)));
  const base::YamlNode* evals = document ? document->root().find("evals") : nullptr;
  if (!evals) return;
  for (const base::YamlNode* eval : evals->items) {
    const base::YamlNode *name = eval->find("name"), *tags = eval->find("tags");
    const auto number = out.eval(name ? name->text : std::string_view());
    if (tags)
      for (const base::YamlNode* tag : tags->items) out.tag(number, tag->text);
  }
}

score::Sample sample_of(const score::Result& result) {
  const auto figure = [](const auto& value) {
    return value ? static_cast<double>(*value) : formula::kUndefined;
  };
  return {result.passed(),
          figure(result.latency),
          figure(result.cost),
          figure(result.prompt_tokens),
          figure(result.completion_tokens),
          figure(result.output_quality),
          figure(result.structure_score),
          figure(result.fitness)};
}

class RemoteStore final : public store::Store {
 public:
  explicit RemoteStore(Server& server) : server_(server) {}

  // ---- suites

  Result<std::uint32_t> save_suite(const store::SuiteEntry& suite, Millis /*now*/) override {
    base::JsonWriter body;
    body.begin_object().key("yamlContent").string(suite.text).end_object();
    const auto saved = server_.ask({.method = "POST",
                                    .path = "/api/suite/save",
                                    .body = body.text(),
                                    .about = base::make_source(suite.path, suite.text)});
    if (!saved) return tl::unexpected(saved.error());
    return static_cast<std::uint32_t>(saved->body.integer_of("version").value_or(0));
  }

  Result<std::optional<store::SuiteEntry>> suite(std::string_view name) override {
    return find_suite("/api/suite/" + encoded(name), name);
  }

  Result<std::optional<store::SuiteEntry>> suite_version(std::string_view name,
                                                         std::uint32_t version) override {
    return find_suite(fmt::format("/api/suite/{}?version={}", encoded(name), version), name);
  }

  Result<std::vector<store::SuiteEntry>> suite_history(std::string_view name) override {
    const auto answer = find(fmt::format("/api/suite/{}?history=1", encoded(name)));
    if (!answer) return tl::unexpected(answer.error());
    if (!*answer) return std::vector<store::SuiteEntry>();
    return suites_in(**answer, "versions", name);
  }

  Result<std::vector<store::SuiteEntry>> suites() override {
    const auto answer = server_.ask({.path = "/api/suite/list"});
    if (!answer) return tl::unexpected(answer.error());
    return suites_in(answer->body, "suites", "");
  }

  // ---- runs

  Result<std::optional<score::Run>> run(std::string_view id) override {
    fetched_.reset();
    const auto answer = find("/api/runs/" + encoded(id));
    if (!answer) return tl::unexpected(answer.error());
    if (!*answer) return std::optional<score::Run>();
    const JsonValue* run = (*answer)->find("run");
    auto read = run ? report::read_run(*run) : std::nullopt;
    auto results = run ? report::read_results(*run) : std::nullopt;
    if (!read || !results) return strange(server_, "a run");
    fetched_ = Fetched{*read, *std::move(results)};
    return std::optional(fetched_->run);
  }

  Result<std::vector<score::Result>> results(std::string_view id) override {
    const auto fetched = fetch(id);
    if (!fetched) return tl::unexpected(fetched.error());
    return fetched_->results;
  }

  Result<store::RunPage> runs(const store::RunQuery& query) override {
    const auto answer = server_.ask({.path = "/api/runs" + remote::query(parameters_of(query))});
    if (!answer) return tl::unexpected(answer.error());
    auto page = report::read_run_page(answer->body);
    if (!page) return strange(server_, "runs");
    return *std::move(page);
  }

  Result<std::vector<std::optional<double>>> last_scores(std::string_view suite,
                                                         std::size_t most) override {
    store::RunQuery query;
    query.suite = suite;
    query.limit = most;
    query.status_ne = {score::RunStatus::queued, score::RunStatus::running};
    std::vector<std::optional<double>> out;
    do {
      const auto page = runs(query);
      if (!page) return tl::unexpected(page.error());
      for (const auto& run : page->runs)
        if (!is_all_errors(run) && out.size() < most) out.push_back(run.score);
      query.after = page->next;
    } while (out.size() < most && !query.after.empty());
    std::reverse(out.begin(), out.end());
    return out;
  }

  // Made anew of its results.
  Result<std::string> figures(std::string_view id) override {
    const auto fetched = fetch(id);
    if (!fetched) return tl::unexpected(fetched.error());
    if (!is_finished(fetched_->run.status) || fetched_->run.score_formula.empty())
      return std::string();
    score::Samples samples;
    add_evals(fetched_->run.suite_text, samples);
    for (const auto& result : fetched_->results) {
      samples.add(samples.eval(result.eval), sample_of(result));
      if (result.status == score::ResultStatus::error) samples.add_errors(1, result.error);
    }
    return score::encode_figures(samples);
  }

  Result<bool> request_stop(std::string_view run) override {
    const auto answer = server_.ask({.method = "POST",
                                     .path = fmt::format("/api/runs/{}/cancel", encoded(run)),
                                     .may_be_missing = true,
                                     .may_conflict = true});
    if (!answer) return tl::unexpected(answer.error());
    return answer->status < 300;
  }

  // ---- executions and decisions

  Result<store::ExecutionPage> executions(const store::ExecutionQuery& query) override {
    const auto answer =
        server_.ask({.path = "/api/executions" + remote::query(parameters_of(query))});
    if (!answer) return tl::unexpected(answer.error());
    auto page = report::read_scored_page(answer->body);
    if (!page) return strange(server_, "executions");
    return *std::move(page);
  }

  Result<std::optional<fitness::ScoredExecution>> execution(std::string_view id) override {
    const auto answer = find("/api/executions/" + encoded(id));
    if (!answer) return tl::unexpected(answer.error());
    if (!*answer) return std::optional<fitness::ScoredExecution>();
    auto scored = report::read_scored(**answer);
    if (!scored) return strange(server_, "an execution");
    return scored;
  }

  Result<std::vector<std::string>> agents() override {
    std::vector<std::string> out;
    // For suggestions alone: those of the newest executions will do.
    const auto page = executions({.limit = kMostOfPage});
    if (!page) return tl::unexpected(page.error());
    for (const auto& one : page->items) out.push_back(one.agent.agent);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  Result<std::vector<std::string>> agent_versions(std::string_view agent) override {
    std::vector<std::string> out;  // the newest first
    store::ExecutionQuery query{.limit = kMostOfPage, .agent = std::string(agent)};
    do {
      const auto page = executions(query);
      if (!page) return tl::unexpected(page.error());
      for (const auto& one : page->items) {
        std::erase(out, one.agent.version);
        out.push_back(one.agent.version);
      }
      query.after = page->next;
    } while (!query.after.empty());
    std::reverse(out.begin(), out.end());
    return out;
  }

  Result<store::DecisionPage> decisions(const store::DecisionQuery& query) override {
    Parameters parameters = page_of(query);
    add_text(parameters, "agent", query.agent);
    const auto answer = server_.ask({.path = "/api/decisions" + remote::query(parameters)});
    if (!answer) return tl::unexpected(answer.error());
    auto page = report::read_decision_page(answer->body);
    if (!page) return strange(server_, "decisions");
    return *std::move(page);
  }

  // ---- variables and secrets

  Result<void> set_variable(std::string_view name, std::string_view value) override {
    if (auto checked = store::check_variable(name, value); !checked) return checked;
    return set("/api/runtime/vars", name, value);
  }

  Result<std::optional<std::string>> variable(std::string_view name) override {
    const auto answer = find("/api/runtime/vars/" + encoded(name));
    if (!answer) return tl::unexpected(answer.error());
    if (!*answer) return std::optional<std::string>();
    return std::optional(std::string((*answer)->text_of("value")));
  }

  Result<std::vector<store::Variable>> variables() override {
    const auto answer = server_.ask({.path = "/api/runtime/vars"});
    if (!answer) return tl::unexpected(answer.error());
    const JsonValue* list = answer->body.find("vars");
    if (!list || !list->array()) return strange(server_, "variables");
    std::vector<store::Variable> out;
    for (const auto& each : *list->array())
      out.push_back({std::string(each.text_of("name")), std::string(each.text_of("value"))});
    return out;
  }

  Result<bool> delete_variable(std::string_view name) override {
    return remove("/api/runtime/vars/" + encoded(name));
  }

  Result<void> set_secret(std::string_view name, std::string_view value) override {
    if (auto checked = store::check_secret(name, value); !checked) return checked;
    return set("/api/runtime/secrets", name, value);
  }

  Result<std::vector<std::string>> secrets() override {
    const auto answer = server_.ask({.path = "/api/runtime/secrets"});
    if (!answer) return tl::unexpected(answer.error());
    const JsonValue* list = answer->body.find("secrets");
    if (!list || !list->array()) return strange(server_, "secrets");
    std::vector<std::string> out;
    for (const auto& each : *list->array()) out.emplace_back(each.text_of("name"));
    return out;
  }

  Result<bool> delete_secret(std::string_view name) override {
    return remove("/api/runtime/secrets/" + encoded(name));
  }

  // ---- of the server alone

  Result<std::optional<std::string>> secret(std::string_view) override {
    return not_here("values of secrets");
  }
  Result<std::unique_ptr<store::RunLock>> add_run(const score::Run&) override {
    return not_here("new runs");
  }
  Result<std::unique_ptr<store::RunLock>> hold_run(std::string_view) override {
    return not_here("locks of runs");
  }
  Result<void> update_run(const score::Run&, std::string_view) override {
    return not_here("changes of runs");
  }
  Result<void> add_result(std::string_view, const score::Result&) override {
    return not_here("new results");
  }
  Result<bool> stop_requested(std::string_view) override { return not_here("requests to stop"); }
  Result<store::Page<store::ListedRun>> list_runs(const store::RunQuery&) override {
    return not_here("stamps of runs");
  }
  Result<std::vector<score::Run>> runs_of(std::span<const std::string>) override {
    return not_here("stamps of runs");
  }
  Result<std::optional<store::RunProgress>> progress(std::string_view) override {
    return not_here("arrivals of results");
  }
  Result<std::vector<store::Arrival>> arrivals(std::string_view, std::int64_t,
                                               std::size_t) override {
    return not_here("arrivals of results");
  }
  Result<std::vector<score::Result>> results_from(std::string_view, std::uint32_t,
                                                  std::size_t) override {
    return not_here("some results of a run");
  }
  Result<std::vector<store::Outcome>> outcomes(std::string_view, std::int64_t) override {
    return not_here("arrivals of results");
  }
  Result<void> enqueue(const score::Run&, std::string_view) override {
    return not_here("entries of the queue");
  }
  Result<std::optional<store::Claim>> claim(std::string_view, Millis, Millis) override {
    return not_here("entries of the queue");
  }
  Result<void> renew(std::string_view, std::string_view, Millis) override {
    return not_here("entries of the queue");
  }
  Result<void> hand_back(std::string_view, std::string_view) override {
    return not_here("entries of the queue");
  }
  Result<store::QueueDepth> queue_depth() override { return not_here("entries of the queue"); }
  Result<std::size_t> mark_interrupted(Millis) override { return not_here("interrupted runs"); }
  Result<std::vector<std::string>> keep_some(std::span<const fitness::ScoredExecution>,
                                             store::ExecutionPlaces&) override {
    return not_here("scores of executions");
  }
  Result<void> add_decision(const fitness::DecisionRecord&) override {
    return not_here("decisions that were made elsewhere");
  }
  Result<std::optional<std::string>> answer(std::string_view) override {
    return not_here("answers of models");
  }
  Result<void> keep_answer(std::string_view, std::string_view) override {
    return not_here("answers of models");
  }
  Result<std::optional<store::Embedding>> embedding(std::string_view) override {
    return not_here("embeddings");
  }
  Result<void> keep_embedding(std::string_view, const store::Embedding&) override {
    return not_here("embeddings");
  }

 private:
  static constexpr std::size_t kMostOfPage = 1000;

  struct Fetched {
    score::Run run;
    std::vector<score::Result> results;
  };

  // The body; none: there is no such thing.
  Result<std::optional<JsonValue>> find(const std::string& path) {
    auto answer = server_.ask({.path = path, .may_be_missing = true});
    if (!answer) return tl::unexpected(answer.error());
    if (answer->status == 404) return std::optional<JsonValue>();
    return std::optional(std::move(answer->body));
  }

  Result<std::optional<store::SuiteEntry>> find_suite(const std::string& path,
                                                      std::string_view name) {
    const auto answer = find(path);
    if (!answer) return tl::unexpected(answer.error());
    if (!*answer) return std::optional<store::SuiteEntry>();
    const JsonValue* suite = (*answer)->find("suite");
    if (!suite) return strange(server_, "a suite");
    return std::optional(read_suite(*suite, name));
  }

  // Once for all that is asked about one run.
  Result<void> fetch(std::string_view id) {
    if (fetched_ && fetched_->run.id == id) return {};
    const auto found = run(id);
    if (!found) return tl::unexpected(found.error());
    if (!*found)
      return base::fail(Code::not_found, {},
                        fmt::format("there is no run `{}`", base::printable(id)));
    return {};
  }

  Result<std::vector<store::SuiteEntry>> suites_in(const JsonValue& body, std::string_view key,
                                                   std::string_view name) {
    const JsonValue* list = body.find(key);
    if (!list || !list->array()) return strange(server_, "suites");
    std::vector<store::SuiteEntry> out;
    for (const auto& each : *list->array()) out.push_back(read_suite(each, name));
    return out;
  }

  Result<void> set(const std::string& path, std::string_view name, std::string_view value) {
    base::JsonWriter body;
    body.begin_object().key("name").string(name).key("value").string(value).end_object();
    const auto answer = server_.ask({.method = "POST", .path = path, .body = body.text()});
    if (!answer) return tl::unexpected(answer.error());
    return {};
  }

  Result<bool> remove(const std::string& path) {
    const auto answer = server_.ask({.method = "DELETE", .path = path, .may_be_missing = true});
    if (!answer) return tl::unexpected(answer.error());
    return answer->status < 300;
  }

  Server& server_;
  std::optional<Fetched> fetched_;  // the last run that was asked for
};

}  // namespace

std::unique_ptr<store::Store> make_store(Server& server) {
  return std::make_unique<RemoteStore>(server);
}

}  // namespace vibe::remote
