#include "statistics/interval.h"

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
constexpr double kMostUndefined = 0.05;        // share of the draws
constexpr double kHeavy = 0.2;                 // share of a sum in one answer
constexpr double kFewestInTail = 5;            // evals beyond a percentile

// One of the two intervals of a formula.
struct Side {
  About about;
  std::optional<score::Interval> interval{};
  std::optional<Note> refusal{};  // a note without a text is not shown
  bool is_refused = false;
  Spread spread{};
  double tail = 0;
  std::vector<double> values{};
  std::size_t defined = 0;
};

std::string shown_amount(double value, Column column) {
  switch (formula::row_of(column).column) {
    case Column::latency: return fmt::format("{:.3g} s", value);
    case Column::cost: return score::show_cost(value);
    default: return fmt::format("{:.4g}", value);
  }
}

class Estimator {
 public:
  Estimator(const Study& study, std::optional<double> value, const Settings& settings,
            std::size_t samples)
      : study_(study), plan_(study.plan()), value_(value), settings_(settings), samples_(samples) {
    for (Side* side : {&other_, &rerun_}) {
      side->refusal = refusal(*side);
      side->is_refused = side->refusal.has_value();
      if (side->is_refused) continue;
      side->spread = study.spread(side->about);
      const bool is_other = side->about == About::other_evals;
      side->tail = tail(side->spread, settings.level, is_other ? kLeastTail : 0);
    }
    if (!other_.is_refused && has_closed_form()) close();
  }

  // The draws that it needs.
  std::vector<Wanted> wanted() const {
    std::vector<Wanted> out;
    for (const Side* side : {&other_, &rerun_})
      if (!side->is_refused && !side->interval) out.push_back({&study_, side->about});
    return out;
  }

  // Takes as many as it wanted.
  void take(std::span<Drawn> drawn) {
    std::size_t next = 0;
    for (Side* side : {&other_, &rerun_})
      if (!side->is_refused && !side->interval) finish(*side, drawn[next++]);
  }

  Estimate result(std::size_t draws) const {
    Estimate out;
    out.other_evals = other_.interval;
    out.rerun = rerun_.interval;
    for (const Side* side : {&other_, &rerun_})
      if (side->refusal && !side->refusal->text.empty() && !has(out, side->refusal->kind))
        out.notes.push_back(*side->refusal);
    add_notes(out);
    if (other_.interval || rerun_.interval) {
      const bool is_drawn = !other_.values.empty() || !rerun_.values.empty();
      out.method = is_drawn ? Method::draws : Method::closed_form;
      out.draws = is_drawn ? draws : 0;
    }
    return out;
  }

  Details details() const {
    return {other_.spread, rerun_.spread, other_.tail, rerun_.tail, other_.values, rerun_.values};
  }

 private:
  static bool has(const Estimate& estimate, NoteKind kind) {
    return std::any_of(estimate.notes.begin(), estimate.notes.end(),
                       [&](const Note& note) { return note.kind == kind; });
  }

  // ---- when there is no interval

  std::optional<Note> refusal(const Side& side) const {
    // The reader knows why: the score is undefined, or uses no answer.
    if (!value_ || plan_.used.empty() || plan_.inputs.empty()) return Note{};
    if (plan_.uses_extremes()) return extremes();
    if (std::isnan(study_.plain_values().front())) return Note{};
    if (samples_ > kMostSamples && !settings_.draws)
      return Note{
          NoteKind::too_many_samples,
          fmt::format("more than {} samples: use --draws 2000 to compute intervals", kMostSamples)};
    return side.about == About::other_evals ? other_refusal() : rerun_refusal();
  }

  Note extremes() const {
    const auto planned = std::find_if(plan_.inputs.begin(), plan_.inputs.end(),
                                      [](const auto& one) { return one.how == How::extreme; });
    return {NoteKind::extremes,
            fmt::format("`{}` depends on a single answer, so there is no interval; "
                        "`percentile(COLUMN, 95)` has one",
                        study_.program().inputs[planned->input].name)};
  }

  std::optional<Note> other_refusal() const {
    if (plan_.random_units() > 0) return std::nullopt;
    if (plan_.names_all(study_.design()))
      return Note{NoteKind::named_only, "the formula is about these evals only"};
    const std::size_t evals = plan_.used_evals(study_.design());
    return Note{NoteKind::too_few_evals, fmt::format("{} eval{} too few to speak of others", evals,
                                                     evals == 1 ? " is" : "s are")};
  }

