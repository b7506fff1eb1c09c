#include "remote/archive.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/text.h"
#include "remote/run_query.h"
#include "store/run_filters.h"
#include "wire/kept.h"
#include "wire/run.h"
#include "wire/scored.h"

namespace vibe::remote {

using base::Code;
using base::JsonValue;
using base::Result;
using store::Millis;

namespace {

tl::unexpected<base::Diagnostics> strange(const Server& server, std::string_view what) {
  return base::fail(
      Code::strange_server, {},
      fmt::format("the server `{}` sent {} that this program cannot read", server.url(), what),
      "its version may differ: `vibe doctor` shows it");
}

// What was read from an answer.
template <class Value>
Result<Value> read_or_strange(const Server& server, std::optional<Value> read,
                              std::string_view what) {
  if (!read) return strange(server, what);
  return *std::move(read);
}

template <class Query>
Parameters page_of(const Query& query) {
  Parameters out{{"limit", std::to_string(query.limit)}};
  add_text(out, "after", query.after);
  if (query.offset > 0) out.emplace_back("offset", std::to_string(query.offset));
  return out;
}

Parameters parameters_of(const store::RunQuery& query) {
  Parameters out = page_of(query);
  add_filters(out, query);
  for (const auto& row : store::kRunOrders)
    if (row.order == query.order)
      out.emplace_back("sort", fmt::format("{}{}", query.ascending ? "" : "-", row.key));
  return out;
}

Parameters parameters_of(const store::ExecutionQuery& query) {
  Parameters out = page_of(query);
  // `NAME@` means without a version; an empty name means unknown agents.
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

// The body; none: the server answers 404.
Result<std::optional<JsonValue>> get(Server& server, const std::string& path) {
  VIBE_TRY(auto answer, server.ask({.path = path, .may_be_missing = true}));
  if (answer.status == 404) return std::optional<JsonValue>();
  return std::optional(std::move(answer.body));
}

class RemoteSuites final : public store::Suites {
 public:
  explicit RemoteSuites(Server& server) : server_(server) {}

  Result<std::uint32_t> save(const store::SuiteEntry& suite, Millis /*now*/) override {
    base::JsonWriter body;
    body.begin_object().key("yamlContent").string(suite.text).end_object();
    VIBE_TRY(const auto saved, server_.ask({.method = "POST",
                                            .path = "/api/suite/save",
                                            .body = body.text(),
                                            .about = base::make_source(suite.path, suite.text)}));
    return static_cast<std::uint32_t>(saved.body.integer_of("version").value_or(0));
  }

  Result<std::optional<store::SuiteEntry>> last(std::string_view name) override {
    return find_suite("/api/suite/" + encoded(name), name);
  }

  Result<std::optional<store::SuiteEntry>> version(std::string_view name,
                                                   std::uint32_t version) override {
    return find_suite(fmt::format("/api/suite/{}?version={}", encoded(name), version), name);
  }

  Result<std::vector<store::SuiteEntry>> history(std::string_view name) override {
    VIBE_TRY(const auto answer,
             get(server_, fmt::format("/api/suite/{}?history=1", encoded(name))));
    if (!answer) return std::vector<store::SuiteEntry>();
    return read_or_strange(server_, wire::read_versions(*answer, name), "suites");
  }

  Result<std::vector<store::SuiteEntry>> list() override {
    VIBE_TRY(const auto answer, server_.ask({.path = "/api/suite/list"}));
    return read_or_strange(server_, wire::read_suites(answer.body), "suites");
  }

 private:
  Result<std::optional<store::SuiteEntry>> find_suite(const std::string& path,
                                                      std::string_view name) {
    VIBE_TRY(const auto answer, get(server_, path));
    if (!answer) return std::optional<store::SuiteEntry>();
    const JsonValue* suite = answer->find("suite");
    auto read = suite ? wire::read_suite(*suite, name) : std::nullopt;
    if (!read) return strange(server_, "a suite");
    return read;
  }

  Server& server_;
};

class RemoteRuns final : public store::Runs {
 public:
  explicit RemoteRuns(Server& server) : server_(server) {}

  Result<std::optional<score::Run>> find(std::string_view id) override {
    fetched_.reset();
    VIBE_TRY(const auto answer, get(server_, "/api/runs/" + encoded(id)));
    if (!answer) return std::optional<score::Run>();
    const JsonValue* run = answer->find("run");
    auto read = run ? wire::read_run(*run) : std::nullopt;
    auto results = run ? wire::read_results(*run) : std::nullopt;
    if (!read || !results) return strange(server_, "a run");
    fetched_ = Fetched{*read, *std::move(results)};
    return std::optional(fetched_->run);
  }

  Result<std::vector<score::Result>> results(std::string_view id) override {
    VIBE_TRY(fetch(id));
    return fetched_->results;
  }

  Result<store::RunPage> list(const store::RunQuery& query) override {
    VIBE_TRY(const auto answer,
             server_.ask({.path = "/api/runs" + remote::query(parameters_of(query))}));
    return read_or_strange(server_, wire::read_run_page(answer.body), "runs");
  }

  Result<std::vector<std::optional<double>>> last_scores(std::string_view suite,
                                                         std::string_view model,
                                                         std::size_t most) override {
    store::RunQuery query;
    query.suite = suite;
    query.model = model;
    query.limit = most;
    query.status = {score::RunStatus::completed};
    std::vector<std::optional<double>> out;
    do {
      VIBE_TRY(const auto page, list(query));
      for (const auto& run : page.runs)
        if (out.size() < most) out.push_back(run.score);
      query.after = page.next;
    } while (out.size() < most && !query.after.empty());
    std::reverse(out.begin(), out.end());
    return out;
  }

  Result<std::string> figures(std::string_view id) override {
    VIBE_TRY(auto answer,
             server_.ask({.path = fmt::format("/api/runs/{}/figures", encoded(id)),
                          .may_be_missing = true,  // older servers do not have this route
                          .wants_bytes = true}));
    return answer.status < 300 ? std::move(answer.bytes) : std::string();
  }

  Result<bool> request_stop(std::string_view run) override {
    VIBE_TRY(const auto answer,
             server_.ask({.method = "POST",
                          .path = fmt::format("/api/runs/{}/cancel", encoded(run)),
                          .may_be_missing = true,
                          .may_conflict = true}));
    return answer.status < 300;
  }

 private:
  struct Fetched {
    score::Run run;
    std::vector<score::Result> results;
  };

  // Fetches a run once for several questions about it.
  Result<void> fetch(std::string_view id) {
    if (fetched_ && fetched_->run.id == id) return {};
    VIBE_TRY(const auto found, find(id));
    if (!found)
      return base::fail(Code::not_found, {},
                        fmt::format("there is no run `{}`", base::printable(id)));
    return {};
  }

  Server& server_;
  std::optional<Fetched> fetched_;  // the last run that was fetched
};

class RemoteExecutions final : public store::Executions {
 public:
  explicit RemoteExecutions(Server& server) : server_(server) {}

  Result<store::ExecutionPage> list(const store::ExecutionQuery& query) override {
    VIBE_TRY(const auto answer,
             server_.ask({.path = "/api/executions" + remote::query(parameters_of(query))}));
    return read_or_strange(server_, wire::read_scored_page(answer.body), "executions");
  }

  Result<std::optional<fitness::ScoredExecution>> find(std::string_view id) override {
    VIBE_TRY(const auto answer, get(server_, "/api/executions/" + encoded(id)));
    if (!answer) return std::optional<fitness::ScoredExecution>();
    auto scored = wire::read_scored(*answer);
    if (!scored) return strange(server_, "an execution");
    return scored;
  }

  Result<std::vector<std::string>> agents() override {
    std::vector<std::string> out;
    // Only for suggestions: the agents of the newest executions are enough.
    VIBE_TRY(const auto page, list({.limit = kMostOfPage}));
    for (const auto& one : page.items) out.push_back(one.agent.agent);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  Result<std::vector<std::string>> versions(std::string_view agent) override {
    std::vector<std::string> out;  // newest first
    store::ExecutionQuery query{.limit = kMostOfPage, .agent = std::string(agent)};
    do {
      VIBE_TRY(const auto page, list(query));
      for (const auto& one : page.items) {
        std::erase(out, one.agent.version);
        out.push_back(one.agent.version);
      }
      query.after = page.next;
    } while (!query.after.empty());
    std::reverse(out.begin(), out.end());
    return out;
  }

  Result<store::DecisionPage> decisions(const store::DecisionQuery& query) override {
    Parameters parameters = page_of(query);
    add_text(parameters, "agent", query.agent);
    VIBE_TRY(const auto answer,
             server_.ask({.path = "/api/decisions" + remote::query(parameters)}));
    return read_or_strange(server_, wire::read_decision_page(answer.body), "decisions");
  }

 private:
  static constexpr std::size_t kMostOfPage = 1000;

  Server& server_;
};

class RemoteVariables final : public store::Variables {
 public:
  explicit RemoteVariables(Server& server) : server_(server) {}

  Result<void> set(std::string_view name, std::string_view value) override {
    VIBE_TRY(store::check_variable(name, value));
    return post("/api/runtime/vars", name, value);
  }

  Result<std::optional<std::string>> find(std::string_view name) override {
    VIBE_TRY(const auto answer, get(server_, "/api/runtime/vars/" + encoded(name)));
    if (!answer) return std::optional<std::string>();
    return std::optional(std::string(answer->text_of("value")));
  }

  Result<std::vector<store::Variable>> list() override {
    VIBE_TRY(const auto answer, server_.ask({.path = "/api/runtime/vars"}));
    return read_or_strange(server_, wire::read_variables(answer.body), "variables");
  }

  Result<bool> remove(std::string_view name) override {
    return drop("/api/runtime/vars/" + encoded(name));
  }

  Result<void> set_secret(std::string_view name, std::string_view value) override {
    VIBE_TRY(store::check_secret(name, value));
    return post("/api/runtime/secrets", name, value);
  }

  Result<std::vector<std::string>> secret_names() override {
    VIBE_TRY(const auto answer, server_.ask({.path = "/api/runtime/secrets"}));
    return read_or_strange(server_, wire::read_secrets(answer.body), "secrets");
  }

  Result<bool> remove_secret(std::string_view name) override {
    return drop("/api/runtime/secrets/" + encoded(name));
  }

 private:
  Result<void> post(const std::string& path, std::string_view name, std::string_view value) {
    base::JsonWriter body;
    body.begin_object().key("name").string(name).key("value").string(value).end_object();
    VIBE_TRY(server_.ask({.method = "POST", .path = path, .body = body.text()}));
    return {};
  }

  Result<bool> drop(const std::string& path) {
    VIBE_TRY(const auto answer,
             server_.ask({.method = "DELETE", .path = path, .may_be_missing = true}));
    return answer.status < 300;
  }

  Server& server_;
};

class RemoteArchive final : public store::Archive {
 public:
  explicit RemoteArchive(Server& server)
      : suites_(server), runs_(server), executions_(server), variables_(server) {}

  store::Suites& suites() override { return suites_; }
  store::Runs& runs() override { return runs_; }
  store::Executions& executions() override { return executions_; }
  store::Variables& variables() override { return variables_; }

 private:
  RemoteSuites suites_;
  RemoteRuns runs_;
  RemoteExecutions executions_;
  RemoteVariables variables_;
};

}  // namespace

std::unique_ptr<store::Archive> make_archive(Server& server) {
  return std::make_unique<RemoteArchive>(server);
}

}  // namespace vibe::remote
