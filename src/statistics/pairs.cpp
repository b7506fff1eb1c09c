#include "statistics/pairs.h"

#include <algorithm>

namespace vibe::statistics {

Pairs::Pairs(const score::Samples& base, const score::Samples& candidate,
             std::span<const PairedQuestion> questions, std::optional<UnitKind> unit,
             std::uint64_t seed) {
  std::vector<Asked> asked;
  std::array<Rows, 2> rows;
  std::array<std::vector<double>, 2> weights;
  for (const auto& [of_base, of_candidate] : questions) {
    asked.push_back(of_candidate);
    const auto fewest =
        static_cast<double>(std::min(of_base.answers.size(), of_candidate.answers.size()));
    std::size_t side = 0;
    for (const Asked* one : {&of_base, &of_candidate}) {
      rows[side].push_back(one->answers);
      weights[side].push_back(fewest / static_cast<double>(one->answers.size()));
      ++side;
    }
  }
  design_ = make_design(candidate, asked, unit);
  sides_[0] = std::make_unique<Answers>(base, std::move(rows[0]), std::move(weights[0]));
  sides_[1] = std::make_unique<Answers>(candidate, std::move(rows[1]), std::move(weights[1]));
  redraw_ = std::make_unique<Redraw>(seed, design_, sides());
}

bool Pairs::has_unequal_answers() const {
  for (std::uint32_t question = 0; question < design_.questions; ++question)
    if (side(0).count(question) != side(1).count(question)) return true;
  return false;
}

bool Pairs::has_single_answers() const {
  for (std::uint32_t question = 0; question < design_.questions; ++question)
    if (side(0).count(question) != 1 || side(1).count(question) != 1) return false;
  return true;
}

}  // namespace vibe::statistics
