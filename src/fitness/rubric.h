// Rubric: how executions are judged, as data: expected times and calls, weights, word lists, the
// score's formula (in the language of formula/), grades, aggregation and decision. Read from YAML;
// the default rubric is built in (data/rubric.yaml), and a file needs only its changes. Immutable;
// safe to use from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "fitness/heuristics.h"
#include "fitness/weighted_sum.h"
#include "fitness/words.h"
#include "formula/program.h"
#include "trace/execution.h"

namespace vibe::fitness {

enum class TaskType : std::uint8_t { coding, question, analysis, other };
enum class Complexity : std::uint8_t { simple, medium, complex };
using trace::kComplexities, trace::kTaskTypes;  // in the order of the enums
std::optional<TaskType> task_type(std::string_view name);
std::optional<Complexity> complexity(std::string_view name);
std::string_view to_string(TaskType type);
std::string_view to_string(Complexity complexity);

struct Expected {
  double seconds = 0, calls = 0;  // limits for a task; beyond them the signal is 0
};

enum class EfficiencyBy : std::uint8_t { time, tools, mean };
enum class OnUndefined : std::uint8_t { rescale, error };

struct Grade {
  std::string name, meaning;
  double from = 0;  // the lowest score
};

struct Aggregation {
  double trim = 0.1;            // the share left out at either end
  std::vector<double> weights;  // for the newest score, the second newest, …
};

// Rules on the change of the score.
struct DecisionRules {
  double significant = 5;    // above: accepted
  double tolerated = -3;     // at or below: rejected
  double exploration = 0.2;  // the probability of accepting a change between `tolerated` and 0
};

struct Rubric {
  std::string name;
  std::string text;  // the YAML of the file
  std::array<Expected, kComplexities.size()> expected;
  EfficiencyBy efficiency = EfficiencyBy::time;
  double most_errors = 10;  // with this many errors or more, the error rate is 1
  OnUndefined undefined = OnUndefined::rescale;
  std::array<double, kHeuristicCount> weights{};
  Words words;
  formula::Program program;        // over the signals (signals.h)
  std::optional<WeightedSum> sum;  // none: not a weighted sum, so it cannot be rescaled
  std::vector<Grade> grades;       // the best first; the last has no lower bound
  Aggregation aggregation;
  DecisionRules decision;

  const Expected& expected_of(Complexity c) const { return expected[static_cast<std::size_t>(c)]; }
  double weight(Heuristic id) const { return weights[static_cast<std::size_t>(id)]; }
  const Grade& grade_of(double score) const;  // for the score rounded to two decimals
};

// Reports all problems at once; a rubric with only warnings is usable. Missing keys come from the
// default rubric.
std::optional<Rubric> read_rubric(const base::SourcePtr& source, base::Diagnostics& out);

const Rubric& default_rubric();
std::string_view default_rubric_text();

}  // namespace vibe::fitness
