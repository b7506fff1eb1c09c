#include "statistics/compare.h"

#include <cmath>

#include "statistics/estimator.h"
#include "statistics/pool.h"

namespace vibe::statistics {

namespace {

std::optional<double> known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

Division::Row plain(const Pool& pool) {
  const auto given = pool.as_given();
  Division division(pool);
  division.add(given[0], given[1]);
  return division.take().front();
}

std::optional<Passes> passes_of(const Pairs& pairs) {
  if (pairs.design().questions == 0 || !pairs.has_single_answers()) return std::nullopt;
  Passes out;
  for (std::uint32_t question = 0; question < pairs.design().questions; ++question) {
    const auto passed = [&](std::size_t side) {
      const Answers& answers = pairs.side(side);
      return answers.value(answers.begin(question), formula::Column::passed) != 0;
    };
    const bool base = passed(0), candidate = passed(1);
    ++(base ? (candidate ? out.both : out.lost) : (candidate ? out.won : out.neither));
  }
  out.test = mcnemar(out.won, out.lost);
  return out;
}

double mean_repeats(const Pool& pool, const Redraw& redraw) {
  double all = 0;
  for (const std::uint32_t question : pool.questions()) all += redraw.counted(question);
  return pool.questions().empty() ? 0 : all / static_cast<double>(pool.questions().size());
}

void add_power(const Estimator& estimator, const Pool& pool, const Pairs& pairs,
               const CompareSettings& settings, Compared& out) {
  const auto rerun = estimator.deviation(About::rerun);
  const auto other = estimator.deviation(About::other_evals);
  const double level = settings.draws.level;
  if (rerun) out.smallest_on_these = smallest_difference(*rerun, level);
  if (!other) return;
  const auto units = static_cast<double>(estimator.plan().random_units());
  PowerInputs in;
  in.units = units;
  in.repeats = mean_repeats(pool, pairs.redraw());
  in.other_error = *other * std::sqrt((units + 1) / (units - 1));
  in.rerun_error = rerun;
  in.effect = settings.thresholds.min_effect;
  in.level = level;
  out.power = power(in);
  out.smallest_on_these = out.power->these_evals;
}

}  // namespace

Compared compare(const formula::Program& program, const Pairs& pairs,
                 std::optional<double> on_undefined, const CompareSettings& settings) {
  const std::size_t formula = program.formulas.size() - 1;
  const Settings& draws = settings.draws;
  const Pool pool(program, formula, pairs, on_undefined);
  const auto row = plain(pool);
  Compared out;
  out.scores = {known(pool.defined(row.base)), known(pool.defined(row.candidate))};
  out.difference = known(row.difference);
  out.passes = passes_of(pairs);
  if (!out.difference) return out;

  const Setting setting{program, pairs.design(), pairs.sides(), pairs.redraw(), draws};
  // A replaced score has no interval.
  const bool is_real = !std::isnan(row.base) && !std::isnan(row.candidate);
  Estimator estimator(setting, formula, is_real ? out.difference : std::nullopt, on_undefined,
                      false);
  const std::size_t count = draw_count(draws, pairs.side(0).size() + pairs.side(1).size());
  auto drawn = draw(estimator.wanted(), count, draws.parallel);
  estimator.take(drawn);
  auto estimate = estimator.result(count);
  out.draws = estimate.draws;
  out.method = estimate.method;
  out.no_other_evals = estimate.no_other_evals;
  out.no_rerun = estimate.no_rerun;
  out.notes = std::move(estimate.notes);

  const double difference = *out.difference;
  // With one answer each, the interval about other evals covers what asking again may change.
  const bool has_one_answer = out.no_rerun && (out.no_rerun->kind == NoteKind::one_answer ||
                                               out.no_rerun->kind == NoteKind::few_answers);
  const About first = has_one_answer ? About::other_evals : About::rerun;
  const auto& interval = has_one_answer ? estimate.other_evals : estimate.rerun;
  out.these_evals =
      make_claim(interval, label_test(pool, draws.seed, settings.shuffles, draws.parallel),
                 difference, draws.level);
  out.other_evals = make_claim(estimate.other_evals,
                               swap_test(pool, draws.seed, settings.shuffles, draws.parallel),
                               difference, draws.level);
  if (!interval)
    out.notes.push_back(
        {NoteKind::test_alone, "there is no interval about these evals: the test alone decides"});
  if (pairs.has_unequal_answers())
    out.notes.push_back({NoteKind::unequal_answers,
                         "the runs gave some questions different numbers of answers: each answer "
                         "of the run with more counts less"});
  constexpr double kBothEnds = 2;  // the narrow interval leaves out 1 - level at either end
  const double narrow = 1 - kBothEnds * (1 - draws.level);
  out.narrow = estimator.at_level(first, narrow);
  out.judgement =
      judge(difference, *out.these_evals, *out.other_evals, out.narrow, settings.thresholds);
  add_power(estimator, pool, pairs, settings, out);
  if (!settings.explains) return out;
  out.evals = eval_contributions(pool, draws.seed).value_or(std::vector<Contribution>{});
  out.terms = term_contributions(pool, draws.seed).value_or(std::vector<Contribution>{});
  return out;
}

void adjust(Compared& compared, double p, const CompareSettings& settings) {
  if (!compared.difference || !compared.these_evals) return;
  Test test = compared.these_evals->test;
  test.p = p;
  auto claim =
      make_claim(compared.these_evals->interval, test, *compared.difference, settings.draws.level);
  claim.test = compared.these_evals->test;  // as it was computed
  compared.these_evals = claim;
  compared.judgement = judge(*compared.difference, claim, *compared.other_evals, compared.narrow,
                             settings.thresholds);
}

Guarded guard(const formula::Program& program, const Pairs& pairs,
              const CompareSettings& settings) {
  const Pool pool(program, program.formulas.size() - 1, pairs, std::nullopt);
  const auto row = plain(pool);
  Guarded out{{known(row.base), known(row.candidate)}, {}};
  if (std::isnan(row.difference)) return out;
  out.test = label_test(pool, settings.draws.seed, settings.shuffles, settings.draws.parallel);
  return out;
}

}  // namespace vibe::statistics
