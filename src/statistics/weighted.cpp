#include "statistics/weighted.h"

#include <algorithm>
#include <cmath>

#include "base/sort.h"
#include "score/passes.h"

namespace vibe::statistics {

using formula::Column;
using formula::Input;
using formula::kUndefined;
using formula::Statistic;

namespace {

bool is_tokens(Column column) {
  return column == Column::prompt_tokens || column == Column::completion_tokens ||
         column == Column::total_tokens;
}

double finite(double value) { return std::isfinite(value) ? value : kUndefined; }

}  // namespace

Weighted::Weighted(const formula::Program& program, const Plan& plan, const Design& design,
                   const Answers& answers)
    : program_(program), plan_(plan), design_(design), answers_(answers) {
  for (std::uint32_t i = 0; i < plan.selected.size(); ++i)
    weight_sums_.push_back(sum({.selected = i}));
  for (const PlannedInput& planned : plan.inputs)
    inputs_.push_back(plan_input(planned, program.inputs[planned.input]));
  fill_tables();
  for (InputSums& input : inputs_) {
    input.size = totals_[input.weight];
    input.known_size = totals_[input.known];
  }
}

std::uint32_t Weighted::sum(const Sum& wanted) {
  const auto found = std::find(sums_.begin(), sums_.end(), wanted);
  if (found != sums_.end()) return static_cast<std::uint32_t>(found - sums_.begin());
  sums_.push_back(wanted);
  return static_cast<std::uint32_t>(sums_.size() - 1);
}

double Weighted::value(std::uint32_t answer, const Sum& sum) const {
  const double value = answers_.value(answer, sum.column);
  return std::isnan(value) && sum.counts_unanswered && answers_.is_unanswered(answer) ? 0 : value;
}

double Weighted::moment(double value, const Sum& sum) const {
  if (sum.moment == Moment::weight) return 1;
  if (std::isnan(value)) return 0;
  const double shifted = value - sum.shift;
  switch (sum.moment) {
    case Moment::weight:
    case Moment::known: return 1;
    case Moment::first: return shifted;
    case Moment::second: return shifted * shifted;
  }
  return 0;
}

Weighted::InputSums Weighted::plan_input(const PlannedInput& planned, const Input& input) {
  InputSums out;
  const bool counts_unanswered = input.statistic == Statistic::sum && is_tokens(input.column);
  Sum key{planned.selected, input.column, Moment::first, counts_unanswered, 0};
  // What is known of its answers, plainly.
  std::vector<std::pair<double, std::uint32_t>> known;
  std::size_t all = 0;
  for (const std::uint32_t unit : plan_.selected[planned.selected].units) {
    const Unit& of = design_.units[unit];
    for (std::uint32_t question = of.first; question < of.first + of.count; ++question)
      for (std::uint32_t answer = answers_.begin(question); answer < answers_.end(question);
           ++answer) {
        ++all;
        if (const double x = value(answer, key); !std::isnan(x)) known.emplace_back(x, answer);
      }
  }
  if (planned.how != How::count) {
    out.needs_all = input.column == Column::cost || counts_unanswered;
    out.is_undefined = known.empty() || (out.needs_all && known.size() < all);
  }
  if (planned.how == How::stddev && !known.empty()) {
    double total = 0;
    for (const auto& one : known) total += one.first;
    key.shift = total / static_cast<double>(known.size());
  }
  if (planned.how == How::share) {
    const auto& shares = plan_.named_shares;
    const auto found =
        std::find(shares.begin(), shares.end(), plan_.selected[planned.selected].named);
    out.named = static_cast<std::uint32_t>(found - shares.begin());
  }
  if (planned.how == How::ordered || planned.how == How::extreme) {
    (planned.how == How::ordered ? has_ordered_ : has_extremes_) = true;
    out.share = input.statistic == Statistic::median ? 0.5 : input.constant / 100;
    std::sort(known.begin(), known.end());
    for (const auto& [x, answer] : known) {
      out.sorted.push_back(x);
      out.ordered.push_back(answer);
    }
  }
  const auto at = [&](Moment moment) {
    key.moment = moment;
    return sum(key);
  };
  out.weight = static_cast<std::uint32_t>(weight_sums_[planned.selected]);
  out.known = out.first = out.weight;
  if (input.column != Column::passed) out.known = at(Moment::known);
  if (planned.how == How::by_question) plan_chances(planned, input, out);
  if (planned.how == How::ordered || planned.how == How::extreme || planned.how == How::by_question)
    return out;
  if (planned.how != How::count) out.first = at(Moment::first);
  if (planned.how == How::stddev) out.second = at(Moment::second);
  return out;
}

void Weighted::plan_chances(const PlannedInput& planned, const Input& input, InputSums& out) {
  has_chances_ = true;
  const auto k = static_cast<std::size_t>(input.constant);
  for (const std::uint32_t unit : plan_.selected[planned.selected].units) {
    const Unit& of = design_.units[unit];
    for (std::uint32_t question = of.first; question < of.first + of.count; ++question) {
      const std::size_t r = answers_.count(question);
      std::size_t passed = 0;
      for (std::uint32_t i = answers_.begin(question); i < answers_.end(question); ++i)
        passed += answers_.value(i, Column::passed) != 0 ? 1 : 0;
      Chance chance{question, score::pass_chance(input, r, passed), 0};
      if (std::isnan(chance.value)) out.is_undefined = true;
      if (r > k) {
        // By leaving out one answer at a time: one that passed, or one that failed.
        const auto n = static_cast<double>(r), p = static_cast<double>(passed);
        const double a = passed > 0 ? score::pass_chance(input, r - 1, passed - 1) : 0;
        const double b = passed < r ? score::pass_chance(input, r - 1, passed) : 0;
        const double mean = (p * a + (n - p) * b) / n;
        const double squares = p * (a - mean) * (a - mean) + (n - p) * (b - mean) * (b - mean);
        chance.deviation = std::sqrt((n - 1) / n * squares);
      }
      out.chances.push_back(chance);
    }
  }
}

void Weighted::fill_tables() {
  totals_.assign(sums_.size(), 0);
  eval_sums_.resize(design_.evals.size());
  for (std::uint32_t k = 0; k < sums_.size(); ++k)
    for (const std::uint32_t unit : plan_.selected[sums_[k].selected].units) {
      auto& of_eval = eval_sums_[design_.units[unit].eval];
      if (of_eval.empty() || of_eval.back() != k) of_eval.push_back(k);
    }
  // Units, their questions and the answers to these are in the same order.
  std::vector<double> question_total, unit_total;
  for (const Unit& unit : design_.units) {
    const auto& of_eval = eval_sums_[unit.eval];
    unit_total.assign(of_eval.size(), 0);
    for (std::uint32_t question = unit.first; question < unit.first + unit.count; ++question) {
      question_total.assign(of_eval.size(), 0);
      for (std::uint32_t answer = answers_.begin(question); answer < answers_.end(question);
           ++answer) {
        double* const row = by_answer_.add(of_eval);
        for (std::size_t i = 0; i < of_eval.size(); ++i) {
          const Sum& sum = sums_[of_eval[i]];
          question_total[i] += row[i] = moment(value(answer, sum), sum);
        }
      }
      double* const row = questions_.add(of_eval);
      for (std::size_t i = 0; i < of_eval.size(); ++i)
        unit_total[i] += row[i] = question_total[i] * answers_.weight(question);
    }
    double* const row = units_.add(of_eval);
    for (std::size_t i = 0; i < of_eval.size(); ++i) totals_[of_eval[i]] += row[i] = unit_total[i];
  }
}

double Weighted::pass_share(std::span<const std::uint32_t> units) const {
  double passed = 0, all = 0;
  for (const std::uint32_t unit : units) {
    const Unit& of = design_.units[unit];
    for (std::uint32_t question = of.first; question < of.first + of.count; ++question)
      for (std::uint32_t answer = answers_.begin(question); answer < answers_.end(question);
           ++answer) {
        passed += answers_.weight(question) * answers_.value(answer, Column::passed);
        all += answers_.weight(question);
      }
  }
  return passed / all;
}

void Weighted::add(const Copy& copy, std::span<double> sums) const {
  const Row of = copy.unit != kNone ? of_unit(copy.unit) : of_answer(copy.answer);
  double count = 0;
  for (std::size_t i = 0; i < of.sums.size(); ++i)
    if (of.sums[i] == weight_sums_[copy.selected]) count = of.values[i];
  for (std::size_t i = 0; i < of.sums.size(); ++i) {
    const Sum& sum = sums_[of.sums[i]];
    if (sum.selected != copy.selected) continue;
    const double x = sum.column == Column::passed ? count * moment(copy.passed, sum) : of.values[i];
    sums[of.sums[i]] += copy.weight * x;
  }
}

// Interpolates between the middles of the answers' weights. Copies come after real answers of the
// same value.
double Weighted::percentile(const InputSums& input, std::uint32_t selected,
                            std::span<const double> weights, std::span<const Copy> copies,
                            Column column) const {
  struct Entry {
    double value, weight;
  };
  std::vector<Entry> extra;
  for (const Copy& copy : copies) {
    if (copy.selected != selected || copy.weight <= 0) continue;
    const auto add = [&](std::uint32_t answer, double weight) {
      const double x = column == Column::passed ? copy.passed : answers_.value(answer, column);
      if (!std::isnan(x)) extra.push_back({x, weight});
    };
    if (copy.unit == kNone) {
      add(copy.answer, copy.weight);
      continue;
    }
    const Unit& of = design_.units[copy.unit];
    for (std::uint32_t question = of.first; question < of.first + of.count; ++question)
      for (std::uint32_t answer = answers_.begin(question); answer < answers_.end(question);
           ++answer)
        add(answer, copy.weight * answers_.weight(question));
  }
  base::stable_sort(extra, [](const Entry& a, const Entry& b) { return a.value < b.value; });

  const auto for_each = [&](const auto& visit) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < input.ordered.size(); ++i) {
      for (; next < extra.size() && extra[next].value < input.sorted[i]; ++next)
        if (!visit(extra[next])) return;
      const double weight = weights[input.ordered[i]];
      if (weight > 0 && !visit(Entry{input.sorted[i], weight})) return;
    }
    for (; next < extra.size(); ++next)
      if (!visit(extra[next])) return;
  };
  double total = 0, first = 0, last = 0;
  for_each([&](const Entry& entry) {
    if (total == 0) first = entry.weight;
    total += entry.weight;
    last = entry.weight;
    return true;
  });
  if (total == 0) return kUndefined;
  const double from = first / 2, wanted = from + input.share * (total - last / 2 - from);
  double so_far = 0, before_middle = 0, before_value = 0, out = 0;
  bool is_first = true;
  for_each([&](const Entry& entry) {
    const double middle = so_far + entry.weight / 2;
    out = entry.value;
    if (!is_first && wanted < middle) {
      out = before_value +
            (entry.value - before_value) * ((wanted - before_middle) / (middle - before_middle));
      return false;
    }
    so_far += entry.weight;
    before_middle = middle;
    before_value = entry.value;
    is_first = false;
    return true;
  });
  return out;
}

