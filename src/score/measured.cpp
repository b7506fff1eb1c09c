#include "score/measured.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "formula/names.h"
#include "score/figures.h"

namespace vibe::score {

using formula::Column;
using formula::Input;
using formula::kRunMetrics;
using formula::Selector;
using formula::Statistic;

namespace {

constexpr std::array kEvalColumns{Column::passed, Column::latency, Column::cost};
constexpr char kEnd = '\n';  // of a line; neither names nor keys contain it

// Independent of how a formula writes it.
std::string key_of(const Input& input) {
  constexpr std::array<std::string_view, 4> kSelectors{"all", "eval", "glob", "tag"};
  constexpr std::array<std::string_view, 11> kStatistics{
      "mean", "sum", "median",  "stddev",  "percentile", "count",
      "min",  "max", "percent", "pass_at", "pass_all"};
  return fmt::format("{} {} {} {} {}", kStatistics[static_cast<std::size_t>(input.statistic)],
                     formula::row_of(input.column).name, input.constant,
                     kSelectors[static_cast<std::size_t>(input.over.kind)], input.over.text);
}

// The names of the values that every layout has: another version may have others.
std::string head() {
  std::string out;
  for (const auto& metric : kRunMetrics) out += fmt::format("{} ", metric.name);
  for (const Column column : kEvalColumns) out += fmt::format("{} ", formula::row_of(column).name);
  return out;
}

std::optional<std::size_t> place_of_metric(const Input& input) {
  if (input.over.kind != Selector::Kind::all) return std::nullopt;
  for (std::size_t i = 0; i < kRunMetrics.size(); ++i)
    if (kRunMetrics[i].statistic == input.statistic && kRunMetrics[i].column == input.column &&
        kRunMetrics[i].percentile == input.constant)
      return i;
  return std::nullopt;
}

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(kEnd, at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace

InputLayout::InputLayout(std::vector<std::string> evals, std::vector<std::string> others)
    : evals_(std::move(evals)), others_(std::move(others)) {
  for (std::size_t i = 0; i < evals_.size(); ++i) eval_places_.emplace(evals_[i], i);
  for (std::size_t i = 0; i < others_.size(); ++i) other_places_.emplace(others_[i], i);
}

std::size_t InputLayout::size() const {
  return kRunMetrics.size() + evals_.size() * kEvalColumns.size() + others_.size();
}

std::optional<std::size_t> InputLayout::find(const Input& input) const {
  if (const auto metric = place_of_metric(input)) return metric;
  if (input.over.kind == Selector::Kind::eval && input.statistic == Statistic::mean) {
    const auto column = std::find(kEvalColumns.begin(), kEvalColumns.end(), input.column);
    const auto eval = eval_places_.find(input.over.text);
    if (column != kEvalColumns.end() && eval != eval_places_.end())
      return kRunMetrics.size() + eval->second * kEvalColumns.size() +
             static_cast<std::size_t>(column - kEvalColumns.begin());
  }
  const auto other = other_places_.find(key_of(input));
  if (other == other_places_.end()) return std::nullopt;
  return kRunMetrics.size() + evals_.size() * kEvalColumns.size() + other->second;
}

// Lines: what every layout of this version has, the number of evals, their names, the keys of the
// others.
std::string InputLayout::encode() const {
  std::string out = fmt::format("{}{}{}{}", head(), kEnd, evals_.size(), kEnd);
  for (const auto* list : {&evals_, &others_})
    for (const auto& line : *list) out += line + kEnd;
  return out;
}

base::Result<InputLayout> InputLayout::decode(std::string_view bytes) {
  std::vector<std::string> all = lines(bytes);
  const auto evals = all.size() < 2 ? std::nullopt : base::parse_integer(all[1]);
  if (!bytes.ends_with(kEnd) || !evals || all[0] != head() || *evals < 0 ||
      static_cast<std::size_t>(*evals) >= all.size() - 1)
    return base::fail(base::Code::store_damaged, {}, "the stored inputs of the run are damaged");
  const auto first = all.begin() + 2;
  const auto middle = first + static_cast<std::ptrdiff_t>(*evals);
  return InputLayout({first, middle}, {middle, all.end()});
}

Measured measure(const formula::Program& program, const Samples& samples) {
  Measured out;
  out.figures = encode_figures(samples);
  std::vector<std::string> evals, others;
  for (const auto& eval : samples.evals())
    if (!eval.name.empty() && eval.name.find(kEnd) == eval.name.npos) evals.push_back(eval.name);
  const InputLayout known(evals, {});
  std::vector<const Input*> others_of;
  for (const auto& input : program.inputs) {
    if (known.find(input) || input.over.text.find(kEnd) != input.over.text.npos) continue;
    others.push_back(key_of(input));
    others_of.push_back(&input);
  }
  for (const auto& metric : kRunMetrics)
    out.inputs.push_back(
        samples.measure({"", metric.statistic, metric.column, metric.percentile, {}}));
  for (const auto& eval : evals)
    for (const Column column : kEvalColumns)
      out.inputs.push_back(
          samples.measure({"", Statistic::mean, column, 0, {Selector::Kind::eval, eval}}));
  for (const Input* input : others_of) out.inputs.push_back(samples.measure(*input));
  out.layout = InputLayout(std::move(evals), std::move(others)).encode();
  return out;
}

}  // namespace vibe::score
