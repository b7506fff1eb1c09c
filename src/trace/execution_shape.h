// The members of an execution, by their names in the store, in JSON and in the CSV of scored
// executions (base/shape.h). In the order of the JSON.
#pragma once

#include "base/shape.h"
#include "trace/execution.h"

namespace vibe::trace {

inline std::int64_t retries(const Execution& one) { return one.repeats + one.api_retries; }

}  // namespace vibe::trace

namespace vibe::base {

template <>
inline constexpr auto kReadName<trace::Outcome> = &trace::outcome;

template <>
inline constexpr auto kRows<trace::Call> = Rows{
    Row<&trace::Call::name>{.key = "name"},
    Row<&trace::Call::id>{.key = "id", .wire = Wire::known},
    Row<&trace::Call::outcome>{.key = "outcome"},
    Row<&trace::Call::answered>{.key = "answered"},
    Row<&trace::Call::refused>{.key = "refused"},
    Row<&trace::Call::exit_code>{.key = "exit_code", .wire = Wire::known},
    Row<&trace::Call::start>{.key = "start", .wire = Wire::micros},
    Row<&trace::Call::end>{.key = "end", .wire = Wire::micros},
    Row<&trace::Call::sub_agent>{.key = "sub_agent", .wire = Wire::known},
    Row<&trace::Call::input>{.key = "input", .wire = Wire::known},
    Row<&trace::Call::error>{.key = "error", .wire = Wire::known},
};
static_assert(has_row_for_each<trace::Call>());

// As JSON alone: what is kept is a fitness::ScoredExecution (fitness/record_shape.h).
inline constexpr auto kNameRows = Rows{
    Row<&trace::Execution::id>{.key = "id", .wire = Wire::known},
    Row<&trace::Execution::file>{.key = "file", .wire = Wire::known},
    Row<&trace::Execution::format>{.key = "format", .wire = Wire::known},
    Row<&trace::Execution::agent>{.key = "agent", .wire = Wire::known},
    Row<&trace::Execution::model>{.key = "model", .wire = Wire::known},
    Row<&trace::Execution::task_type>{.key = "task_type", .wire = Wire::known},
    Row<&trace::Execution::complexity>{.key = "complexity", .wire = Wire::known},
};

// What is counted and measured of an execution.
inline constexpr auto kFigureRows = Rows{
    Row<&trace::Execution::tool_calls>{"tool_calls", "tool_calls", Wire::value, Csv{12}},
    Row<&trace::Execution::succeeded>{"succeeded", "successful_calls"},
    Row<&trace::Execution::failed>{"failed", "failed_calls", Wire::value, Csv{13}},
    Row<&trace::Execution::refused>{"refused", "refused_calls"},
    Row<&trace::Execution::unknown>{"unknown", "unknown_calls"},
    Row<&trace::Execution::unanswered>{"unanswered", "unanswered_calls"},
    Row<&trace::Execution::orphan_results>{"orphan_results", "orphan_results"},
    Row<&trace::Execution::repeats>{"repeats", "repeats"},
    Row<&trace::Execution::api_retries>{"api_retries", "api_retries"},
    Derived<trace::retries>{"retries", Wire::value, Csv{14}},
    Row<&trace::Execution::corrections>{"corrections", "corrections", Wire::value, Csv{15}},
    Row<&trace::Execution::other_errors>{"other_errors", "other_errors"},
    Row<&trace::Execution::writes_files>{"writes_files", "writes_files"},
    Row<&trace::Execution::started>{"started", "started", Wire::micros},
    Row<&trace::Execution::ended>{"ended", "ended", Wire::micros},
    Row<&trace::Execution::duration>{"duration", "duration_seconds", Wire::known, Csv{16}},
    Row<&trace::Execution::active>{"active", "active_seconds", Wire::known, Csv{17}},
    Row<&trace::Execution::tokens, &trace::Tokens::input>{.column = "input_tokens",
                                                          .key = "input_tokens",
                                                          .wire = Wire::known,
                                                          .csv = Csv{18},
                                                          .decides = true},
    Row<&trace::Execution::tokens, &trace::Tokens::output>{"output_tokens", "output_tokens",
                                                           Wire::known, Csv{19}},
    Row<&trace::Execution::tokens, &trace::Tokens::cache_read>{"cache_read_tokens",
                                                               "cache_read_tokens", Wire::known},
    Row<&trace::Execution::tokens, &trace::Tokens::cache_write>{"cache_write_tokens",
                                                                "cache_write_tokens", Wire::known},
    Row<&trace::Execution::tokens, &trace::Tokens::cache_in_input>{"cache_in_input",
                                                                   "cache_in_input", Wire::flag},
    Row<&trace::Execution::cost>{"cost", "cost", Wire::known, Csv{20}},
    Row<&trace::Execution::cost_is_stated>{"cost_is_stated", "cost_is_stated"},
    Row<&trace::Execution::bad_lines>{"bad_lines", "bad_lines"},
    Row<&trace::Execution::structure, &trace::Structure::headers>{"has_headers", "has_headers"},
    Row<&trace::Execution::structure, &trace::Structure::lists>{"has_lists", "has_lists"},
    Row<&trace::Execution::structure, &trace::Structure::code_blocks>{"has_code_blocks",
                                                                      "has_code_blocks"},
    Row<&trace::Execution::ended_in_error>{"ended_in_error", "ended_in_error", Wire::known},
    Row<&trace::Execution::output>{.key = "output", .wire = Wire::known},
    Row<&trace::Execution::prompt>{.key = "prompt", .wire = Wire::known},
};

template <>
inline constexpr auto kRows<trace::Execution> =
    join(kNameRows, kFigureRows,
         Rows{
             Row<&trace::Execution::notes>{.key = "notes"},
             Row<&trace::Execution::calls>{.key = "calls", .is_detail = true},
         });
static_assert(has_row_for_each<trace::Execution>());

}  // namespace vibe::base
