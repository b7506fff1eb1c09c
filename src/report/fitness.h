// Scores of executions as a table of sessions, as explanations of every point, as JSON and JSON
// lines. Pure.
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
  std::string_view title, brief;  // the brief one for narrow tables
};
inline constexpr std::array kSignalColumns{
    SignalColumn{fitness::Signal::tool_success_rate, "Tool success", "Tools"},
    SignalColumn{fitness::Signal::output_quality, "Quality", "Output"},
    SignalColumn{fitness::Signal::efficiency, "Efficiency", "Effic."},
    SignalColumn{fitness::Signal::error_rate, "Error rate", "Errors"},
    SignalColumn{fitness::Signal::structure_score, "Structure", "Struct."},
};

enum class FitnessForm : std::uint8_t {
  table,  // a row per session, and notes about the scores
  // Each session: its score, the terms of the formula with their points, and the signals with their
  // evidence.
  explanations,
  json,  // an array, with the explanation of each score
  jsonl,
};

// Takes one execution at a time, like ExecutionReport.
class FitnessReport {
 public:
  FitnessReport(FitnessForm form, const TextStyle& style);

  void add(const fitness::Scored& one, const fitness::Rubric& rubric);
  std::string take() { return std::exchange(text_, {}); }  // the text so far that was not taken
  std::string finish();                                    // the rest

 private:
  void add_row(const fitness::Scored& one, const fitness::Rubric& rubric);

  FitnessForm form_;
  TextStyle style_;
  std::string text_;
  wire::JsonItems items_;
  Table table_;
  NotesBelow notes_;
  bool any_ = false;
};

// All at once.
std::string fitness_report(FitnessForm form, std::span<const fitness::Scored> executions,
                           const fitness::Rubric& rubric, const TextStyle& style);

}  // namespace vibe::report
