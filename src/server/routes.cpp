// The route table. A path is split once; there are few enough routes to compare each.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "server/body_schema.h"
#include "server/handlers.h"
#include "store/run_filters.h"

namespace vibe::server {

namespace {

using store::Role;
constexpr std::nullopt_t kAnyone = std::nullopt;

constexpr std::array kWait{Parameter{"wait", "number",
                                     "maximum time to hold the request, in seconds; `0` responds "
                                     "at once; by default until the run ends"}};

constexpr std::array kSuiteQuery{
    Parameter{"version", "integer", "version number; by default the newest"},
    Parameter{"history", "integer", "`1` lists all versions, newest first, as `{versions: […]}`"}};

constexpr std::array kRunsPage{
    Parameter{"limit", "integer", "runs per page, 1 to 1000; 50 by default"},
    Parameter{"offset", "integer", "number of runs to skip"},
    Parameter{"after", "string", "`next` from the previous page; faster than `offset`"},
    Parameter{
        "sort", "string",
        "`created_at`, `score`, `success_percentage`, `total_cost`, `duration_seconds` or "
        "`price_performance`, prefixed with `-` for descending order; `-created_at` by default"},
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
    Parameter{"results", "integer", "`0` omits results, suite and explanation"}};

constexpr std::array kCompareQuery{
    Parameter{"base", "string",
              "a run: its id, a unique prefix of it, `last`, `last~N` (the N-th run of the same "
              "suite before the last), or `SUITE@MODEL` (the newest)"},
    Parameter{"candidate", "string", "one or more such runs, separated by commas"},
    Parameter{"formula", "string", "compares by this formula, not the candidate's"},
    Parameter{"guard", "string",
              "metrics, evals or run-wide metrics that must not get worse, separated by commas; "
              "`NAME:lower` or `NAME:higher` says which is better"},
    Parameter{"margin", "number", "smaller differences do not matter"},
    Parameter{"min_effect", "number",
              "smaller differences count as none; `needed` says how many evals would show it"},
    Parameter{"superior_by", "number", "`better` means by at least this"},
    Parameter{"not_worse_than", "number", "how much worse the candidate may be: see `not_worse`"},
    Parameter{"level", "number", "the level of intervals, 0.5 to 0.99; 0.95 by default"},
    Parameter{"seed", "integer", "the seed of the draws; 1 by default"},
    Parameter{"draws", "integer",
              "100 to 10000; by default as many as the size of the runs allows"}};

constexpr std::array kEventsQuery{
    Parameter{"after", "integer",
              "id of the last result that the client has, like the `Last-Event-ID` header"}};

constexpr std::array kModelsQuery{
    Parameter{"pattern", "string", "part of the id, or a glob: `openai/*mini*`"},
    Parameter{"all", "boolean",
              "`true` also lists models that cannot run here, with `runnable: false`, and aliases "
              "of models, with `same_as`"}};

constexpr std::array kIngestQuery{
    Parameter{"agent", "string", "the agent's name; by default from the log"},
    Parameter{"version", "string", "the agent's version"},
    Parameter{"format", "string", "the log format; by default detected from the content"},
    Parameter{"task", "string", "the task type, instead of the one in the log"},
    Parameter{"complexity", "string", "the task complexity, instead of the one in the log"},
    Parameter{"file", "string",
              "absolute path of the log on the client; a session without an id replaces the one "
              "stored from the same path"}};

constexpr std::array kExecutionsQuery{
    Parameter{"limit", "integer", "executions per page, 1 to 1000; 50 by default"},
    Parameter{"offset", "integer", "number of executions to skip"},
    Parameter{"after", "string", "`next` from the previous page"},
    Parameter{"agent", "string", "`NAME` or `NAME@VERSION`"},
    Parameter{"version", "string",
              "the agent's version; an empty value selects executions without a version"},
    Parameter{"session", "string", "prefix of the session id"},
    Parameter{"grade", "string", "exact grade"},
    Parameter{"rubric", "string", "exact name of the rubric"},
    Parameter{"score__gte", "number", "minimum"},
    Parameter{"score__lte", "number", "maximum"},
    Parameter{"time__gte", "string", "earliest time, or a day"},
    Parameter{"time__lte", "string", "latest time; a date includes the whole day"}};

constexpr std::array kFitnessQuery{
    Parameter{"version", "string", "the agent's version; by default all versions are compared"}};

constexpr std::array kDecisionsQuery{
    Parameter{"limit", "integer", "decisions per page, 1 to 1000; 50 by default"},
    Parameter{"offset", "integer", "number of decisions to skip"},
    Parameter{"after", "string", "`next` from the previous page"},
    Parameter{"agent", "string", "the agent before or after the change, in any version"}};

constexpr std::string_view kSuiteBody =
    R"({"evalSuite": {"metadata": {"name": "capitals", "model": "openai/gpt-4o-mini"}, "evals": [{"prompt": "Capital of France?", "checks": [{"match": "*Paris*"}]}]}, "yamlContent": "metadata:\n  name: capitals\n…"})";

// A client starts a run for each model at once, polls each, and gives up at a 429. The queue limits
// what it may start, and so does an operator who has lowered the request limit.
constexpr std::int64_t kStartsAMinute = 1000;

constexpr std::size_t kMostInviteBody = 4u << 10, kMostValueBody = 256u << 10,
                      kMostFormulaBody = 1u << 20;

constexpr std::array kRoutes{
    Route{
        .method = "POST",
        .path = "/api/eval/run",
        .role = Role::run,
        .summary = "starts a run",
        .details =
            "The suite is in `evalSuite`, `yamlContent` or both; `yamlContent` supplies the keys "
            "that `evalSuite` lacks. Both are fully checked; errors are a 422 with `diagnostics`. "
            "The server saves the suite and queues the run before it responds. To resume an "
            "earlier run, send `resume` or `retryFailed` instead of a suite; `after` in the "
            "response is then the run's last event so far, otherwise 0. A resumed run sends the "
            "same prompts as before, so you can set only the options `budget`, `run_timeout`, "
            "`cache`, `threads` and the `authorization_token` of `mcp_server`, which must be sent "
            "again. With `again` instead, a new run sends all prompts of the earlier one. Other "
            "options are a 400, as is a token for a run without tools. 409 if the run "
            "is in progress; 422 if it has nothing left to run, or if its cases or variables have "
            "changed. 429 if too many runs are waiting; 402 if the credits are used up.",
        .query = {},
        .request = kSuiteBody,
        .response =
            R"({"runId": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "isUpdate": false, "after": 0, "suiteName": "capitals", "model": "openai/gpt-4o-mini", "warnings": []})",
        .answer = start_run,
        .where = Where::workers,
        .usual_a_minute = kStartsAMinute,
        .body = &kStartKeys},
    Route{
        "GET", "/api/eval/status/:id", Role::read, "shows the progress of a run",
        "The server holds the request until the run is finished, however long that takes; a held "
        "request uses no thread. After 20 seconds (`status_heartbeat`) the response begins with "
        "status 200. A space every 20 seconds then keeps proxies from closing the connection, and "
        "the JSON follows when the run is finished. If the server stops or the key is revoked "
        "before the response has begun, the client gets a 503 or 401; after that, the connection "
        "is closed early. Results are in the order in which they finished. A cancelled run is "
        "reported as `failed`, with the reason in `error`; for a `partial_failure`, `error` says "
        "why the first of its failed samples failed. An eval without a name is identified by its "
        "prompt.",
        kWait, "",
        R"({"status": "completed", "suiteName": "capitals", "model": "openai/gpt-4o-mini", "systemPrompt": "", "isUpdate": false, "totalTimeMs": 812, "score": 100, "scoreFormula": "success_pct", "results": [{"evalName": "Capital of France?", "prompt": "Capital of France?", "response": "Paris.", "passed": true, "checkResults": [{"type": "match", "passed": true, "message": "Pattern \"*Paris*\" found in response"}], "executionTimeMs": 790, "cost": 0.0000045}]})",
        get_status, Where::workers, false, kMostBodyBytes, "application/json", kStartsAMinute},
    Route{
        "GET",
        "/api/suite/list",
        Role::read,
        "lists suites",
        "Sorted by name; the response does not include the text of the suites.",
        {},
        "",
        R"({"suites": [{"name": "capitals", "lastRun": "2026-11-16T08:30:00.000Z", "lastEdit": "2026-11-16T08:29:00.000Z", "evalCount": 1, "version": 1}]})",
        get_suites},
    Route{
        "GET", "/api/suite/:name", Role::read, "shows a suite",
        "Every edit of a suite creates a new version.", kSuiteQuery, "",
        R"({"suite": {"name": "capitals", "yamlContent": "metadata:\n  name: capitals\n…", "lastRun": null, "lastEdit": "2026-11-16T08:29:00.000Z", "evalCount": 1, "version": 1}})",
        get_suite, Where::workers},
    Route{
        .method = "POST",
        .path = "/api/suite/save",
        .role = Role::run,
        .summary = "saves a suite",
        .details =
            "The suite is fully checked, as when you start a run: a suite that uses programs or "
            "files on the server without permission is a 422. A suite cannot be named `list`.",
        .query = {},
        .request = kSuiteBody,
        .response =
            R"({"success": true, "name": "capitals", "isUpdate": true, "changed": false, "version": 1, "warnings": []})",
        .answer = save_suite,
        .where = Where::workers,
        .body = &kSuiteKeys},
    Route{
        "GET", "/api/runs", Role::read, "lists runs",
        "A run must match all filters; a bound on a value excludes runs without that value. With "
        "filters, `total` counts up to 10000. An invalid value is a 400 whose message begins with "
        "`Invalid filter` and the parameter's name; so is an unknown parameter with `__` in its "
        "name.",
        kRunsQuery, "",
        R"({"runs": [{"id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "suite_name": "capitals", "model": "openai/gpt-4o-mini", "status": "completed", "…": "…"}], "pagination": {"total": 1, "hasMore": false}})",
        get_runs, Where::by_query},
    Route{
        "GET", "/api/runs/:id", Role::read, "shows a run",
        "`:id` is the run's id, a unique prefix of it (at least 4 characters), or `last`. The "
        "response includes the results, the suite's text and the explanation of the score. If a "
        "sample got no answer, `error` says why, as does the only entry in its `check_results`, of "
        "type `error`. An eval without a name is identified by its prompt; `label` is the name "
        "that `vibe` shows.",
        kRunQuery, "",
        R"({"run": {"id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "suite_name": "capitals", "status": "completed", "results_count": "1", "score": 100, "results": [{"eval_name": "Capital of France?", "label": "eval 1", "passed": true, "…": "…"}], "…": "…"}})",
        get_run, Where::workers},
    Route{.method = "GET",
          .path = "/api/runs/:id/figures",
          .role = Role::read,
          .summary = "returns the figures of a run",
          .details = "These are the values that the run's formula uses, without prompts and "
                     "responses, in the compact format that `vibe` stores: enough to score and "
                     "explain the run again. The response is empty if the run has no figures.",
          .query = {},
          .request = "",
          .response = "",
          .answer = get_run_figures,
          .where = Where::workers,
          .response_type = "application/octet-stream"},
    Route{
        .method = "GET",
        .path = "/api/compare",
        .role = Role::read,
        .summary = "compares runs",
        .details =
            "Says whether each candidate is better than the base, over the evals that both have: "
            "the difference of the scores with its intervals, exact tests, a verdict (`better`, "
            "`better_on_these_evals`, `worse`, `worse_on_these_evals`, "
            "`no_difference_that_matters`, `no_difference_shown`), what each eval and each term "
            "of the formula adds, and the smallest difference that could have been shown. One "
            "candidate is an object, several are an array under `comparisons`. Nothing stored is "
            "changed.",
        .query = kCompareQuery,
        .request = "",
        .response =
            R"({"base": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "candidate": "019a8e0d-…", "formula": "success_pct", "score": [70, 80], "difference": 10, "these_evals": {"interval": {"low": 2.1, "high": 18.4, "level": 0.95}, "p": 0.01, "p_up": 0.005, "p_down": 0.998, "shown": true}, "verdict": "better_on_these_evals", "…": "…"})",
        .answer = get_comparison,
        .where = Where::workers},
    Route{
        .method = "POST",
        .path = "/api/rescore",
        .role = Role::read,
        .summary = "scores stored runs by another formula",
        .details =
            "What would all stored runs have scored? No model is asked, and no stored score "
            "changes. The response is lines of JSON: `{\"progress\": {\"done\", \"total\"}}` "
            "while it takes long (`total` is 0 until it is known), one `{\"summary\": {…}}`, then "
            "a "
            "`{\"run\": {…}}` for each of the newest `rows` runs that match. Ranks are among the "
            "completed runs of whole suites that match; equal scores share a rank. `error` says "
            "why a run has no new score; `unscored` counts the reasons. `keep` stores the scores "
            "for `GET /api/runs/:id`; 409 if the name is used for another formula. A formula that "
            "is wrong, or names what no stored run has, is a 422 with `diagnostics`.",
        .query = {},
        .request =
            R"({"formula": "success_pct / total_cost", "filter": {"suite_name": "capitals"}, "rows": 1})",
        .response =
            R"({"summary": {"formula": "success_pct / total_cost", "runs": 2, "scored": 2, "changed": 2, "ranked": 2, "moved": 0, "before": {"least": 80, "median": 90, "mean": 90, "most": 100}, "…": "…"}}
{"run": {"id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "suite_name": "capitals", "model": "openai/gpt-4o-mini", "created_at": "2026-11-16T08:30:00.000Z", "score_before": 100, "score_after": 5000, "error": null, "rank_before": 1, "rank_after": 1, "passed_before": null, "passes_after": null}})",
        .answer = rescore_runs,
        .where = Where::workers,
        .most_bytes = kMostFormulaBody,
        .response_type = "application/x-ndjson",
        .body = &kRescoreKeys},
    Route{"POST",
          "/api/runs/:id/cancel",
          Role::run,
          "cancels a run",
          "Requests in flight are cancelled; results so far are kept. 409 if the run is neither "
          "queued nor running.",
          {},
          "",
          R"({"success": true, "cancelled": true})",
          cancel_run,
          Where::workers},
    Route{.method = "GET",
          .path = "/api/runs/:id/events",
          .role = Role::read,
          .summary = "streams the events of a run",
          .details =
              "The response is a stream of Server-Sent Events: `result` is a result as in `GET "
              "/api/runs/:id`, with an `id`; `progress` is `{done, total, passed}`; `status` is "
              "the run without results, sent when its status changes. The stream ends with the "
              "run, after a last `status`. A client that reconnects continues after the event in "
              "`Last-Event-ID`. The server sends a comment every 15 seconds.",
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
    Route{.method = "POST",
          .path = "/api/runtime/vars",
          .role = Role::run,
          .summary = "sets a variable",
          .details = "Replaces a variable of the same name.",
          .query = {},
          .request = R"({"name": "city", "value": "Paris"})",
          .response = R"({"success": true, "name": "city", "created": true})",
          .answer = set_variable,
          .where = Where::workers,
          .most_bytes = kMostValueBody,
          .body = &kNamedValueKeys},
    Route{"GET",
          "/api/runtime/vars/:name",
          Role::read,
          "shows a variable",
          "",
          {},
          "",
          R"({"name": "city", "value": "Paris"})",
          get_variable},
    Route{.method = "PUT",
          .path = "/api/runtime/vars/:name",
          .role = Role::run,
          .summary = "sets a variable",
          .details = "",
          .query = {},
          .request = R"({"value": "Paris"})",
          .response = R"({"success": true, "name": "city", "created": false})",
          .answer = put_variable,
          .where = Where::workers,
          .most_bytes = kMostValueBody,
          .body = &kValueKeys},
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
          "lists secret names",
          "Their values cannot be read.",
          {},
          "",
          R"({"secrets": [{"name": "token"}]})",
          get_secrets},
    Route{.method = "POST",
          .path = "/api/runtime/secrets",
          .role = Role::run,
          .summary = "sets a secret",
          .details = "Replaces a secret of the same name.",
          .query = {},
          .request = R"({"name": "token", "value": "s3cret"})",
          .response = R"({"success": true, "name": "token", "created": true})",
          .answer = set_secret,
          .where = Where::workers,
          .most_bytes = kMostValueBody,
          .body = &kNamedValueKeys},
    Route{.method = "PUT",
          .path = "/api/runtime/secrets/:name",
          .role = Role::run,
          .summary = "sets a secret",
          .details = "",
          .query = {},
          .request = R"({"value": "s3cret"})",
          .response = R"({"success": true, "name": "token", "created": false})",
          .answer = put_secret,
          .where = Where::workers,
          .most_bytes = kMostValueBody,
          .body = &kValueKeys},
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
        "By default, only models that have a known price and for which the server has a key. "
        "Prices are in US dollars per token, as strings. `supported_parameters` lists what "
        "requests can set; `tools` means that the model supports tool calls.",
        kModelsQuery, "",
        R"({"models": [{"id": "openai/gpt-4o-mini", "name": "GPT-4o-mini", "description": "…", "supported_parameters": ["max_tokens", "seed", "temperature", "tools", "top_p"], "pricing": {"prompt": "0.00000015", "completion": "0.0000006"}, "runnable": true}]})",
        get_models, Where::workers},
    Route{
        "GET",
        "/api/orginfo",
        Role::read,
        "shows the caller's organisation",
        "`credits` is the remaining credit in US dollars, 999999999 if `unlimited`; `role` is the "
        "key's role.",
        {},
        "",
        R"({"name": "Acme", "slug": "acme", "status": "active", "credits": 25, "created_at": "2026-11-16T08:00:00.000Z", "id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "unlimited": false, "spent": 0, "role": "admin"})",
        get_organisation},
    Route{
        .method = "POST",
        .path = "/api/invites/redeem",
        .role = kAnyone,
        .summary = "exchanges an invitation code for a key",
        .details =
            "A code works once. 400 if it has expired or was already used, 404 if it is unknown.",
        .query = {},
        .request = R"({"code": "…"})",
        .response =
            R"({"apiKey": "vibe_…", "org": {"id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "slug": "acme", "name": "Acme", "credits": 25}})",
        .answer = redeem_invite,
        .where = Where::workers,
        .most_bytes = kMostInviteBody,
        .body = &kInviteKeys},
    Route{"GET",
          "/api/version",
          kAnyone,
          "returns the server's version",
          "",
          {},
          "",
          R"({"version": "0.1.0"})",
          get_version},
    Route{
        .method = "POST",
        .path = "/api/formula/check",
        .role = Role::read,
        .summary = "checks a formula",
        .details =
            "Names are checked against the suite in `yamlContent`; without a suite, unknown names "
            "are assumed to be evals. Without `formula`, the suite's formula is checked. `range` "
            "is the range of possible scores; `low` or `high` is null if there is no bound.",
        .query = {},
        .request = R"({"formula": "success_pct - 10 * avg_latency", "yamlContent": null})",
        .response =
            R"({"valid": true, "diagnostics": [], "variables": ["success_pct", "avg_latency"], "range": {"low": null, "high": 100, "undefined": "perhaps"}, "metrics": []})",
        .answer = check_formula,
        .where = Where::workers,
        .most_bytes = kMostFormulaBody,
        .body = &kFormulaKeys},
    Route{
        .method = "POST",
        .path = "/api/executions",
        .role = Role::run,
        .summary = "scores and stores agent executions",
        .details =
            "The body is a log in any format that `vibe fitness score` reads, including hook "
            "events as JSON lines. It can be compressed with gzip or zstd. It may be larger than "
            "other bodies; the settings `max_upload_mib`, `max_unpacked_mib` (after decompression) "
            "and `max_upload_sessions` limit it. A session that is already stored is replaced.",
        .query = kIngestQuery,
        .request = "{\"type\": \"user\", …}\n{\"type\": \"assistant\", …}\n",
        .response =
            R"({"executions": [{"execution_id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "score": 82.5, "grade": "B", "…": "…"}], "diagnostics": []})",
        .answer = add_executions,
        .where = Where::workers,
        .takes_file = true},
    Route{
        "GET", "/api/executions", Role::read, "lists scored executions, newest first",
        "Invalid filters are rejected as in `GET /api/runs`.", kExecutionsQuery, "",
        R"({"executions": [{"execution_id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "score": 82.5, "grade": "B", "…": "…"}], "pagination": {"total": 1, "hasMore": false}})",
        get_executions, Where::workers},
    Route{
        "GET",
        "/api/executions/:id",
        Role::read,
        "shows a scored execution",
        "`:id` is the execution's id, a prefix of it (at least 4 characters), or `last`.",
        {},
        "",
        R"({"execution_id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "score": 82.5, "grade": "B", "…": "…"})",
        get_execution},
    Route{"GET", "/api/agents/:name/fitness", Role::read, "returns an agent's score trend",
          "As printed by `vibe fitness trend --agent NAME --json`: the aggregate, every execution "
          "with its weight, and a comparison of versions.",
          kFitnessQuery, "", "", get_agent_fitness, Where::workers},
    Route{
        .method = "POST",
        .path = "/api/decisions",
        .role = Role::run,
        .summary = "decides whether to keep a changed agent",
        .details = "`old` and `new` are scores, or `NAME@VERSION` of agents with stored "
                   "executions. The decision is stored.",
        .query = {},
        .request = R"({"old": "reviewer@v1", "new": 81.5, "seed": 42})",
        .response =
            R"({"decision_id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "accept": true, "reason": "marginal_improvement", "…": "…"})",
        .answer = add_decision,
        .where = Where::workers,
        .body = &kDecisionKeys},
    Route{
        "GET", "/api/decisions", Role::read, "lists decisions, newest first", "", kDecisionsQuery,
        "",
        R"({"decisions": [{"decision_id": "019a8e0c-6f3d-7c1a-9d53-0d9a2c3b4e5f", "accept": true, "…": "…"}], "pagination": {"total": 1, "hasMore": false}})",
        get_decisions, Where::workers},
    Route{"GET",
          "/api/openapi.json",
          Role::read,
          "describes this API",
          "The format is OpenAPI 3.1.",
          {},
          "",
          "",
          get_openapi},
    Route{
        .method = "GET",
        .path = "/metrics",
        .role = Role::admin,
        .summary = "returns the server's metrics",
        .details =
            "For the operator: requires an admin key of the server's first organisation. The "
            "response is in the Prometheus format and covers all organisations: queue depth, runs "
            "by state, requests with a latency histogram, samples, provider errors, connections.",
        .query = {},
        .request = "",
        .response = "vibecheck_queue_waiting 0\n",
        .answer = get_metrics,
        .where = Where::workers,
        .response_type = "text/plain"},
    Route{"GET",
          "/healthz",
          kAnyone,
          "reports whether the server is alive",
          "",
          {},
          "",
          R"({"status": "ok"})",
          get_health},
    Route{"GET",
          "/readyz",
          kAnyone,
          "reports whether the server can handle requests",
          "503 if the server cannot reach its store or is stopping.",
          {},
          "",
          R"({"status": "ready"})",
          get_readiness},
};

static_assert(std::all_of(kRoutes.begin(), kRoutes.end(), [](const Route& route) {
  return route.body == nullptr || small_enough(*route.body);
}));

// The values of the path parameters; none: another path.
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

// A path without parameters comes first: `list` is not a suite, while `save` may be one.
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
