// Run and Result: a run of a suite and the result of each sample, as they are stored and shown.
// Plain data, safe to copy; missing numbers are unknown, never 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formula/names.h"
#include "score/certainty.h"
#include "score/verdict.h"

namespace vibe::score {

enum class RunStatus : std::uint8_t {
  queued,
  running,
  completed,
  partial_failure,  // some samples could not be judged
  failed,           // none could, or the run was interrupted
  timed_out,
  cancelled,
};

// All of them, in order.
inline constexpr std::array kRunStatuses{
    RunStatus::queued, RunStatus::running,   RunStatus::completed, RunStatus::partial_failure,
    RunStatus::failed, RunStatus::timed_out, RunStatus::cancelled,
};

enum class ResultStatus : std::uint8_t { passed, failed, error };

std::string_view to_string(RunStatus status);
std::string_view to_string(ResultStatus status);
std::optional<RunStatus> run_status(std::string_view name);
std::optional<ResultStatus> result_status(std::string_view name);

constexpr bool is_finished(RunStatus status) {
  return status != RunStatus::queued && status != RunStatus::running;
}
std::vector<RunStatus> unfinished_statuses();

struct ToolCall {
  std::string name, arguments;          // the arguments are JSON text
  std::optional<std::string> result{};  // what the tool returned; none: it was not called
  bool failed = false;                  // the result is an error
};

// One prompt of a conversation, and its outcome.
struct Turn {
  std::string prompt, response;
  std::string thinking, stop_reason;
  std::vector<ToolCall> tool_calls;
  std::vector<Finding> checks;
  ResultStatus status = ResultStatus::error;
  std::string error;              // why, if the status is error
  std::optional<double> latency;  // seconds
  std::optional<std::int64_t> prompt_tokens, completion_tokens, thinking_tokens, cached_tokens;
  std::optional<double> input_cost, output_cost, cost;  // US dollars
  std::uint32_t tries = 1;
};

// One sample: a case of an eval, run once. For a conversation it has the first prompt; the
// response, thinking and checks of the last turn; all tool calls; and the sums of all numbers.
struct Result : Turn {
  std::uint32_t sample = 0;              // its index in the run's plan
  std::string eval;                      // the eval's name in formulas; empty: none
  std::string eval_name;                 // as shown: `capitals[2]`; never empty
  std::uint32_t repeat = 0;              // index of the repeat
  std::optional<double> judge_cost = 0;  // of its judges, not in `cost`; none: unknown
  std::vector<Turn> turns;               // of a conversation; empty: a single turn
  std::uint32_t turn = 1;                // the one that passed, or the last
  bool from_cache = false;               // the answer was stored by an earlier run
  double paid = 0;                       // US dollars, by this run: 0 for stored answers
  std::uint32_t retries = 0;             // requests that this run retried after a failure

  // For the last response, 0–1; none: there was no response, or no formula uses it.
  std::optional<double> output_quality, structure_score;
  std::optional<double> fitness;  // 0–100, for the execution; none: unknown
  std::string fitness_error;      // why fitness is unknown although there was a log

  bool passed() const { return status == ResultStatus::passed; }
  std::optional<std::int64_t> total_tokens() const;  // prompt and completion
};

using Millis = std::int64_t;  // since 1970, UTC

struct NamedValue {
  std::string name;
  std::string formula;  // for a metric of the score section, or a score that was kept
  std::optional<double> value;
  std::string error;  // why there is no value
};

// Everything except the results.
struct Run {
  std::string id;  // UUID, version 7
  std::string suite_name, model;
  std::string source;  // where the answers came from, if not from the model: `replay:FILE`
  RunStatus status = RunStatus::queued;
  std::string error;  // why it did not complete
  Millis created_at = 0;
  std::optional<Millis> started_at, completed_at;
  std::string suite_path, suite_text, suite_hash;
  std::vector<std::string> tags;  // of the suite's evals, each once
  std::string system_prompt;
  std::string parameters;     // JSON: what was passed to the model, threads, repeat, only, …
  std::string version;        // of the program
  std::uint32_t planned = 0;  // samples

  // For the results so far; final when the run is finished.
  std::uint32_t results = 0, passed = 0, errors = 0;
  std::optional<double> duration;  // seconds
  std::optional<double> total_cost, input_cost, output_cost, judge_cost;
  std::optional<std::int64_t> prompt_tokens, completion_tokens, thinking_tokens;

  std::string score_formula;
  std::optional<double> score;
  std::string score_error;
  std::vector<NamedValue> score_metrics;  // of the suite's score section
  std::vector<NamedValue> metrics;        // the nine run-wide ones
  std::string explanation;                // JSON: the formula's tree; empty: none
  std::optional<double> min_score;        // the suite's gate
  std::optional<Certainty> certainty;     // none: not computed
  std::vector<NamedValue> kept_scores;    // by other formulas, stored beside its own

  std::optional<double> success_percentage() const;  // none without results
};

// Sets the number of results and how they ended.
void count_results(Run& run, std::span<const Result> results);

// The process ended before the run did: metrics and score are computed at the end of a run.
inline bool lacks_score(const Run& run) { return run.metrics.empty(); }

inline constexpr std::string_view kReplay = "replay:";  // prefix of the file in `Run::source`

// The answers come from a recording.
inline bool is_replay(const Run& run) { return run.source.starts_with(kReplay); }
// The recording's file; empty: there is none.
inline std::string_view recording_file(const Run& run) {
  return is_replay(run) ? std::string_view(run.source).substr(kReplay.size()) : std::string_view();
}

}  // namespace vibe::score
