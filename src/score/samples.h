// Samples: the numbers known about each answer in a run, as columns; and the figures that formulas
// use. Prompts and answers are stored elsewhere, so millions of samples fit in memory. Not
// thread-safe while it is filled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formula/input.h"
#include "formula/names.h"
#include "score/verdict.h"

namespace vibe::score {

struct Sample {
  bool passed = false;
  double latency = formula::kUndefined;  // seconds; undefined without a response
  double cost = formula::kUndefined;     // US dollars; undefined if the price is unknown
  double prompt_tokens = formula::kUndefined, completion_tokens = formula::kUndefined;
  double output_quality = formula::kUndefined, structure_score = formula::kUndefined;  // 0–1
  double fitness = formula::kUndefined;                                                // 0–100
};

// Where a sample is in the plan of its run.
struct Place {
  std::uint32_t sample = 0;  // its number in the plan
  std::uint32_t row = 0;     // of its case, in the eval's cases
  std::uint32_t repeat = 0;  // index of the repeat
};

// How often the checks of one kind passed, failed or could not be decided.
struct CheckCount {
  std::string kind;
  std::uint32_t passed = 0, failed = 0, errors = 0;
};

class Samples {
 public:
  // Number of no eval: each of its samples is an eval by itself, without a name.
  static constexpr std::uint32_t kNoEval = 0;

  Samples() : evals_(1), checks_(1) {}

  // The eval's number; adds a new eval, after all others. An empty name: kNoEval.
  std::uint32_t eval(std::string_view name);
  std::uint32_t add_unnamed();  // the number of a new eval without a name
  void tag(std::uint32_t eval, std::string_view tag);
  // Without a place, it is the next repeat of its eval.
  void add(std::uint32_t eval, const Sample& sample);
  void add(std::uint32_t eval, const Sample& sample, const Place& place);
  void count_check(std::uint32_t eval, std::string_view kind, Verdict verdict);
  void add_check_count(std::uint32_t eval, CheckCount count);
  // `count` of the samples that were added could not be answered or judged; `first` says why.
  void add_errors(std::size_t count, std::string_view first);

  std::size_t size() const { return eval_.size(); }
  // By number; the first is kNoEval.
  const std::vector<formula::EvalName>& evals() const { return evals_; }
  std::size_t count(std::uint32_t eval) const { return rows_[eval].size(); }
  const std::vector<CheckCount>& checks(std::uint32_t eval) const { return checks_[eval]; }
  std::size_t errors() const { return errors_; }
  const std::string& first_error() const { return first_error_; }
  std::uint32_t eval_of(std::uint32_t row) const { return eval_[row]; }
  Sample sample(std::uint32_t row) const {
    return {passed_[row] != 0,        latency_[row],           cost_[row],
            prompt_tokens_[row],      completion_tokens_[row], output_quality_.at(row),
            structure_score_.at(row), fitness_.at(row)};
  }
  // Whether a sample was added with a place.
  bool has_places() const { return !places_.empty(); }
  std::vector<Place> places() const;  // by row
  double value(std::uint32_t row, formula::Column column) const;
  // It got no answer and cost nothing.
  bool is_unanswered(std::uint32_t row) const;

  // The figure, or undefined. Takes time proportional to the samples it covers. An unknown cost
  // makes every figure about costs undefined; an unknown token count makes every sum of tokens
  // undefined; other figures cover the samples that have a value.
  double measure(const formula::Input& input) const;

 private:
  // A column that few runs have: it takes no memory as long as every value is undefined.
  class SeldomKnown {
   public:
    void add(std::size_t row, double value);
    double at(std::uint32_t row) const {
      return row < values_.size() ? values_[row] : formula::kUndefined;
    }

   private:
    std::vector<double> values_;  // up to the last known value
  };

  void add_figures(std::uint32_t eval, const Sample& sample);
  Place next_place(std::uint32_t eval) const;
  double over_rows(const formula::Input& input, std::span<const std::uint32_t> rows) const;
  // The mean over the evals and cases that the rows answer.
  double over_questions(const formula::Input& input, std::span<const std::uint32_t> rows) const;
  std::vector<std::uint32_t> select(const formula::Selector& selector) const;

  std::vector<formula::EvalName> evals_;
  std::unordered_map<std::uint32_t, std::unordered_set<std::string>> many_tags_;  // by eval
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::vector<std::uint32_t>> rows_{1};  // by eval, in order

  std::vector<std::uint32_t> eval_;
  std::vector<std::uint8_t> passed_;
  std::vector<double> latency_, cost_, prompt_tokens_, completion_tokens_;
  SeldomKnown output_quality_, structure_score_, fitness_;
  std::vector<Place> places_;                    // empty: no sample has one
  std::vector<std::vector<CheckCount>> checks_;  // by eval

  std::size_t errors_ = 0;
  std::string first_error_;
};

}  // namespace vibe::score