double Weighted::chance_of(std::uint32_t question, const Input& input,
                           std::span<const double> weights) const {
  std::size_t count = 0, passed = 0;
  for (std::uint32_t i = answers_.begin(question); i < answers_.end(question); ++i) {
    if (weights[i] <= 0) continue;
    ++count;
    passed += answers_.value(i, Column::passed) != 0 ? 1 : 0;
  }
  return score::pass_chance(input, count, passed);
}

double Weighted::chance(const InputSums& input, const PlannedInput& planned,
                        std::span<const double> weights, std::span<const double> moves,
                        std::span<const Copy> copies) const {
  double total = 0, all = 0;
  const auto add = [&](double value, double weight) {
    total += weight * value;
    all += weight;
  };
  for (const Chance& chance : input.chances) {
    const std::uint32_t question = chance.question;
    if (!moves.empty() && !std::isnan(moves[question])) {
      add(chance.value + chance.deviation * moves[question], 1);
      continue;
    }
    double weight = 0;
    for (std::uint32_t i = answers_.begin(question); i < answers_.end(question); ++i)
      weight += weights[i];
    weight /= answers_.weight(question) * answers_.count(question);
    if (weight > 0) add(chance_of(question, program_.inputs[planned.input], weights), weight);
  }
  for (const Copy& copy : copies) {
    if (copy.selected != planned.selected || copy.weight <= 0) continue;
    const double questions = copy.unit != kNone ? design_.units[copy.unit].count : 1;
    add(copy.passed, copy.weight * questions);
  }
  return std::clamp(total / all, 0.0, 1.0);
}

