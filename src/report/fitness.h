// Scores of executions as people and programs read them: a table of sessions, where every point
// comes from, JSON and JSON lines. Pure.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "fitness/rubric.h"
#include "fitness/score.h"
#include "report/run.h"

namespace vibe::report {

// The columns of tables: the signals that the default rubric weighs.
struct SignalColumn {
  fitness::Signal id;
  std::string_view title, brief;  // the latter where there is little room
};
inline constexpr std::array kSignalColumns{
    SignalColumn{fitness::Signal::tool_success_rate, "Tool success", "Tools"},
    SignalColumn{fitness::Signal::output_quality, "Quality", "Output"},
    SignalColumn{fitness::Signal::efficiency, "Efficiency", "Effic."},
    SignalColumn{fitness::Signal::error_rate, "Error rate", "Errors"},
    SignalColumn{fitness::Signal::structure_score, "Structure", "Struct."},
};

// A row for each session, and below what a reader of its score should know.
std::string fitness_table(std::span<const fitness::Scored> executions,
                          const fitness::Rubric& rubric, const TextStyle& style);
// Each session: its score, the terms of the formula with their points, the signals that they use
// with what they were told by.
std::string fitness_explanations(std::span<const fitness::Scored> executions,
                                 const fitness::Rubric& rubric, const TextStyle& style);

// An array, with the explanation of each score.
std::string fitness_json(std::span<const fitness::Scored> executions,
                         const fitness::Rubric& rubric);
std::string fitness_jsonl(std::span<const fitness::Scored> executions,
                          const fitness::Rubric& rubric);

}  // namespace vibe::report
