#include "statistics/design.h"

#include <algorithm>
#include <tuple>

namespace vibe::statistics {

std::vector<Asked> questions_of(const score::Samples& samples) {
  const auto places = samples.places();
  const auto rows = static_cast<std::uint32_t>(samples.size());
  // A sample without an eval is an eval by itself.
  const auto key = [&](std::uint32_t row) {
    const std::uint32_t eval = samples.eval_of(row);
    return std::pair(eval, eval == score::Samples::kNoEval ? row : 0);
  };
  std::vector<std::uint32_t> first(samples.evals().size(), UINT32_MAX);
  for (std::uint32_t row = 0; row < rows; ++row)
    first[samples.eval_of(row)] = std::min(first[samples.eval_of(row)], places[row].sample);
  const auto first_of = [&](std::uint32_t row) {
    const std::uint32_t eval = samples.eval_of(row);
    return eval == score::Samples::kNoEval ? places[row].sample : first[eval];
  };
  std::vector<std::uint32_t> order(rows);
  for (std::uint32_t row = 0; row < rows; ++row) order[row] = row;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(first_of(a), key(a), places[a].row, places[a].repeat, places[a].sample, a) <
           std::tuple(first_of(b), key(b), places[b].row, places[b].repeat, places[b].sample, b);
  });
  std::vector<Asked> out;
  std::uint32_t before = 0;
  for (const std::uint32_t row : order) {
    const bool is_new =
        out.empty() || key(row) != key(before) || places[row].row != places[before].row;
    if (is_new) out.push_back({samples.eval_of(row), places[row].row, {}});
    out.back().answers.push_back(row);
    before = row;
  }
  return out;
}

Rows rows_of(std::span<const Asked> asked) {
  Rows out;
  for (const Asked& question : asked) out.push_back(question.answers);
  return out;
}

Design make_design(const score::Samples& samples, std::span<const Asked> asked,
                   std::optional<UnitKind> unit) {
  Design out;
  std::vector<std::uint32_t> cases;  // by eval
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const bool is_new =
        i == 0 || asked[i].eval != asked[i - 1].eval || asked[i].eval == score::Samples::kNoEval;
    if (is_new) {
      const auto& eval = samples.evals()[asked[i].eval];
      out.evals.push_back(asked[i].eval == score::Samples::kNoEval ? formula::EvalName{} : eval);
      cases.push_back(0);
    }
    ++out.questions;
    ++cases.back();
  }
  const bool by_case = unit ? *unit == UnitKind::cases : out.evals.size() < kFewEvals;
  std::uint32_t question = 0;
  for (std::uint32_t eval = 0; eval < out.evals.size(); ++eval) {
    const bool splits = by_case && cases[eval] >= kLeastUnits;
    out.is_by_case.push_back(splits ? 1 : 0);
    out.first_unit.push_back(static_cast<std::uint32_t>(out.units.size()));
    if (splits)
      for (std::uint32_t i = 0; i < cases[eval]; ++i) out.units.push_back({eval, question + i, 1});
    else
      out.units.push_back({eval, question, cases[eval]});
    question += cases[eval];
  }
  return out;
}

Answers::Answers(const score::Samples& samples, const Rows& rows, std::vector<double> weights)
    : samples_(&samples), weights_(std::move(weights)) {
  start_.push_back(0);
  for (const auto& question : rows) {
    rows_.insert(rows_.end(), question.begin(), question.end());
    start_.push_back(static_cast<std::uint32_t>(rows_.size()));
  }
}

}  // namespace vibe::statistics
