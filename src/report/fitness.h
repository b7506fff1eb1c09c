// Scores of executions as people and programs read them: a table of sessions, where every point
// comes from, JSON and JSON lines. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fitness/rubric.h"
#include "fitness/score.h"
#include "report/executions.h"
#include "report/run.h"
#include "report/table.h"

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

enum class FitnessForm : std::uint8_t {
  table,  // a row for each session, and below what a reader of its score should know
  // Each session: its score, the terms of the formula with their points, the signals that they use
  // with what they were told by.
  explanations,
  json,  // an array, with the explanation of each score
  jsonl,
};

// Made of one execution after the other, as ExecutionReport is.
class FitnessReport {
 public:
  FitnessReport(FitnessForm form, const TextStyle& style);

  void add(const fitness::Scored& one, const fitness::Rubric& rubric);
  std::string take() { return std::exchange(text_, {}); }  // what is written, and was not taken
  std::string finish();                                    // the rest

 private:
  void add_row(const fitness::Scored& one, const fitness::Rubric& rubric);

  FitnessForm form_;
  TextStyle style_;
  std::string text_;
  JsonItems items_;
  Table table_;
  NotesBelow notes_;
  bool any_ = false;
};

// All at once.
std::string fitness_report(FitnessForm form, std::span<const fitness::Scored> executions,
                           const fitness::Rubric& rubric, const TextStyle& style);

}  // namespace vibe::report
