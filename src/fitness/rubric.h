// Rubric: how executions are judged, as data: expected times and calls, weights, word lists, the
// formula of the score in the language of formula/, grades, aggregation and decision. Read from
// YAML; the default one is built in (data/rubric.yaml), and a file needs to say only what it
// changes. Immutable; safe from any thread.
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
  double seconds = 0, calls = 0;  // that a task may take; more earns nothing
};

enum class EfficiencyBy : std::uint8_t { time, tools, mean };
enum class OnUndefined : std::uint8_t { rescale, error };

struct Grade {
  std::string name, meaning;
  double from = 0;  // the least score
};

struct Aggregation {
  double trim = 0.1;            // the share left out at either end
  std::vector<double> weights;  // of the newest, the second newest, …
};

// By the change of the score.
struct DecisionRules {
  double significant = 5;    // above: accepted
  double tolerated = -3;     // at or below: rejected
  double exploration = 0.2;  // the probability to accept what lies between that and 0
};

struct Rubric {
  std::string name;
  std::string text;  // YAML: that of the file
  std::array<Expected, kComplexities.size()> expected;
  EfficiencyBy efficiency = EfficiencyBy::time;
  double most_errors = 10;  // from here on the error rate is 1
  OnUndefined undefined = OnUndefined::rescale;
  std::array<double, kHeuristicCount> weights{};
  Words words;
  formula::Program program;        // over the signals (signals.h)
  std::optional<WeightedSum> sum;  // its shape; none: it has another, and cannot be rescaled
  std::vector<Grade> grades;       // the best first; the last has no lower bound
  Aggregation aggregation;
  DecisionRules decision;

  const Expected& expected_of(Complexity c) const { return expected[static_cast<std::size_t>(c)]; }
  double weight(Heuristic id) const { return weights[static_cast<std::size_t>(id)]; }
  const Grade& grade_of(double score) const;  // of the score rounded to two decimals
};

// All problems at once; warnings do not keep it from being used. What the text does not say is as
// in the default rubric.
std::optional<Rubric> read_rubric(const base::SourcePtr& source, base::Diagnostics& out);

const Rubric& default_rubric();
std::string_view default_rubric_text();

}  // namespace vibe::fitness