  std::optional<Note> rerun_refusal() const {
    const Note one_answer{NoteKind::one_answer,
                          "one answer per eval: use --repeat 3 to learn how much a re-run varies"};
    const Note few{NoteKind::few_answers,
                   "some evals have one answer: use --repeat 3 to learn how much a re-run varies"};
    std::size_t questions = 0, once = 0;
    for_each_question(plan_.used, [&](std::uint32_t question) {
      ++questions;
      if (!study_.redraw().is_redrawn(question)) ++once;
    });
    const Note& note = once == questions ? one_answer : few;
    for (const std::uint32_t term : plan_.terms) {
      bool is_single = false;
      for_each_question(plan_.selected[term].units, [&](std::uint32_t question) {
        is_single = is_single || !study_.redraw().is_redrawn(question);
      });
      if (is_single) return note;
    }
    if (once < questions) return std::nullopt;
    const bool uses_figures =
        std::any_of(plan_.inputs.begin(), plan_.inputs.end(), [&](const PlannedInput& planned) {
          return study_.program().inputs[planned.input].column != Column::passed;
        });
    if (plan_.named_shares.empty() || plan_.named.size() > kMostNamed || uses_figures ||
        study_.is_paired())
      return note;
    return std::nullopt;
  }

  template <class Visit>
  void for_each_question(std::span<const std::uint32_t> units, const Visit& visit) const {
    for (const std::uint32_t unit : units) {
      const Unit& of = study_.design().units[unit];
      for (std::uint32_t question = of.first; question < of.first + of.count; ++question)
        visit(question);
    }
  }

  // ---- the interval

  // Of the bare formula `success_pct`, one answer for each unit.
  bool has_closed_form() const {
    const auto& nodes = study_.program().formulas[study_.formula()].tree.nodes;
    if (study_.is_paired() || nodes.size() != 1 || nodes[0].op != formula::Op::input) return false;
    const Input& input = study_.program().inputs[nodes[0].index];
    return input.statistic == formula::Statistic::percent &&
           input.over.kind == formula::Selector::Kind::all && plan_.strata.size() == 1 &&
           plan_.random_units() == plan_.used.size() &&
           std::all_of(plan_.used.begin(), plan_.used.end(), [&](std::uint32_t unit) {
             return study_.draws(About::other_evals).counted(unit) == 1;
           });
  }

