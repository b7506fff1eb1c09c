// The table of routes. A path is taken apart once; there are few enough to look at each.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "server/handlers.h"
#include "store/run_filters.h"

namespace vibe::server {

namespace {

using store::Role;
constexpr std::nullopt_t kAnyone = std::nullopt;

constexpr std::array kWait{
    Parameter{"wait", "number",
              "seconds that the request is held at most; `0`: answered at once; by default it is "
              "held until the run ends"}};

constexpr std::array kSuiteQuery{
    Parameter{"version", "integer", "which version; by default the last"},
    Parameter{"history", "integer", "`1`: all versions, newest first, as `{versions: […]}`"}};

constexpr std::array kRunsPage{
    Parameter{"limit", "integer", "runs of a page, 1 to 1000; 50 by default"},
    Parameter{"offset", "integer", "number of runs to skip"},
    Parameter{"after", "string", "the `next` of the page before; faster than `offset`"},
    Parameter{"sort", "string",
              "`created_at`, `score`, `success_percentage`, `total_cost`, `duration_seconds` or "
              "`price_performance`, `-` in front for descending; `-created_at` by default"},
    Parameter{"status", "string", "one of several, with commas between: `completed,failed`"},
    Parameter{"status__ne", "string", "none of these"},
};
constexpr auto kRunsQuery = [] {
  constexpr std::size_t kFilters = [] {
    std::size_t count = 0;
    store::for_each_filter_key([&](const auto&, std::string_view) { ++count; });
    return count;
  }();
  std::array<Parameter, kRunsPage.size() + kFilters> out{};
  auto next = std::copy(kRunsPage.begin(), kRunsPage.end(), out.begin());
  store::for_each_filter_key([&](const store::FilterKey& key, std::string_view type) {
    *next++ = {key.name, type, key.doc};
  });
  return out;
}();

constexpr std::array kRunQuery{
    Parameter{"results", "integer", "`0`: without results, suite and explanation"}};

constexpr std::array kEventsQuery{
    Parameter{"after", "integer",
              "the id of the last result that the client has, as the header `Last-Event-ID`"}};

constexpr std::array kModelsQuery{
    Parameter{"pattern", "string", "a part of the id, or a glob: `openai/*mini*`"},
    Parameter{"all", "boolean",
              "`true`: also models that cannot run here, with `runnable: false`, "
              "and other names of the same model, with `same_as`"}};

constexpr std::array kIngestQuery{
    Parameter{"agent", "string", "whose executions they are; by default as the log says"},
    Parameter{"version", "string", "of the agent"},
    Parameter{"format", "string", "of the log; by default told by what is in it"},
    Parameter{"task", "string", "the type of the task, instead of what the log tells"},
    Parameter{"complexity", "string", "of the task, likewise"},
    Parameter{"file", "string",
              "the absolute path of the log at the client: a session without an id that comes "
              "again from there is replaced"}};

constexpr std::array kExecutionsQuery{
    Parameter{"limit", "integer", "executions of a page, 1 to 1000; 50 by default"},
    Parameter{"offset", "integer", "executions that are passed over"},
    Parameter{"after", "string", "the `next` of the page before"},
    Parameter{"agent", "string", "`NAME`, or `NAME@VERSION`"},
    Parameter{"version", "string", "of the agent; empty: those without one"},
    Parameter{"session", "string", "the beginning of its id"},
    Parameter{"grade", "string", "exactly"},
    Parameter{"rubric", "string", "its name, exactly"},
    Parameter{"score__gte", "number", "at least"},
    Parameter{"score__lte", "number", "at most"},
    Parameter{"time__gte", "string", "not before: a time, or a day"},
    Parameter{"time__lte", "string", "not after; a day counts in full"}};

constexpr std::array kFitnessQuery{
    Parameter{"version", "string", "of the agent; by default all, compared"}};

constexpr std::array kDecisionsQuery{
    Parameter{"limit", "integer", "decisions of a page, 1 to 1000; 50 by default"},
    Parameter{"offset", "integer", "decisions that are passed over"},
    Parameter{"after", "string", "the `next` of the page before"},
    Parameter{"agent", "string", "of either side, in any version"}};

constexpr std::string_view kSuiteBody =
    R"({"evalSuite": {"metadata": {"name": "capitals", "model": "openai/gpt-4o-mini"}, "evals": [{"prompt": "Capital of France?", "checks": [{"match": "*Paris*"}]}]}, "yamlContent": "metadata:\n  name: capitals\n…"})";

// A client starts a run for each model at once, asks how each goes, and gives up at a 429. What
// it may start is limited by the queue, and by an operator who has lowered the limit of requests.
constexpr std::int64_t kStartsAMinute = 1000;

constexpr std::size_t kMostInviteBody = 4u << 10, kMostValueBody = 256u << 10,
                      kMostFormulaBody = 1u << 20;

constexpr std::array kRoutes{
    Route{
        "POST",
        "/api/eval/run",
        Role::run,
        "starts a run",
        "The suite is `evalSuite`, `yamlContent`, or both: keys that `evalSuite` lacks come from "
        "`yamlContent`. Both are checked in full; what is wrong is a 422 with `diagnostics`. The "
        "suite is saved, the run is in the queue when the answer comes. `options` may have `only` "
        "(a list), `repeat`, `budget` (US dollars), `run_timeout` (seconds), `cache`, `model`, "
        "`system_prompt`, `threads` and `mcp_server`, and nothing else. Instead of a suite, "
        "`resume` or `retryFailed` with the id of a run goes on with that, for what has no result "
        "or what ended with an error; `after` is then the last event that it had before, else 0. "
        "Such a run asks what it asked before: its `options` may have `budget`, `run_timeout`, "
        "`cache`, `threads`, and in `mcp_server` the `authorization_token`, which is not kept with "
        "a run and has to be sent again. `model`, `system_prompt`, `only`, `repeat`, and `url` and "
        "`name` of `mcp_server`, are a 400 there, and so is a token for a run without tools. 409 "
        "while it is at work; 422 where it has nothing left to ask, or its cases or variables "
        "have changed since. 429 where too many runs wait, 402 where the credits are spent.",
        {},
        kSuiteBody,
        R"({"runId": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "isUpdate": false, "after": 0, "suiteName": "capitals", "model": "openai/gpt-4o-mini", "warnings": []})",
        start_run,
        Where::workers,
        false,
        kMostBodyBytes,
        "application/json",
        kStartsAMinute},
    Route{
        "GET", "/api/eval/status/:id", Role::read, "how a run goes",
        "Held until the run is finished, however long that takes; a held request uses no thread. "
        "After 20 seconds (`status_heartbeat`) the answer begins, with 200: a space every 20 "
        "seconds keeps proxies from ending it, and the JSON follows when the run is finished. If "
        "the server stops, or the key is revoked, before the answer has begun, the client gets a "
        "503 or 401; after that, the connection is closed early. Results come in the order in "
        "which they were finished. A run that was cancelled is `failed` here, with the reason in "
        "`error`; in a `partial_failure`, `error` says why the first sample failed. An eval "
        "without a name is named by its prompt.",
        kWait, "",
        R"({"status": "completed", "suiteName": "capitals", "model": "openai/gpt-4o-mini", "systemPrompt": "", "isUpdate": false, "totalTimeMs": 812, "score": 100, "scoreFormula": "success_pct", "results": [{"evalName": "Capital of France?", "prompt": "Capital of France?", "response": "Paris.", "passed": true, "checkResults": [{"type": "match", "passed": true, "message": "Pattern \"*Paris*\" found in response"}], "executionTimeMs": 790, "cost": 0.0000045}]})",
        get_status, Where::workers, false, kMostBodyBytes, "application/json", kStartsAMinute},
    Route{
        "GET",
        "/api/suite/list",
        Role::read,
        "lists suites",
        "By name, without their texts.",
        {},
        "",
        R"({"suites": [{"name": "capitals", "lastRun": "2026-11-16T08:30:00.000Z", "lastEdit": "2026-11-16T08:29:00.000Z", "evalCount": 1, "version": 1}]})",
        get_suites},
    Route{
        "GET", "/api/suite/:name", Role::read, "shows a suite",
        "Each edit of its text is a version.", kSuiteQuery, "",
        R"({"suite": {"name": "capitals", "yamlContent": "metadata:\n  name: capitals\n…", "lastRun": null, "lastEdit": "2026-11-16T08:29:00.000Z", "evalCount": 1, "version": 1}})",
        get_suite, Where::workers},
    Route{
        "POST",
        "/api/suite/save",
        Role::run,
        "saves a suite",
        "Checked in full, as by a start: programs and files of the server's machine that suites "
        "may not use are a 422. `list` is not allowed as a name.",
        {},
        kSuiteBody,
        R"({"success": true, "name": "capitals", "isUpdate": true, "changed": false, "version": 1, "warnings": []})",
        save_suite,
        Where::workers},
    Route{
        "GET", "/api/runs", Role::read, "lists runs",
        "Conditions add up; a run without the figure is outside every bound on it. `total` is "
        "counted up to 10000 where there are conditions. A bad value is a 400 that begins with "
        "`Invalid filter` and names it, and so is a name with `__` that is not listed here.",
        kRunsQuery, "",
        R"({"runs": [{"id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "suite_name": "capitals", "model": "openai/gpt-4o-mini", "status": "completed", "…": "…"}], "pagination": {"total": 1, "hasMore": false}})",
        get_runs, Where::by_query},
    Route{
        "GET", "/api/runs/:id", Role::read, "shows a run",
        "By its id, the first characters of it where no other run has them (at least 4), or "
        "`last`. With its results, the text of its suite and the tree of its score. If there was "
        "no answer, `error` says why, and so does the only entry of `check_results`, of type "
        "`error`. An eval without a name is named by its prompt; `label` is what `vibe` calls it.",
        kRunQuery, "",
        R"({"run": {"id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "suite_name": "capitals", "status": "completed", "results_count": "1", "score": 100, "results": [{"eval_name": "Capital of France?", "label": "eval 1", "passed": true, "…": "…"}], "…": "…"}})",
        get_run, Where::workers},
    Route{.method = "GET",
          .path = "/api/runs/:id/figures",
          .role = Role::read,
          .summary = "gives the figures of a run",
          .details = "What its formula was evaluated on, without prompts and responses, in the "
                     "compact format that `vibe` keeps: enough to score and explain the run again. "
                     "Empty if the run has none.",
          .query = {},
          .request = "",
          .response = "",
          .answer = get_run_figures,
          .where = Where::workers,
          .response_type = "application/octet-stream"},
    Route{"POST",
          "/api/runs/:id/cancel",
          Role::run,
          "cancels a run",
          "Requests in flight are given up; results so far are kept. 409 where the run is neither "
          "queued nor running.",
          {},
          "",
          R"({"success": true, "cancelled": true})",
          cancel_run,
          Where::workers},
    Route{.method = "GET",
          .path = "/api/runs/:id/events",
          .role = Role::read,
          .summary = "follows a run",
          .details =
              "Server-Sent Events. `result`: a result as of `GET /api/runs/:id`, with an `id`; "
              "`progress`: `{done, total, passed}`; `status`: the run without results, when its "
              "status changes. Ends with the run, after a last `status`. A connection that broke "
              "goes on after the event that `Last-Event-ID` names. A comment comes every 15 "
              "seconds.",
          .query = kEventsQuery,
          .request = "",
          .response = "retry: 1000\n\nid: 1\nevent: result\ndata: {\"eval_name\": \"Capital of "
                      "France?\", …}\n\n"
                      "event: progress\ndata: {\"done\":1,\"total\":1,\"passed\":1}\n\n",
          .answer = get_events,
          .where = Where::workers,
          .response_type = "text/event-stream"},
    Route{"GET",
          "/api/runtime/vars",
          Role::read,
          "lists variables",
          "",
          {},
          "",
          R"({"vars": [{"name": "city", "value": "Paris"}]})",
          get_variables},
    Route{"POST",
          "/api/runtime/vars",
          Role::run,
          "sets a variable",
          "One of this name is replaced.",
          {},
          R"({"name": "city", "value": "Paris"})",
          R"({"success": true, "name": "city", "created": true})",
          set_variable,
          Where::workers,
          false,
          kMostValueBody},
    Route{"GET",
          "/api/runtime/vars/:name",
          Role::read,
          "shows a variable",
          "",
          {},
          "",
          R"({"name": "city", "value": "Paris"})",
          get_variable},
    Route{"PUT",
          "/api/runtime/vars/:name",
          Role::run,
          "sets a variable",
          "",
          {},
          R"({"value": "Paris"})",
          R"({"success": true, "name": "city", "created": false})",
          put_variable,
          Where::workers,
          false,
          kMostValueBody},
    Route{"DELETE",
          "/api/runtime/vars/:name",
          Role::run,
          "deletes a variable",
          "",
          {},
          "",
          R"({"success": true})",
          delete_variable,
          Where::workers,
          false,
          kMostValueBody},
    Route{"GET",
          "/api/runtime/secrets",
          Role::read,
          "lists the names of secrets",
          "Their values cannot be read.",
          {},
          "",
          R"({"secrets": [{"name": "token"}]})",
          get_secrets},
    Route{"POST",
          "/api/runtime/secrets",
          Role::run,
          "sets a secret",
          "One of this name is replaced.",
          {},
          R"({"name": "token", "value": "s3cret"})",
          R"({"success": true, "name": "token", "created": true})",
          set_secret,
          Where::workers,
          false,
          kMostValueBody},
    Route{"PUT",
          "/api/runtime/secrets/:name",
          Role::run,
          "sets a secret",
          "",
          {},
          R"({"value": "s3cret"})",
          R"({"success": true, "name": "token", "created": false})",
          put_secret,
          Where::workers,
          false,
          kMostValueBody},
    Route{"DELETE",
          "/api/runtime/secrets/:name",
          Role::run,
          "deletes a secret",
          "",
          {},
          "",
          R"({"success": true})",
          delete_secret,
          Where::workers,
          false,
          kMostValueBody},
    Route{
        "GET", "/api/models", Role::read, "lists models",
        "Models with a known price that the server has a key for. Prices are US dollars per "
        "token, as strings. `supported_parameters` lists what requests can set; `tools` means that "
        "the model can be given tools.",
        kModelsQuery, "",
        R"({"models": [{"id": "openai/gpt-4o-mini", "name": "GPT-4o-mini", "description": "…", "supported_parameters": ["max_tokens", "seed", "temperature", "tools", "top_p"], "pricing": {"prompt": "0.00000015", "completion": "0.0000006"}, "runnable": true}]})",
        get_models, Where::workers},
    Route{
        "GET",
        "/api/orginfo",
        Role::read,
        "shows the caller's organisation",
        "`credits` are US dollars that are left, 999999999 where `unlimited`; `role` is that of "
        "the key.",
        {},
        "",
        R"({"name": "Acme", "slug": "acme", "status": "active", "credits": 25, "created_at": "2026-11-16T08:00:00.000Z", "id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "unlimited": false, "spent": 0, "role": "admin"})",
        get_organisation},
    Route{
        "POST",
        "/api/invites/redeem",
        kAnyone,
        "gives a key for an invitation",
        "Once. 400 where it has expired or was used, 404 where it is not known.",
        {},
        R"({"code": "…"})",
        R"({"apiKey": "vibe_…", "org": {"id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "slug": "acme", "name": "Acme", "credits": 25}})",
        redeem_invite,
        Where::workers,
        false,
        kMostInviteBody},
    Route{"GET",
          "/api/version",
          kAnyone,
          "the server's version",
          "",
          {},
          "",
          R"({"version": "0.1.0"})",
          get_version},
    Route{
        "POST",
        "/api/formula/check",
        Role::read,
        "checks a formula",
        "Alone, taking unknown words for evals; with the names of the suite in `yamlContent`; or "
        "without `formula` that of the suite itself. `range` is what the score can be, null "
        "where it has no bound.",
        {},
        R"({"formula": "success_pct - 10 * avg_latency", "yamlContent": null})",
        R"({"valid": true, "diagnostics": [], "variables": ["success_pct", "avg_latency"], "range": {"low": null, "high": 100, "undefined": "perhaps"}, "metrics": []})",
        check_formula,
        Where::workers,
        false,
        kMostFormulaBody},
    Route{
        .method = "POST",
        .path = "/api/executions",
        .role = Role::run,
        .summary = "scores executions of agents, and keeps them",
        .details =
            "The body is a log in any format that `vibe fitness score` reads, hook events as "
            "lines of JSON among them; also packed by gzip or zstd. It may be larger than other "
            "bodies: `max_upload_mib` of the configuration, `max_unpacked_mib` once it is "
            "unpacked, and `max_upload_sessions` sessions. A session that is kept already "
            "is replaced.",
        .query = kIngestQuery,
        .request = "{\"type\": \"user\", …}\n{\"type\": \"assistant\", …}\n",
        .response =
            R"({"executions": [{"execution_id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "score": 82.5, "grade": "B", "…": "…"}], "diagnostics": []})",
        .answer = add_executions,
        .where = Where::workers,
        .takes_file = true},
    Route{
        "GET", "/api/executions", Role::read, "lists scored executions",
        "Newest first. Filters that are wrong are refused as by `GET /api/runs`.", kExecutionsQuery,
        "",
        R"({"executions": [{"execution_id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "score": 82.5, "grade": "B", "…": "…"}], "pagination": {"total": 1, "hasMore": false}})",
        get_executions, Where::workers},
    Route{
        "GET",
        "/api/executions/:id",
        Role::read,
        "shows a scored execution",
        "By its id, the first characters of it (at least 4), or `last`.",
        {},
        "",
        R"({"execution_id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "score": 82.5, "grade": "B", "…": "…"})",
        get_execution},
    Route{"GET", "/api/agents/:name/fitness", Role::read, "the trend of an agent's scores",
          "As `vibe fitness trend --agent NAME --json` prints it: the aggregate, every execution "
          "with its weight, and how versions compare.",
          kFitnessQuery, "", "", get_agent_fitness, Where::workers},
    Route{
        "POST",
        "/api/decisions",
        Role::run,
        "decides whether a changed agent is kept",
        "A side is a score, or `NAME@VERSION` of which executions are kept. The decision is "
        "kept.",
        {},
        R"({"old": "reviewer@v1", "new": 81.5, "seed": 42})",
        R"({"decision_id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "accept": true, "reason": "marginal_improvement", "…": "…"})",
        add_decision,
        Where::workers},
    Route{
        "GET", "/api/decisions", Role::read, "lists decisions", "Newest first.", kDecisionsQuery,
        "",
        R"({"decisions": [{"decision_id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "accept": true, "…": "…"}], "pagination": {"total": 1, "hasMore": false}})",
        get_decisions, Where::workers},
    Route{"GET",
          "/api/openapi.json",
          Role::read,
          "describes this API",
          "OpenAPI 3.1.",
          {},
          "",
          "",
          get_openapi},
    Route{.method = "GET",
          .path = "/metrics",
          .role = Role::admin,
          .summary = "figures about the server",
          .details =
              "For those who run the server: an admin of its first organisation. As Prometheus "
              "reads them, of all organisations together: queue depth, runs by "
              "state, requests with a histogram of their latency, samples, errors of "
              "providers, connections.",
          .query = {},
          .request = "",
          .response = "vibecheck_queue_waiting 0\n",
          .answer = get_metrics,
          .where = Where::workers,
          .response_type = "text/plain"},
    Route{"GET",
          "/healthz",
          kAnyone,
          "whether the server lives",
          "",
          {},
          "",
          R"({"status": "ok"})",
          get_health},
    Route{"GET",
          "/readyz",
          kAnyone,
          "whether the server can answer",
          "503 while it cannot reach its store, or stops.",
          {},
          "",
          R"({"status": "ready"})",
          get_readiness},
};

