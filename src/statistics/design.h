// Design: which evals, questions and units a run has; and Answers: what one run answered. A
// question is an eval or one of its cases; its answers are repeats. A unit is what "other evals
// like these" draws: an eval, or one of its cases if there are few evals. Immutable once made; safe
// from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formula/names.h"
#include "score/samples.h"

namespace vibe::statistics {

// What "other evals like these" draws; by default evals, or cases if there are fewer than 20 evals.
enum class UnitKind : std::uint8_t { eval, cases };

inline constexpr std::size_t kFewEvals = 20;   // with fewer, cases are the units
inline constexpr std::size_t kLeastUnits = 5;  // of a stratum, and cases of an eval

struct Unit {
  std::uint32_t eval = 0;
  std::uint32_t first = 0, count = 1;  // its questions
};

// The answers of a run to each question, as rows of its samples.
using Rows = std::vector<std::vector<std::uint32_t>>;

struct Design {
  std::vector<formula::EvalName> evals;  // that have answers, in the order of the plan
  std::size_t questions = 0;
  std::vector<Unit> units;
  std::vector<char> is_by_case;           // by eval: its cases are units
  std::vector<std::uint32_t> first_unit;  // by eval
};

// A question of a run: its eval's number, and the case.
struct Asked {
  std::uint32_t eval = 0, row = 0;
  std::vector<std::uint32_t> answers;  // rows of the samples, by repeat
};
std::vector<Asked> questions_of(const score::Samples& samples);  // in the order of the plan

// `asked` holds the questions of each eval together.
Design make_design(const score::Samples& samples, std::span<const Asked> asked,
                   std::optional<UnitKind> unit);

// What one run answered, by question.
class Answers {
 public:
  // `weights`, by question: what each answer counts; empty: 1.
  Answers(const score::Samples& samples, const Rows& rows, std::vector<double> weights = {});

  std::size_t size() const { return rows_.size(); }
  std::size_t questions() const { return start_.size() - 1; }
  std::uint32_t begin(std::size_t question) const { return start_[question]; }
  std::uint32_t end(std::size_t question) const { return start_[question + 1]; }
  std::uint32_t count(std::size_t question) const { return end(question) - begin(question); }
  double weight(std::size_t question) const { return weights_.empty() ? 1 : weights_[question]; }
  double value(std::uint32_t answer, formula::Column column) const {
    return samples_->value(rows_[answer], column);
  }
  score::Sample sample(std::uint32_t answer) const { return samples_->sample(rows_[answer]); }
  bool is_unanswered(std::uint32_t answer) const { return samples_->is_unanswered(rows_[answer]); }

 private:
  const score::Samples* samples_;
  std::vector<std::uint32_t> start_, rows_;
  std::vector<double> weights_;
};

Rows rows_of(std::span<const Asked> asked);

}  // namespace vibe::statistics
