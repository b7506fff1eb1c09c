#include "score/samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "score/interval.h"
#include "score/passes.h"

namespace vibe::score {

using formula::Column;
using formula::Input;
using formula::kUndefined;
using formula::Selector;
using formula::Statistic;

namespace {

double sum(std::span<const double> values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

double median(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return kUndefined;
  const double mean = sum(values) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double over_values(const Input& input, std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  if (input.statistic == Statistic::count) return count;
  if (values.empty()) return kUndefined;
  switch (input.statistic) {
    case Statistic::mean: return sum(values) / count;
    case Statistic::percent: return 100 * sum(values) / count;
    case Statistic::sum: return sum(values);
    case Statistic::min: return *std::min_element(values.begin(), values.end());
    case Statistic::max: return *std::max_element(values.begin(), values.end());
    case Statistic::stddev: return standard_deviation(values);
    case Statistic::median: std::sort(values.begin(), values.end()); return median(values);
    case Statistic::percentile:
      std::sort(values.begin(), values.end());
      return percentile(values, input.constant / 100);
    case Statistic::count: return count;
    case Statistic::pass_at:
    case Statistic::pass_all: break;  // over_questions()
  }
  return kUndefined;
}

bool is_tokens(Column column) {
  return column == Column::prompt_tokens || column == Column::completion_tokens ||
         column == Column::total_tokens;
}

double statistic(const Input& input, std::vector<double>& values) {
  const double result = over_values(input, values);
  return std::isfinite(result) ? result : kUndefined;  // an overflow is undefined
}

}  // namespace

std::uint32_t Samples::eval(std::string_view name) {
  if (name.empty()) return kNoEval;
  const auto next = static_cast<std::uint32_t>(evals_.size());
  const auto [found, added] = numbers_.try_emplace(std::string(name), next);
  if (added) evals_[add_unnamed()].name = name;
  return found->second;
}

std::uint32_t Samples::add_unnamed() {
  evals_.emplace_back();
  rows_.emplace_back();
  checks_.emplace_back();
  return static_cast<std::uint32_t>(evals_.size() - 1);
}

void Samples::tag(std::uint32_t eval, std::string_view tag) {
  constexpr std::size_t kFew = 16;
  auto& tags = evals_[eval].tags;
  if (tags.size() < kFew) {
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.emplace_back(tag);
    return;
  }
  auto& known = many_tags_[eval];
  if (known.empty()) known.insert(tags.begin(), tags.end());
  if (known.emplace(tag).second) tags.emplace_back(tag);
}

void Samples::SeldomKnown::add(std::size_t row, double value) {
  if (std::isnan(value)) return;
  values_.resize(row, kUndefined);
  values_.push_back(value);
}

void Samples::add(std::uint32_t eval, const Sample& sample) {
  if (places_.empty()) return add_figures(eval, sample);
  add(eval, sample, next_place(eval));
}

void Samples::add(std::uint32_t eval, const Sample& sample, const Place& place) {
  if (places_.empty()) places_ = places();
  places_.push_back(place);
  add_figures(eval, sample);
}

Place Samples::next_place(std::uint32_t eval) const {
  const auto repeat = eval == kNoEval ? 0 : static_cast<std::uint32_t>(rows_[eval].size());
  return {static_cast<std::uint32_t>(size()), 0, repeat};
}

std::vector<Place> Samples::places() const {
  if (!places_.empty()) return places_;
  std::vector<Place> out(size());
  for (std::uint32_t row = 0; row < size(); ++row) out[row].sample = row;
  for (std::uint32_t eval = kNoEval + 1; eval < evals_.size(); ++eval)
    for (std::uint32_t i = 0; i < rows_[eval].size(); ++i) out[rows_[eval][i]].repeat = i;
  return out;
}

void Samples::count_check(std::uint32_t eval, std::string_view kind, Verdict verdict) {
  auto& counts = checks_[eval];
  auto found = std::find_if(counts.begin(), counts.end(),
                            [&](const CheckCount& count) { return count.kind == kind; });
  if (found == counts.end()) found = counts.insert(found, {.kind = std::string(kind)});
  switch (verdict) {
    case Verdict::pass: ++found->passed; break;
    case Verdict::fail: ++found->failed; break;
    case Verdict::error: ++found->errors; break;
  }
}

void Samples::add_check_count(std::uint32_t eval, CheckCount count) {
  checks_[eval].push_back(std::move(count));
}

void Samples::add_figures(std::uint32_t eval, const Sample& sample) {
  const std::size_t row = eval_.size();
  output_quality_.add(row, sample.output_quality);
  structure_score_.add(row, sample.structure_score);
  fitness_.add(row, sample.fitness);
  rows_[eval].push_back(static_cast<std::uint32_t>(eval_.size()));
  eval_.push_back(eval);
  passed_.push_back(sample.passed ? 1 : 0);
  latency_.push_back(sample.latency);
  cost_.push_back(sample.cost);
  prompt_tokens_.push_back(sample.prompt_tokens);
  completion_tokens_.push_back(sample.completion_tokens);
}

void Samples::add_errors(std::size_t count, std::string_view first) {
  if (errors_ == 0) first_error_ = first;
  errors_ += count;
}

bool Samples::is_unanswered(std::uint32_t row) const {
  return passed_[row] == 0 && std::isnan(latency_[row]) && cost_[row] == 0;
}

double Samples::value(std::uint32_t row, Column column) const {
  switch (column) {
    case Column::passed: return passed_[row];
    case Column::latency: return latency_[row];
    case Column::cost: return cost_[row];
    case Column::prompt_tokens: return prompt_tokens_[row];
    case Column::completion_tokens: return completion_tokens_[row];
    case Column::total_tokens: return prompt_tokens_[row] + completion_tokens_[row];
    case Column::output_quality: return output_quality_.at(row);
    case Column::structure_score: return structure_score_.at(row);
    case Column::fitness: return fitness_.at(row);
  }
  return kUndefined;
}

std::vector<std::uint32_t> Samples::select(const Selector& selector) const {
  std::vector<char> chosen(evals_.size(), 0);
  for (std::size_t i = 0; i < evals_.size(); ++i)
    chosen[i] = formula::selects(selector, evals_[i].name, evals_[i].tags) ? 1 : 0;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < eval_.size(); ++row)
    if (chosen[eval_[row]] != 0) rows.push_back(row);
  return rows;
}

double Samples::over_questions(const Input& input, std::span<const std::uint32_t> rows) const {
  struct Answered {
    std::size_t answers = 0, passed = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Answered> questions;
  for (const std::uint32_t row : rows) {
    // A sample without an eval is an eval by itself.
    const std::uint32_t own = eval_[row] == kNoEval ? row : places_.empty() ? 0 : places_[row].row;
    Answered& question = questions[{eval_[row], own}];
    ++question.answers;
    question.passed += passed_[row];
  }
  double total = 0;
  for (const auto& [key, question] : questions)
    total += pass_chance(input, question.answers, question.passed);
  return questions.empty() ? kUndefined : total / static_cast<double>(questions.size());
}

double Samples::over_rows(const Input& input, std::span<const std::uint32_t> rows) const {
  if (is_by_question(input.statistic)) return over_questions(input, rows);
  const bool is_sum_of_tokens = input.statistic == Statistic::sum && is_tokens(input.column);
  std::vector<double> values;
  values.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    const double v = value(row, input.column);
    if (!std::isnan(v))
      values.push_back(v);
    else if (is_sum_of_tokens && is_unanswered(row))
      values.push_back(0);  // an unanswered sample uses no tokens
  }
  const bool incomplete = values.size() < rows.size();
  const bool is_of_cost = input.column == Column::cost && input.statistic != Statistic::count;
  if (incomplete && (is_of_cost || is_sum_of_tokens)) return kUndefined;
  return statistic(input, values);
}

double Samples::measure(const Input& input) const {
  if (input.over.kind == Selector::Kind::eval) {
    const auto found = numbers_.find(input.over.text);
    return over_rows(
        input, found == numbers_.end() ? std::span<const std::uint32_t>() : rows_[found->second]);
  }
  return over_rows(input, select(input.over));
}

}  // namespace vibe::score
