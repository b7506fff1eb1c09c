// Pairs: two runs over the questions that both answered. If they gave a question different numbers
// of answers, each answer of the run with more weighs less. Immutable once made; safe from any
// thread as long as the samples live.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "score/samples.h"
#include "statistics/design.h"
#include "statistics/draws.h"

namespace vibe::statistics {

struct PairedQuestion {
  Asked base, candidate;
};

class Pairs {
 public:
  // `questions` in the base's order, those of an eval together; each has an answer in both runs.
  // Names and tags of evals are the candidate's.
  Pairs(const score::Samples& base, const score::Samples& candidate,
        std::span<const PairedQuestion> questions, std::optional<UnitKind> unit,
        std::uint64_t seed);
  Pairs(const Pairs&) = delete;
  Pairs& operator=(const Pairs&) = delete;

  const Design& design() const { return design_; }
  const Redraw& redraw() const { return *redraw_; }
  std::vector<const Answers*> sides() const { return {&*sides_[0], &*sides_[1]}; }
  const Answers& side(std::size_t number) const { return *sides_[number]; }
  bool has_unequal_answers() const;
  bool has_single_answers() const;  // one to each question in either run

 private:
  Design design_;
  std::array<std::unique_ptr<Answers>, 2> sides_;
  std::unique_ptr<Redraw> redraw_;
};

}  // namespace vibe::statistics