double Weighted::chance_of_part(const InputSums& input, const Input& of,
                                std::span<const double> weights) const {
  double total = 0, questions = 0;
  for (const Chance& chance : input.chances) {
    const auto first = weights.begin() + answers_.begin(chance.question);
    if (std::all_of(first, first + answers_.count(chance.question),
                    [](double weight) { return weight <= 0; }))
      continue;
    total += chance_of(chance.question, of, weights);
    questions += 1;
  }
  return total / questions;
}

void Weighted::values(std::span<const double> sums, std::span<const Smoothing> smoothing,
                      std::span<const double> weights, std::span<const double> moves,
                      std::span<const Copy> copies, std::span<double> out) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const InputSums& input = inputs_[i];
    const PlannedInput& planned = plan_.inputs[i];
    if (input.is_undefined) {
      out[i] = kUndefined;
      continue;
    }
    const double weight = sums[input.weight], known = sums[input.known], first = sums[input.first];
    double value = kUndefined;
    switch (planned.how) {
      case How::mean:
        if (known > 0) value = first / known;
        break;
      case How::percent:
        if (weight > 0) value = 100 * first / weight;
        break;
      case How::sum:
        if (known > 0) value = first / weight * input.size;
        break;
      case How::count: value = weight > 0 ? known / weight * input.size : 0; break;
      case How::stddev:
        if (known > 0 && input.known_size > 1) {
          const double mean = first / known;
          const double variance = std::max(0.0, sums[input.second] / known - mean * mean);
          value = std::sqrt(variance * (input.known_size / (input.known_size - 1)));
        }
        break;
      case How::share:
        if (smoothing.empty()) {
          if (known > 0) value = first / known;
        } else {
          const Smoothing& smooth = smoothing[input.named];
          const double plain = input.size;
          value = (smooth.weight * first + smooth.pass) /
                  (smooth.weight * plain + smooth.fail + smooth.pass);
        }
        break;
      case How::ordered:
        value = percentile(input, planned.selected, weights, copies,
                           program_.inputs[planned.input].column);
        break;
      case How::by_question: value = chance(input, planned, weights, moves, copies); break;
      case How::extreme:
        // Intervals of extremes are refused.
        break;
    }
    out[i] = finite(value);
  }
}

