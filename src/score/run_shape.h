// The members of runs and results, with their names in the store, the API's JSON and CSV
// (base/shape.h). In the order of the JSON.
#pragma once

#include <optional>

#include "base/shape.h"
#include "score/run.h"
#include "score/verdict_shape.h"

namespace vibe::score {

inline bool has_passed(const Turn& turn) { return turn.status == ResultStatus::passed; }
inline std::optional<std::int64_t> total_tokens(const auto& of) {
  return of.prompt_tokens && of.completion_tokens
             ? std::optional(*of.prompt_tokens + *of.completion_tokens)
             : std::nullopt;
}
inline std::optional<double> success_percentage(const Run& run) { return run.success_percentage(); }

}  // namespace vibe::score

namespace vibe::base {

template <>
inline constexpr auto kReadName<score::RunStatus> = &score::run_status;
template <>
inline constexpr auto kReadName<score::ResultStatus> = &score::result_status;

template <>
inline constexpr auto kRows<score::ToolCall> = Rows{
    Row<&score::ToolCall::name>{"name", "name"},
    Row<&score::ToolCall::arguments>{"arguments", "arguments"},
    Row<&score::ToolCall::result>{"result", "result", Wire::given},
    Row<&score::ToolCall::failed>{"failed", "failed", Wire::own},
};
static_assert(has_row_for_each<score::ToolCall>());

// In an order that store/json.cpp reads fast.
template <>
inline constexpr auto kRows<score::NamedValue> = Rows{
    Row<&score::NamedValue::name>{"name"},
    Row<&score::NamedValue::formula>{"formula"},
    Row<&score::NamedValue::value>{"value"},
    Row<&score::NamedValue::error>{"error"},
};
static_assert(has_row_for_each<score::NamedValue>());

template <>
inline constexpr auto kRows<score::Turn> = Rows{
    Row<&score::Turn::prompt>{"prompt", "prompt", Wire::value, Csv{8}},
    Row<&score::Turn::response>{"response", "response", Wire::value, Csv{9}},
    Row<&score::Turn::thinking>{"thinking", "thinking", Wire::given},
    Derived<score::has_passed>{"passed"},
    Row<&score::Turn::status>{"status", "status", Wire::value, Csv{3}, Kept::text},
    Row<&score::Turn::error>{"error", "error", Wire::known, Csv{10}},
    Row<&score::Turn::latency>{"latency", "latency_seconds", Wire::known, Csv{4}},
    Row<&score::Turn::prompt_tokens>{"prompt_tokens", "prompt_tokens", Wire::known, Csv{6}},
    Row<&score::Turn::completion_tokens>{"completion_tokens", "completion_tokens", Wire::known,
                                         Csv{7}},
    Row<&score::Turn::thinking_tokens>{"thinking_tokens", "thinking_tokens", Wire::known},
    Row<&score::Turn::cached_tokens>{"cached_tokens", "cached_tokens", Wire::known},
    Derived<score::total_tokens<score::Turn>>{"total_tokens", Wire::known},
    Row<&score::Turn::input_cost>{"input_cost", "input_cost", Wire::known},
    Row<&score::Turn::output_cost>{"output_cost", "output_cost", Wire::known},
    Row<&score::Turn::cost>{"cost", "cost", Wire::known, Csv{5}},
    Row<&score::Turn::stop_reason>{"stop_reason", "stop_reason", Wire::known},
    Row<&score::Turn::tries>{"tries", "tries"},
    Row<&score::Turn::checks>{"checks", "check_results", Wire::own},
    Row<&score::Turn::tool_calls>{"tool_calls", "tool_calls", Wire::given},
};
static_assert(has_row_for_each<score::Turn>());

template <>
inline constexpr auto kRows<score::Result> = join(
    Rows{
        Row<&score::Result::sample>{{}, "sample"},  // stored as part of its key
        Row<&score::Result::eval>{"eval", "eval", Wire::known},
        Row<&score::Result::eval_name>{"eval_name", "eval_name", Wire::own, Csv{1}},
        Row<&score::Result::repeat>{"repeat", "repeat", Wire::from_one, Csv{2}},
    },
    kRows<score::Turn>,
    Rows{
        Row<&score::Result::judge_cost>{"judge_cost", "judge_cost", Wire::known},
        Row<&score::Result::turn>{"turn", "turn"},
        Row<&score::Result::from_cache>{"from_cache", "cached", Wire::given},
        Row<&score::Result::paid>{"paid", "paid"},
        Row<&score::Result::retries>{"retries", "retries"},
        Row<&score::Result::output_quality>{"output_quality", "output_quality", Wire::given,
                                            Csv{11}},
        Row<&score::Result::structure_score>{"structure_score", "structure_score", Wire::given,
                                             Csv{12}},
        Row<&score::Result::fitness>{"fitness", "fitness", Wire::given, Csv{13}},
        Row<&score::Result::fitness_error>{"fitness_error", "fitness_error", Wire::given},
        Row<&score::Result::turns>{"turns", "turns", Wire::given},
    });
static_assert(member_rows(kRows<score::Result>) ==
              kMembers<score::Turn> + kMembers<score::Result> - 1);

template <>
inline constexpr auto kRows<score::Interval> = Rows{
    Row<&score::Interval::low>{"low", "low"},
    Row<&score::Interval::high>{"high", "high"},
};
static_assert(has_row_for_each<score::Interval>());

template <>
inline constexpr auto kRows<score::FormulaCertainty> = Rows{
    Row<&score::FormulaCertainty::name>{"name"},
    Row<&score::FormulaCertainty::other_evals>{"other_evals"},
    Row<&score::FormulaCertainty::rerun>{"rerun"},
    Row<&score::FormulaCertainty::no_other_evals>{"no_other_evals"},
    Row<&score::FormulaCertainty::no_rerun>{"no_rerun"},
    Row<&score::FormulaCertainty::notes>{"notes"},
};
static_assert(has_row_for_each<score::FormulaCertainty>());

template <>
inline constexpr auto kRows<score::Certainty> = Rows{
    Row<&score::Certainty::level>{"level"}, Row<&score::Certainty::seed>{"seed"},
    Row<&score::Certainty::draws>{"draws"}, Row<&score::Certainty::method>{"method"},
    Row<&score::Certainty::score>{"score"}, Row<&score::Certainty::metrics>{"metrics"},
};
static_assert(has_row_for_each<score::Certainty>());

template <>
inline constexpr auto kRows<score::Run> = Rows{
    Row<&score::Run::id>{"id", "id", Wire::value, Csv{1}, Kept::text},
    Row<&score::Run::suite_name>{"suite", "suite_name", Wire::value, Csv{2}, Kept::text},
    Row<&score::Run::model>{"model", "model", Wire::value, Csv{3}, Kept::text},
    Row<&score::Run::source>{"source", "source", Wire::known},
    Row<&score::Run::status>{"status", "status", Wire::value, Csv{4}, Kept::text},
    Row<&score::Run::error>{"error", "error", Wire::known},
    Row<&score::Run::created_at>{"created_at", "created_at", Wire::time, Csv{5}},
    Row<&score::Run::started_at>{"started_at", "started_at", Wire::time},
    Row<&score::Run::completed_at>{"completed_at", "completed_at", Wire::time, Csv{6}},
    Row<&score::Run::system_prompt>{"system_prompt", "system_prompt"},
    Row<&score::Run::version>{"version", "version", Wire::value, {}, Kept::text},
    Row<&score::Run::planned>{"planned", "planned"},
    Row<&score::Run::results>{"results", "results_count", Wire::text, Csv{11}},
    Row<&score::Run::passed>{"passed", "evals_passed", Wire::text, Csv{12}},
    Row<&score::Run::errors>{"errors", "errors"},
    Derived<score::success_percentage>{"success_percentage", Wire::text, Csv{8}},
    Row<&score::Run::duration>{"duration", "duration_seconds", Wire::text, Csv{10}},
    Row<&score::Run::total_cost>{"total_cost", "total_cost", Wire::text, Csv{9}},
    Row<&score::Run::input_cost>{"input_cost", "total_input_cost", Wire::text},
    Row<&score::Run::output_cost>{"output_cost", "total_output_cost", Wire::text},
    Row<&score::Run::prompt_tokens>{"prompt_tokens", "total_prompt_tokens", Wire::text, Csv{13}},
    Row<&score::Run::completion_tokens>{"completion_tokens", "total_completion_tokens", Wire::text,
                                        Csv{14}},
    Row<&score::Run::thinking_tokens>{"thinking_tokens", "total_thinking_tokens", Wire::text},
    Derived<score::total_tokens<score::Run>>{"total_tokens", Wire::text},
    Row<&score::Run::score>{"score", "score", Wire::known, Csv{7}},
    Row<&score::Run::score_formula>{"score_formula", "score_formula"},
    Row<&score::Run::score_error>{"score_error", "score_error", Wire::known, Csv{15}},
    Row<&score::Run::score_metrics>{"score_metrics", "score_metrics", Wire::own},
    Row<&score::Run::metrics>{"metrics", "metrics", Wire::own},
    Row<&score::Run::judge_cost>{"judge_cost", "judge_cost", Wire::known},
    Row<&score::Run::min_score>{"min_score", "min_score", Wire::known},
    Row<&score::Run::certainty>{"certainty", "interval", Wire::own},
    Row<&score::Run::suite_path>{"suite_path"},
    Row<&score::Run::suite_hash>{
        .column = "suite_hash", .key = "suite_hash", .kept = Kept::text, .is_detail = true},
    Row<&score::Run::tags>{"tags", "tags", Wire::given},
    Row<&score::Run::parameters>{"parameters"},  // addresses in it may contain keys
    // Stored in their own tables.
    Row<&score::Run::suite_text>{.key = "yaml_content", .is_detail = true},
    Row<&score::Run::kept_scores>{.key = "kept_scores", .wire = Wire::own, .is_detail = true},
    Row<&score::Run::explanation>{.key = "explanation", .wire = Wire::json, .is_detail = true},
};
static_assert(has_row_for_each<score::Run>());

}  // namespace vibe::base
