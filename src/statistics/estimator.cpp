#include "statistics/estimator.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formula/evaluate.h"
#include "score/numbers.h"
#include "statistics/distributions.h"

namespace vibe::statistics {

using formula::Column;
using formula::Input;

namespace {

constexpr std::size_t kUsualDraws = 10'000, kFewestDraws = 2'000, kMostPicks = 20'000'000;
constexpr std::size_t kMostSamples = 100'000;  // that are redrawn unless the user asks for draws
constexpr std::size_t kRoughBelow = 10;        // units
constexpr std::size_t kMostNamed = 3;          // evals with one answer each
constexpr std::size_t kOneIn = 20;             // draws may be undefined
constexpr double kHeavy = 0.2;                 // share of a sum in one answer
constexpr double kFewestInTail = 5;            // evals beyond a percentile

std::string shown_amount(double value, Column column) {
  switch (formula::row_of(column).column) {
    case Column::latency: return fmt::format("{:.3g} s", value);
    case Column::cost: return score::show_cost(value);
    default: return fmt::format("{:.4g}", value);
  }
}

bool has(const Estimate& estimate, NoteKind kind) {
  return std::any_of(estimate.notes.begin(), estimate.notes.end(),
                     [&](const Note& note) { return note.kind == kind; });
}

std::optional<Note> shown(const std::optional<Note>& refusal) {
  return refusal && !refusal->text.empty() ? refusal : std::nullopt;
}

std::size_t samples_of(std::span<const Answers* const> sides) {
  std::size_t out = 0;
  for (const Answers* side : sides) out += side->size();
  return out;
}

}  // namespace

std::size_t draw_count(const Settings& settings, std::size_t samples) {
  if (settings.draws) return *settings.draws;
  return std::clamp(kMostPicks / std::max<std::size_t>(samples, 1), kFewestDraws, kUsualDraws);
}

Estimator::Estimator(const Setting& setting, std::size_t formula, std::optional<double> value,
                     std::optional<double> on_undefined, bool keeps_values)
    : program_(setting.program),
      settings_(setting.settings),
      plan_(make_plan(setting.program, formula, setting.design)),
      value_(value),
      keeps_values_(keeps_values) {
  if (const auto refusal = refusal_of_both(samples_of(setting.sides))) {
    refuse(*refusal);
    return;
  }
  study_ = std::make_unique<Study>(setting.program, formula, setting.design, setting.redraw,
                                   setting.sides, on_undefined);
  const auto& plain = study_->plain_values();
  if (std::any_of(plain.begin(), plain.end(), [](double one) { return std::isnan(one); })) {
    refuse({});
    return;
  }
  for (OneInterval* interval : {&other_, &rerun_}) {
    const bool is_other = interval->about == About::other_evals;
    interval->refusal = is_other ? other_refusal() : rerun_refusal();
    interval->is_refused = interval->refusal.has_value();
    if (interval->is_refused) continue;
    interval->spread = study_->spread(interval->about);
    interval->tail = tail(interval->spread, settings_.level, is_other ? kLeastTail : 0);
  }
  if (!other_.is_refused && has_closed_form()) close();
}

std::vector<Wanted> Estimator::wanted() const {
  std::vector<Wanted> out;
  for (const OneInterval* interval : {&other_, &rerun_})
    if (!interval->is_refused && !interval->interval)
      out.push_back({study_.get(), interval->about});
  return out;
}

void Estimator::take(std::span<Drawn> drawn) {
  std::size_t next = 0;
  for (OneInterval* interval : {&other_, &rerun_})
    if (!interval->is_refused && !interval->interval) finish(*interval, drawn[next++]);
}

Estimate Estimator::result(std::size_t draws) const {
  Estimate out;
  out.other_evals = other_.interval;
  out.rerun = rerun_.interval;
  out.no_other_evals = shown(other_.refusal);
  out.no_rerun = shown(rerun_.refusal);
  add_notes(out);
  if (other_.interval || rerun_.interval) {
    const bool is_drawn = other_.drawn > 0 || rerun_.drawn > 0;
    out.method = is_drawn ? Method::draws : Method::closed_form;
    out.draws = is_drawn ? draws : 0;
  }
  return out;
}

Details Estimator::details() const {
  return {other_.spread, rerun_.spread, other_.tail, rerun_.tail, other_.values, rerun_.values};
}

// ---- when there is no interval

// A note without a text is not shown: the reader knows why.
std::optional<Note> Estimator::refusal_of_both(std::size_t samples) const {
  if (!value_ || plan_.used.empty()) return Note{};
  if (plan_.uses_extremes()) return extremes();
  if (samples > kMostSamples && !settings_.draws)
    return Note{
        NoteKind::too_many_samples,
        fmt::format("more than {} samples: use --draws 2000 to compute intervals", kMostSamples)};
  return std::nullopt;
}

void Estimator::refuse(const Note& note) {
  for (OneInterval* interval : {&other_, &rerun_}) {
    interval->refusal = note;
    interval->is_refused = true;
  }
}

Note Estimator::extremes() const {
  const auto planned = std::find_if(plan_.inputs.begin(), plan_.inputs.end(),
                                    [](const auto& one) { return one.how == How::extreme; });
  const Input& input = program_.inputs[planned->input];
  return {NoteKind::extremes,
          fmt::format("`{}` depends on a single answer, so there is no interval; "
                      "`percentile(COLUMN, {})` has one",
                      input.name, input.statistic == formula::Statistic::max ? 95 : 5)};
}

std::optional<Note> Estimator::other_refusal() const {
  if (plan_.random_units() > 0) return std::nullopt;
  if (plan_.names_all(study_->design()))
    return Note{NoteKind::named_only, "the formula is about these evals only"};
  const std::size_t evals = plan_.used_evals(study_->design());
  return Note{NoteKind::too_few_evals, fmt::format("{} eval{} too few to speak of others", evals,
                                                   evals == 1 ? " is" : "s are")};
}

std::optional<Note> Estimator::rerun_refusal() const {
  const Note one_answer{NoteKind::one_answer,
                        "one answer per eval: use --repeat 3 to learn how much a re-run varies"};
  const Note few{NoteKind::few_answers,
                 "some evals have one answer: use --repeat 3 to learn how much a re-run varies"};
  std::size_t questions = 0;
  for_each_question(plan_.used, [&](std::uint32_t) { ++questions; });
  const std::size_t once = count_single();
  const Note& note = once == questions ? one_answer : few;
  for (const std::uint32_t term : plan_.terms) {
    bool is_single = false;
    for_each_question(plan_.selected[term].units, [&](std::uint32_t question) {
      is_single = is_single || !study_->redraw().is_redrawn(question);
    });
    if (is_single) return note;
  }
  if (const auto k = answers_needed())
    return Note{NoteKind::few_answers,
                fmt::format("too few answers per eval: use --repeat {} to learn how much a re-run "
                            "varies",
                            *k)};
  if (once < questions) return std::nullopt;
  const bool uses_figures =
      std::any_of(plan_.inputs.begin(), plan_.inputs.end(), [&](const PlannedInput& planned) {
        return program_.inputs[planned.input].column != Column::passed;
      });
  if (plan_.named_shares.empty() || plan_.named.size() > kMostNamed || uses_figures ||
      study_->is_paired())
    return note;
  return std::nullopt;
}

// For chances of k answers, more than k to each question; none: there are enough.
std::optional<std::size_t> Estimator::answers_needed() const {
  std::optional<std::size_t> out;
  for (const PlannedInput& planned : plan_.inputs) {
    if (planned.how != How::by_question) continue;
    const auto k = static_cast<std::size_t>(program_.inputs[planned.input].constant);
    for_each_question(plan_.selected[planned.selected].units, [&](std::uint32_t question) {
      if (study_->redraw().counted(question) <= k) out = std::max(out.value_or(0), k + 1);
    });
  }
  return out;
}

// Used questions with one answer.
std::size_t Estimator::count_single() const {
  std::size_t count = 0;
  for_each_question(plan_.used, [&](std::uint32_t question) {
    if (!study_->redraw().is_redrawn(question)) ++count;
  });
  return count;
}

// Whether each used question has two answers, in the run with fewer.
bool Estimator::has_two_answers() const {
  bool out = true;
  for_each_question(plan_.used, [&](std::uint32_t question) {
    out = out && study_->redraw().counted(question) == 2;
  });
  return out;
}

template <class Visit>
void Estimator::for_each_question(std::span<const std::uint32_t> units, const Visit& visit) const {
  for (const std::uint32_t unit : units) {
    const Unit& of = study_->design().units[unit];
    for (std::uint32_t question = of.first; question < of.first + of.count; ++question)
      visit(question);
  }
}

// ---- the interval

// Of the bare formula `success_pct`, one answer for each unit.
bool Estimator::has_closed_form() const {
  const auto& nodes = program_.formulas[study_->formula()].tree.nodes;
  if (study_->is_paired() || nodes.size() != 1 || nodes[0].op != formula::Op::input) return false;
  const Input& input = program_.inputs[nodes[0].index];
  return input.statistic == formula::Statistic::percent &&
         input.over.kind == formula::Selector::Kind::all && plan_.strata.size() == 1 &&
         plan_.random_units() == plan_.used.size() &&
         std::all_of(plan_.used.begin(), plan_.used.end(), [&](std::uint32_t unit) {
           return study_->draws(About::other_evals).counted(unit) == 1;
         });
}

void Estimator::close() {
  const auto n = static_cast<double>(plan_.used.size());
  const double passed = std::round(*value_ / 100 * n);
  const double a = passed + 1, b = n - passed + 1;
  // Rounded, so that the last bits of library functions do not matter.
  const auto quantile = [&](double p) {
    constexpr double kDigits = 1e10;
    return std::round(100 * beta_quantile(p, a, b) * kDigits) / kDigits;
  };
  other_.interval = around(quantile(other_.tail), quantile(1 - other_.tail));
}

score::Interval Estimator::around(double low, double high) const {
  return {std::min(low, *value_), std::max(high, *value_)};
}

score::Interval Estimator::quantiles(std::vector<double> defined, double tail) const {
  const auto n = static_cast<double>(defined.size());
  const double low = order_statistic(defined, tail * (n + 1));
  return around(low, order_statistic(defined, (1 - tail) * (n + 1)));
}

void Estimator::finish(OneInterval& interval, Drawn& drawn) {
  interval.drawn = drawn.values.size();
  if (keeps_values_) interval.values = drawn.values;
  interval.defined = std::move(drawn.values);
  std::erase_if(interval.defined, [](double value) { return std::isnan(value); });
  const std::size_t undefined = interval.drawn - interval.defined.size();
  const auto refuse_this = [&](NoteKind kind, std::string text) {
    interval.is_refused = true;
    interval.refusal = Note{kind, std::move(text)};
  };
  if (kOneIn * undefined > interval.drawn) {
    const double share = static_cast<double>(undefined) / static_cast<double>(interval.drawn);
    refuse_this(NoteKind::undefined_draws, undefined_text(share, drawn.undefined));
  } else if (Values::change(drawn.signs)) {
    std::size_t number = 0;
    while (!Values::change({&drawn.signs[number], 1})) ++number;
    refuse_this(NoteKind::sign, fmt::format("the sign of `{}` is not certain",
                                            denominator_text(program_, study_->formula(), number)));
  } else {
    interval.interval = quantiles(interval.defined, interval.tail);
  }
}

std::optional<double> Estimator::deviation(About about) const {
  const auto& values = of(about).defined;
  if (!of(about).interval || values.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += (value - sum / n) * (value - sum / n);
  return std::sqrt(squares / (n - 1));
}

std::optional<score::Interval> Estimator::at_level(About about, double level) const {
  const OneInterval& interval = of(about);
  if (!interval.interval || interval.defined.empty()) return std::nullopt;
  const double least = about == About::other_evals ? kLeastTail : 0;
  return quantiles(interval.defined, tail(interval.spread, level, least));
}

std::string Estimator::undefined_text(double share, const std::vector<double>& inputs) const {
  std::string why;
  if (!inputs.empty()) {
    const formula::Evaluation evaluation(program_, inputs);
    why = why_undefined(evaluation, study_->formula());
  }
  return fmt::format("{:.1f} % of the draws have no score{}{}", 100 * share,
                     why.empty() ? "" : ": ", why);
}

// ---- when not to trust it

void Estimator::add_notes(Estimate& out) const {
  const std::size_t units = plan_.random_units();
  const auto add = [&](NoteKind kind, std::string text) {
    out.notes.push_back({kind, std::move(text)});
  };
  if (other_.interval) {
    if (units < kRoughBelow)
      add(NoteKind::rough,
          fmt::format("rough: only {} {}", units, units_are_cases() ? "cases" : "evals"));
    if (other_.tail <= kLeastTail)
      add(NoteKind::few_for_level, "too few evals for this level: the interval may be too narrow");
    add_percentile_notes(out, units);
    if (plan_.has_small_strata)
      add(NoteKind::small_selection,
          "some kinds of evals have fewer than 5: they are kept fixed, so the interval does not "
          "cover other evals like them");
  }
  if (rerun_.interval && count_single() > 0)
    add(NoteKind::few_answers, "some evals have one answer: asked again, they may vary more");
  else if (rerun_.interval && has_two_answers())
    add(NoteKind::few_answers,
        "two answers per eval show little of how much a re-run varies: --repeat 3 is better");
  if (other_.interval || rerun_.interval) add_tail_notes(out);
  for (const OneInterval* interval : {&other_, &rerun_})
    if (interval->interval && interval->defined.size() < interval->drawn &&
        !has(out, NoteKind::left_out_draws))
      add(NoteKind::left_out_draws,
          fmt::format("{} of {} draws have no score and are left out",
                      interval->drawn - interval->defined.size(), interval->drawn));
}

bool Estimator::units_are_cases() const {
  return std::all_of(plan_.used.begin(), plan_.used.end(), [&](std::uint32_t unit) {
    return study_->design().is_by_case[study_->design().units[unit].eval] != 0;
  });
}

void Estimator::add_percentile_notes(Estimate& out, std::size_t units) const {
  for (const PlannedInput& planned : plan_.inputs) {
    const Input& input = program_.inputs[planned.input];
    if (input.statistic != formula::Statistic::percentile) continue;
    const double p = input.constant, beyond = std::min(p, 100 - p) / 100;
    if (static_cast<double>(units) * beyond >= kFewestInTail) continue;
    out.notes.push_back(
        {NoteKind::few_for_percentile,
         fmt::format("too few evals for `{}`: the {} end is {}", input.name,
                     p >= 50 ? "upper" : "lower", p >= 50 ? "too low" : "too high")});
    return;
  }
}

// A mean or sum in which one answer counts much.
void Estimator::add_tail_notes(Estimate& out) const {
  for (std::size_t side = 0; side < (study_->is_paired() ? 2U : 1U); ++side) {
    const Answers& answers = study_->weighted(side).answers();
    for (const PlannedInput& planned : plan_.inputs) {
      const Input& input = program_.inputs[planned.input];
      if ((planned.how != How::mean && planned.how != How::sum) || input.column == Column::passed)
        continue;
      double largest = 0, total = 0;
      for_each_question(plan_.selected[planned.selected].units, [&](std::uint32_t question) {
        for (std::uint32_t i = answers.begin(question); i < answers.end(question); ++i)
          if (const double x = answers.value(i, input.column); !std::isnan(x)) {
            largest = std::max(largest, x);
            total += x;
          }
      });
      if (largest <= kHeavy * total) continue;
      out.notes.push_back(
          {NoteKind::heavy_tail,
           fmt::format("one answer ({}) makes {:.0f} % of `{}`: the interval may "
                       "be too narrow",
                       shown_amount(largest, input.column), 100 * largest / total, input.name)});
      return;
    }
  }
}

}  // namespace vibe::statistics