// What stands in the places of the parameters; none: another path.
std::optional<std::vector<std::string>> match(std::string_view path,
                                              const std::vector<std::string>& segments) {
  std::vector<std::string> parameters;
  for (const auto& segment : segments) {
    if (path.empty()) return std::nullopt;
    path.remove_prefix(1);  // the slash
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(part.size());
    if (part.starts_with(':') && !segment.empty())
      parameters.push_back(segment);
    else if (part != segment)
      return std::nullopt;
  }
  return path.empty() ? std::optional(std::move(parameters)) : std::nullopt;
}

bool has_parameter(std::string_view path) { return path.find(':') != path.npos; }

}  // namespace

std::span<const Route> routes() { return kRoutes; }

// One without parameters comes before one with: `list` is no suite, while `save` may be one.
Found find_route(std::string_view method, const std::vector<std::string>& segments) {
  std::vector<std::string_view> allowed;
  for (const bool with_parameters : {false, true}) {
    for (const auto& route : kRoutes) {
      if (has_parameter(route.path) != with_parameters) continue;
      auto parameters = match(route.path, segments);
      if (!parameters) continue;
      if (route.method == method) return {&route, *std::move(parameters), {}};
      if (std::find(allowed.begin(), allowed.end(), route.method) == allowed.end())
        allowed.push_back(route.method);
    }
  }
  return {nullptr, {}, fmt::format("{}", fmt::join(allowed, ", "))};
}

}  // namespace vibe::server
