#include "wire/status.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/json.h"
#include "wire/run.h"

namespace vibe::wire {

using base::JsonWriter;
using score::RunStatus;

namespace {

double millis(double seconds) { return std::round(seconds * 1000); }

double taken(const RunState& state) {
  const score::Run& run = state.run;
  if (run.duration) return millis(*run.duration);
  if (!run.started_at) return 0;
  return static_cast<double>(
      std::max<score::Millis>(0, run.completed_at.value_or(state.now) - *run.started_at));
}

void write_check_result(JsonWriter& json, const score::Finding& finding) {
  json.begin_object().key("type").string(finding.type);
  json.key("passed").boolean(finding.verdict == score::Verdict::pass);
  json.key("message").string(finding.message);
  if (!finding.children.empty()) {
    json.key("children").begin_array();
    for (const auto& child : finding.children) write_check_result(json, child);
    json.end_array();
  }
  json.end_object();
}

void write_eval_result(JsonWriter& json, const score::Result& result) {
  json.begin_object().key("evalName").string(client_name(result));
  json.key("prompt").string(result.prompt).key("response").string(result.response);
  json.key("passed").boolean(result.passed());
  json.key("checkResults").begin_array();
  for (const auto& finding : result.checks) write_check_result(json, finding);
  // Clients look nowhere else for why there is no answer.
  if (result.checks.empty() && !result.error.empty())
    json.begin_object()
        .key("type")
        .string(kErrorType)
        .key("passed")
        .boolean(false)
        .key("message")
        .string(result.error)
        .end_object();
  json.end_array();
  json.key("executionTimeMs").number(millis(result.latency.value_or(0)));
  if (result.cost) json.key("cost").number(*result.cost);
  json.end_object();
}

std::string error_of(const score::Run& run) {
  switch (run.status) {
    case RunStatus::cancelled: return "Run was cancelled";
    case RunStatus::failed: return run.error.empty() ? "the run failed" : run.error;
    case RunStatus::timed_out: return run.error.empty() ? "the run timed out" : run.error;
    case RunStatus::partial_failure: return run.error;
    case RunStatus::queued:
    case RunStatus::running:
    case RunStatus::completed: return {};
  }
  std::abort();
}

}  // namespace

std::string status_json(const RunState& state) {
  const score::Run& run = state.run;
  JsonWriter json;
  json.begin_object();
  json.key("status").string(
      to_string(run.status == RunStatus::cancelled ? RunStatus::failed : run.status));
  json.key("suiteName").string(run.suite_name).key("model").string(run.model);
  json.key("systemPrompt").string(run.system_prompt);
  json.key("isUpdate").boolean(state.is_update);
  json.key("totalTimeMs").number(taken(state));
  if (const auto error = error_of(run); !error.empty()) json.key("error").string(error);
  if (run.score) json.key("score").number(*run.score);
  json.key("scoreFormula").string(run.score_formula);
  if (!run.score_error.empty()) json.key("scoreError").string(run.score_error);
  json.key("results").begin_array();
  for (const auto& arrival : state.results) write_eval_result(json, arrival.result);
  return json.end_array().end_object().text();
}

}  // namespace vibe::wire
