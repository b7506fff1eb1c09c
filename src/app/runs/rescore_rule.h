// RescoreRule: the formulas of a score::Rule, compiled for the evals of each run: what a word means
// depends on the names of its evals. Belongs to one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "formula/program.h"
#include "score/measured.h"
#include "score/rescored.h"
#include "score/samples.h"

namespace vibe::app {

// The formulas for runs with the same evals, or why these runs cannot be scored.
struct RuleProgram {
  std::optional<formula::Program> program;
  std::string why;  // `no eval math`; empty: there is a program
};

// The same, and where the inputs are among the stored values.
struct LayoutProgram : RuleProgram {
  std::vector<std::size_t> places;  // by input of the program
  // Some inputs are not stored: they have to be measured from the figures of each run, which also
  // have the tags of evals.
  bool needs_figures = false;
};

class RescoreRule {
 public:
  explicit RescoreRule(score::Rule rule);

  const score::Rule& rule() const { return rule_; }
  std::string formula() const;  // as shown
  // How scores by this rule are computed, as one text.
  std::string definition() const;

  LayoutProgram compile(const score::InputLayout& layout);
  RuleProgram compile(const score::Samples& samples);

  // After no run could be scored: what is wrong with the formulas, whatever run it is. Nothing:
  // each name is in some run. Without any run, unknown words count as evals.
  base::Diagnostics problems() const;
  // Warnings about the formula, as sentences.
  std::vector<std::string> notes() const;

 private:
  std::optional<formula::Program> compile(const std::vector<formula::EvalName>& evals,
                                          base::Diagnostics& found) const;
  std::string reason(const base::Diagnostics& found) const;
  void remember(const std::vector<formula::EvalName>& evals);

  score::Rule rule_;
  base::Passage formula_;
  std::vector<formula::Definition> metrics_;
  std::vector<formula::EvalName> seen_;  // of all runs, each once
  std::unordered_map<std::string, std::size_t> seen_places_;
  bool has_runs_ = false;
  std::vector<std::string> notes_;
};

}  // namespace vibe::app