double Weighted::extreme(const InputSums& input, std::span<const double> weights,
                         bool is_largest) const {
  const std::size_t size = input.ordered.size();
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t at = is_largest ? size - 1 - i : i;
    if (weights[input.ordered[at]] > 0) return input.sorted[at];
  }
  return kUndefined;
}

void Weighted::values_of_part(std::span<const double> sums, std::span<const double> weights,
                              std::span<double> out) const {
  constexpr double kNothing = 1e-9;  // sums of weights may differ by rounding
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const InputSums& input = inputs_[i];
    const PlannedInput& planned = plan_.inputs[i];
    const auto& of = program_.inputs[planned.input];
    const double weight = sums[input.weight], known = sums[input.known], first = sums[input.first];
    double value = kUndefined;
    const bool is_undefined = planned.how != How::count &&
                              (known < kNothing || (input.needs_all && known < weight - kNothing));
    if (!is_undefined) switch (planned.how) {
        case How::mean:
        case How::share: value = first / known; break;
        case How::percent: value = 100 * first / weight; break;
        case How::sum: value = first; break;
        case How::count: value = known; break;
        case How::stddev:
          if (known > 1 + kNothing) {
            const double mean = first / known;
            const double variance = std::max(0.0, sums[input.second] / known - mean * mean);
            value = std::sqrt(variance * (known / (known - 1)));
          }
          break;
        case How::ordered:
          value = percentile(input, planned.selected, weights, {}, of.column);
          break;
        case How::extreme: value = extreme(input, weights, of.statistic == Statistic::max); break;
        case How::by_question: value = chance_of_part(input, of, weights); break;
      }
    out[i] = finite(value);
  }
}

}  // namespace vibe::statistics