  void close() {
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

  score::Interval around(double low, double high) const {
    return {std::min(low, *value_), std::max(high, *value_)};
  }

  void finish(Side& side, Drawn& drawn) {
    side.values = drawn.values;
    std::vector<double> defined = std::move(drawn.values);
    std::erase_if(defined, [](double value) { return std::isnan(value); });
    side.defined = defined.size();
    const double undefined =
        1 - static_cast<double>(defined.size()) / static_cast<double>(side.values.size());
    if (undefined > kMostUndefined) {
      side.is_refused = true;
      side.refusal = Note{NoteKind::undefined_draws, undefined_text(undefined, drawn.undefined)};
    } else if (Values::change(drawn.signs)) {
      side.is_refused = true;
      std::size_t number = 0;
      while (!Values::change({&drawn.signs[number], 1})) ++number;
      side.refusal =
          Note{NoteKind::sign,
               fmt::format("the sign of `{}` is not certain",
                           denominator_text(study_.program(), study_.formula(), number))};
    } else {
      const auto n = static_cast<double>(defined.size());
      const double low = order_statistic(defined, side.tail * (n + 1));
      side.interval = around(low, order_statistic(defined, (1 - side.tail) * (n + 1)));
    }
  }

  std::string undefined_text(double share, const std::vector<double>& inputs) const {
    std::string why;
    if (!inputs.empty()) {
      const formula::Evaluation evaluation(study_.program(), inputs);
      why = why_undefined(evaluation, study_.formula());
    }
    return fmt::format("{:.1f} % of the draws have no score{}{}", 100 * share,
                       why.empty() ? "" : ": ", why);
  }

  // ---- when not to trust it

  void add_notes(Estimate& out) const {
    const std::size_t units = plan_.random_units();
    const auto add = [&](NoteKind kind, std::string text) {
      out.notes.push_back({kind, std::move(text)});
    };
    if (other_.interval) {
      if (units < kRoughBelow) add(NoteKind::rough, fmt::format("rough: only {} evals", units));
      if (other_.tail <= kLeastTail)
        add(NoteKind::few_for_level,
            "too few evals for this level: the interval may be too narrow");
      add_percentile_notes(out, units);
      if (plan_.has_small_strata)
        add(NoteKind::small_selection,
            "evals that fewer than 5 of a kind are left as they are: other evals like them are not "
            "considered");
    }
    if (other_.interval || rerun_.interval) add_tail_notes(out);
    for (const Side* side : {&other_, &rerun_})
      if (side->interval && side->defined < side->values.size() &&
          !has(out, NoteKind::left_out_draws))
        add(NoteKind::left_out_draws,
            fmt::format("{} of {} draws have no score and are left out",
                        side->values.size() - side->defined, side->values.size()));
  }

  void add_percentile_notes(Estimate& out, std::size_t units) const {
    for (const PlannedInput& planned : plan_.inputs) {
      const Input& input = study_.program().inputs[planned.input];
      if (input.statistic != formula::Statistic::percentile) continue;
      const double p = input.percentile, beyond = std::min(p, 100 - p) / 100;
      if (static_cast<double>(units) * beyond >= kFewestInTail) continue;
      out.notes.push_back(
          {NoteKind::few_for_percentile,
           fmt::format("too few evals for `{}`: the {} end is {}", input.name,
                       p >= 50 ? "upper" : "lower", p >= 50 ? "too low" : "too high")});
      return;
    }
  }

  // A mean or sum in which one answer counts much.
  void add_tail_notes(Estimate& out) const {
    for (std::size_t side = 0; side < (study_.is_paired() ? 2U : 1U); ++side) {
      const Answers& answers = study_.weighted(side).answers();
      for (const PlannedInput& planned : plan_.inputs) {
        const Input& input = study_.program().inputs[planned.input];
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

  const Study& study_;
  const Plan& plan_;
  std::optional<double> value_;
  const Settings& settings_;
  std::size_t samples_;
  Side other_{About::other_evals}, rerun_{About::rerun};
};

std::size_t draw_count(const Settings& settings, std::size_t samples) {
  if (settings.draws) return *settings.draws;
  return std::clamp(kMostPicks / std::max<std::size_t>(samples, 1), kFewestDraws, kUsualDraws);
}

}  // namespace

std::string_view to_string(Method method) {
  switch (method) {
    case Method::none: return "none";
    case Method::draws: return "sbb-1";
    case Method::closed_form: return "beta-1";
  }
  return "none";
}

std::vector<Estimate> estimate(const formula::Program& program, const score::Samples& samples,
                               const std::vector<std::optional<double>>& values,
                               std::optional<double> on_undefined, const Settings& settings,
                               std::vector<Details>* details) {
  const auto asked = questions_of(samples);
  const Design design = make_design(samples, asked, settings.unit);
  const Answers answers(samples, rows_of(asked));
  const Redraw redraw(settings.seed, design, {&answers});
  std::vector<std::unique_ptr<Study>> studies;
  std::vector<Estimator> estimators;
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < program.formulas.size(); ++i) {
    const bool is_score = i + 1 == program.formulas.size();
    studies.push_back(std::make_unique<Study>(program, i, design, redraw,
                                              std::vector<const Answers*>{&answers},
                                              is_score ? on_undefined : std::nullopt));
    estimators.emplace_back(*studies.back(), values[i], settings, samples.size());
    for (const Wanted& one : estimators.back().wanted()) wanted.push_back(one);
  }
  const std::size_t count = draw_count(settings, samples.size());
  auto drawn = draw(wanted, count, settings.parallel);
  std::vector<Estimate> out;
  std::span<Drawn> left = drawn;
  for (Estimator& one : estimators) {
    const std::size_t taken = one.wanted().size();
    one.take(left.first(taken));
    left = left.subspan(taken);
    out.push_back(one.result(count));
    if (details) details->push_back(one.details());
  }
  return out;
}

}  // namespace vibe::statistics
