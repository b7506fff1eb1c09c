// Comparisons of two runs: known values of tests and power, verdicts, and what has to hold for any
// two runs. The random pairs of tests/reference/ compare everything with a second implementation.
#include "statistics/compare.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "statistics/world.h"

namespace vibe::statistics {
namespace {

struct Answer {
  bool passed;
  double cost, latency;
};
using AnswersByEval = std::vector<std::vector<Answer>>;  // by eval

score::Samples answers_of(const AnswersByEval& run) {
  score::Samples out;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const auto eval = out.eval("e" + std::to_string(i + 1));
    for (const Answer& answer : run[i])
      out.add(eval, {.passed = answer.passed, .latency = answer.latency, .cost = answer.cost});
  }
  return out;
}

struct Both {
  score::Samples base, candidate;

  Both(const AnswersByEval& a, const AnswersByEval& b)
      : base(answers_of(a)), candidate(answers_of(b)) {}

  std::vector<PairedQuestion> questions() const {
    const auto a = questions_of(base), b = questions_of(candidate);
    std::vector<PairedQuestion> out;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) out.push_back({a[i], b[i]});
    return out;
  }
  Compared compare(const std::string& formula, CompareSettings settings = {}) const {
    const auto program = program_of(formula, candidate);
    const Pairs pairs(base, candidate, questions(), settings.draws.unit, settings.draws.seed);
    return statistics::compare(program, pairs, {}, settings);
  }
};

const AnswersByEval kBase{{{false, .01, 1.0}, {true, .02, 1.5}},
                          {{true, .03, 2.0}, {false, .02, 1.2}},
                          {{false, .02, .9}, {false, .01, 1.1}}};
const AnswersByEval kCandidate{{{true, .02, 1.3}, {true, .01, .8}},
                               {{true, .02, 1.0}, {true, .03, 2.2}},
                               {{false, .01, .7}, {true, .02, 1.6}}};

struct ExactCase {
  const char* formula;
  double difference;
  int labels_up, labels, swaps;
};
class ExactTests : public testing::TestWithParam<ExactCase> {};
TEST_P(ExactTests, CountAllAssignments) {
  const auto& row = GetParam();
  const auto seen = Both(kBase, kCandidate).compare(row.formula);
  ASSERT_TRUE(seen.difference);
  EXPECT_NEAR(*seen.difference, row.difference, 1e-6);
  const statistics::Test& labels = seen.these_evals->test;
  EXPECT_TRUE(labels.is_complete);
  EXPECT_EQ(labels.count, 216u);
  EXPECT_NEAR(labels.p_up * 216, row.labels_up, 1e-9);
  EXPECT_NEAR(labels.p * 216, row.labels, 1e-9);
  const statistics::Test& swaps = seen.other_evals->test;
  EXPECT_EQ(swaps.count, 8u);
  EXPECT_NEAR(swaps.p * 8, row.swaps, 1e-9);
}
INSTANTIATE_TEST_SUITE_P(Compare, ExactTests,
                         testing::Values(ExactCase{"success_pct", 50, 27, 54, 2},
                                         ExactCase{"success_pct / total_cost", 454.545455, 8, 16,
                                                   2},
                                         ExactCase{"percentile(latency, 95)", .175, 72, 144, 4}));

TEST(Contributions, OfARatioAreEqualHere) {
  const auto seen = Both(kBase, kCandidate).compare("success_pct / total_cost");
  ASSERT_EQ(seen.evals.size(), 3u);
  for (const auto& part : seen.evals) {
    EXPECT_NEAR(part.value, 151.515152, 1e-6);
    EXPECT_EQ(part.error, 0);
  }
  ASSERT_EQ(seen.terms.size(), 1u);  // the costs are the same in all
  EXPECT_NEAR(seen.terms[0].value, 454.545455, 1e-6);
  EXPECT_NEAR(seen.terms[0].candidate - seen.terms[0].base, 50, 1e-9);
}

struct McNemarCase {
  std::size_t won, lost;
  double exact, mid;
};
class McNemarTests : public testing::TestWithParam<McNemarCase> {};
TEST_P(McNemarTests, HaveKnownValues) {
  const auto& row = GetParam();
  EXPECT_DOUBLE_EQ(mcnemar(row.won, row.lost).exact, row.exact);
  EXPECT_DOUBLE_EQ(mcnemar(row.won, row.lost).mid, row.mid);
  EXPECT_DOUBLE_EQ(mcnemar(row.lost, row.won).exact, row.exact);
}
INSTANTIATE_TEST_SUITE_P(Compare, McNemarTests,
                         testing::Values(McNemarCase{5, 0, .0625, .03125},
                                         McNemarCase{6, 0, .03125, .015625},
                                         McNemarCase{8, 2, .109375, .0654296875},
                                         McNemarCase{3, 3, 1, .84375}, McNemarCase{0, 0, 1, 1}));

TEST(McNemarTest, WorksForVeryManyPairs) {
  // 3,000 times 2^-3000 alone would be 0.
  EXPECT_NEAR(mcnemar(1500, 1500).exact, 1, 1e-9);
  const double seen = mcnemar(1560, 1440).exact;
  EXPECT_NEAR(seen, 0.0298, 0.0005);  // the normal approximation: z = 119 / sqrt(3000)
}

TEST(Holm, AdjustsInOrder) {
  const std::array p{.01, .04, .03, .005};
  const auto seen = holm(p);
  const std::array wanted{.03, .06, .06, .02};
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(seen[i], wanted[i], 1e-12) << i;
}

TEST(Power, HasKnownValues) {
  const auto seen = power(
      {.units = 40, .repeats = 3, .other_error = 4, .rerun_error = 2.5, .effect = 5, .level = .95});
  EXPECT_NEAR(seen.other_evals, 11.206341, 1e-6);
  EXPECT_NEAR(seen.repeats_alone.value_or(0), 8.747947, 1e-6);
  ASSERT_TRUE(seen.needed);
  EXPECT_EQ(seen.needed->most, 250u);
  EXPECT_EQ(seen.needed->more_most, 210u);
  EXPECT_FALSE(seen.needed->repeats);  // 5 is below what repeats alone can show
}

TEST(Power, SaysHowManyRepeatsAreEnough) {
  const auto seen = power({.units = 40,
                           .repeats = 3,
                           .other_error = 4,
                           .rerun_error = 2.5,
                           .effect = 10,
                           .level = .95});
  ASSERT_TRUE(seen.needed && seen.needed->repeats);
  // Its standard error with so many is just small enough.
  const double within = 2.5 * 2.5 * 3 / static_cast<double>(*seen.needed->repeats);
  EXPECT_LE(2.8016 * std::sqrt(4 * 4 - 2.5 * 2.5 + within), 10.001);
  const double before = 2.5 * 2.5 * 3 / static_cast<double>(*seen.needed->repeats - 1);
  EXPECT_GT(2.8016 * std::sqrt(4 * 4 - 2.5 * 2.5 + before), 10);
}

TEST(Power, WithOneAnswerOnlyEvalsHelp) {
  const auto seen =
      power({.units = 40, .repeats = 1, .other_error = 4, .rerun_error = {}, .effect = 5});
  EXPECT_FALSE(seen.repeats_alone);
  ASSERT_TRUE(seen.needed);
  EXPECT_FALSE(seen.needed->repeats);
  EXPECT_EQ(seen.these_evals, seen.other_evals);
}

// ---- the verdict

Claim claim(double low, double high, double p, double difference) {
  return make_claim(score::Interval{low, high}, {p, p / 2, 1 - p / 2, 1, true}, difference, .95);
}

struct VerdictCase {
  const char* name;
  double difference;
  Claim these, other;
  Thresholds thresholds;
  Verdict verdict;
};
class Verdicts : public testing::TestWithParam<VerdictCase> {};
TEST_P(Verdicts, AreAWord) {
  const auto& row = GetParam();
  // The narrow interval lies within that of the claim.
  const score::Interval narrow{row.these.interval->low / 2, row.these.interval->high / 2};
  EXPECT_EQ(judge(row.difference, row.these, row.other, narrow, row.thresholds).verdict,
            row.verdict);
}
INSTANTIATE_TEST_SUITE_P(
    Compare, Verdicts,
    testing::Values(
        VerdictCase{"better", 5, claim(1, 9, .01, 5), claim(.5, 11, .02, 5), {}, Verdict::better},
        VerdictCase{"better_here",
                    5,
                    claim(1, 9, .01, 5),
                    claim(-1, 11, .2, 5),
                    {},
                    Verdict::better_on_these_evals},
        VerdictCase{
            "worse", -5, claim(-9, -1, .01, -5), claim(-11, -.5, .02, -5), {}, Verdict::worse},
        VerdictCase{"worse_here",
                    -5,
                    claim(-9, -1, .01, -5),
                    claim(-11, 1, .2, -5),
                    {},
                    Verdict::worse_on_these_evals},
        VerdictCase{"others_alone_do_not_count",
                    5,
                    claim(-1, 9, .1, 5),
                    claim(1, 9, .01, 5),
                    {},
                    Verdict::no_difference_shown},
        VerdictCase{"test_alone_is_borderline",
                    5,
                    claim(-1, 9, .01, 5),
                    claim(1, 9, .01, 5),
                    {},
                    Verdict::no_difference_shown},
        VerdictCase{"within_the_margin",
                    .5,
                    claim(-2, 3, .6, .5),
                    claim(-3, 4, .7, .5),
                    {.margin = 2, .min_effect = {}, .superior_by = {}, .not_worse_than = {}},
                    Verdict::no_difference_that_matters},
        VerdictCase{"beyond_the_margin",
                    .5,
                    claim(-2, 5, .6, .5),
                    claim(-3, 6, .7, .5),
                    {.margin = 2, .min_effect = {}, .superior_by = {}, .not_worse_than = {}},
                    Verdict::no_difference_shown},
        VerdictCase{"too_small",
                    5,
                    claim(1, 9, .01, 5),
                    claim(.5, 11, .02, 5),
                    {.margin = {}, .min_effect = 6, .superior_by = {}, .not_worse_than = {}},
                    Verdict::no_difference_that_matters},
        VerdictCase{"not_superior",
                    5,
                    claim(1, 9, .01, 5),
                    claim(.5, 11, .02, 5),
                    {.margin = {}, .min_effect = {}, .superior_by = 2, .not_worse_than = {}},
                    Verdict::no_difference_shown},
        VerdictCase{"superior",
                    5,
                    claim(2, 9, .01, 5),
                    claim(.5, 11, .02, 5),
                    {.margin = {}, .min_effect = {}, .superior_by = 2, .not_worse_than = {}},
                    Verdict::better}),
    [](const auto& row) { return row.param.name; });

TEST(Judge, BoundsHowMuchWorseTheCandidateMayBe) {
  const Thresholds by_two{.margin = {}, .min_effect = {}, .superior_by = {}, .not_worse_than = 2};
  const auto unclear = claim(-3, 4, .7, .5), worse = claim(-9, -1, .01, -5);
  EXPECT_EQ(judge(.5, unclear, unclear, score::Interval{-1.9, 3}, by_two).not_worse, true);
  EXPECT_EQ(judge(.5, unclear, unclear, score::Interval{-2, 3}, by_two).not_worse, std::nullopt);
  EXPECT_EQ(judge(.5, unclear, unclear, std::nullopt, by_two).not_worse, std::nullopt);
  EXPECT_EQ(judge(-5, worse, worse, score::Interval{-8, -3}, by_two).not_worse, false);
}

// ---- what holds for any two runs

AnswersByEval random_run(std::size_t evals, std::size_t repeats) {
  AnswersByEval out(evals);
  for (auto& eval : out)
    for (std::size_t i = 0; i < repeats; ++i)
      eval.push_back({*rc::gen::arbitrary<bool>(), *rc::gen::inRange(1, 50) / 1000.0,
                      *rc::gen::inRange(1, 50) / 10.0});
  return out;
}

CompareSettings few(std::size_t shuffles = 99) {
  CompareSettings out;
  out.draws.draws = 200;
  out.shuffles = shuffles;
  return out;
}

RC_GTEST_PROP(CompareProperty, IdenticalRunsDoNotDiffer, ()) {
  const auto run = random_run(5, *rc::gen::inRange<std::size_t>(1, 3));  // all assignments
  const auto seen = Both(run, run).compare("success_pct / total_cost", few());
  RC_ASSERT(seen.difference == 0.0);
  RC_ASSERT(seen.these_evals->test.p == 1.0);
  RC_ASSERT(seen.other_evals->test.p == 1.0);
  for (const auto* one : {&*seen.these_evals, &*seen.other_evals})
    if (one->interval) RC_ASSERT(one->interval->low <= 0 && one->interval->high >= 0);
  RC_ASSERT(seen.judgement->verdict == Verdict::no_difference_shown);
}

RC_GTEST_PROP(CompareProperty, BothDirectionsMirror, ()) {
  // Few enough for all assignments.
  const auto a = random_run(4, 2), b = random_run(4, 2);
  const auto there = Both(a, b).compare("success_pct / total_cost", few());
  const auto back = Both(b, a).compare("success_pct / total_cost", few());
  RC_ASSERT(std::abs(*there.difference + *back.difference) < 1e-9);
  RC_ASSERT(std::abs(there.these_evals->test.p_up - back.these_evals->test.p_down) < 1e-12);
  RC_ASSERT(std::abs(there.other_evals->test.p - back.other_evals->test.p) < 1e-12);
}

RC_GTEST_PROP(CompareProperty, ContributionsAddUp, ()) {
  const std::size_t evals = *rc::gen::inRange<std::size_t>(2, 14);
  const auto a = random_run(evals, 2), b = random_run(evals, 2);
  const auto seen = Both(a, b).compare("(success_pct + 10) / (avg_latency + total_cost)", few(9));
  double sum = 0;
  for (const auto& part : seen.evals) sum += part.value;
  RC_ASSERT(std::abs(sum - *seen.difference) < 1e-9 * std::max(1.0, std::abs(*seen.difference)));
  sum = 0;
  for (const auto& part : seen.terms) sum += part.value;
  RC_ASSERT(std::abs(sum - *seen.difference) < 1e-9 * std::max(1.0, std::abs(*seen.difference)));
}

TEST(Compare, IsTheSameForAnyNumberOfThreads) {
  AnswersByEval a, b;
  for (int i = 0; i < 30; ++i) {
    a.push_back({{i % 3 != 0, .01 + i * .001, 1}, {i % 4 != 0, .02, 2}, {true, .01, 1}});
    b.push_back({{i % 5 != 0, .01 + i * .002, 2}, {true, .01, 1}, {i % 2 != 0, .03, 1}});
  }
  const Both both(a, b);
  CompareSettings settings = few(500);
  const auto one = both.compare("success_pct / total_cost", settings);
  settings.draws.parallel = [](std::size_t parts, const std::function<void(std::size_t)>& part) {
    for (std::size_t i = parts; i-- > 0;) part(i);
  };
  const auto other = both.compare("success_pct / total_cost", settings);
  EXPECT_EQ(one.these_evals->test.p_up, other.these_evals->test.p_up);
  EXPECT_EQ(one.other_evals->test.p_up, other.other_evals->test.p_up);
  EXPECT_EQ(one.these_evals->interval->low, other.these_evals->interval->low);
  EXPECT_EQ(one.other_evals->interval->high, other.other_evals->interval->high);
}

// The interval of an extreme is refused; its test is exact all the same.
TEST(Compare, AnExtremeHasATestAlone) {
  AnswersByEval a, b;
  for (int i = 0; i < 6; ++i) {
    a.push_back({{true, .01, 1}, {true, .01, 1.5}});
    b.push_back({{true, .01, 4.0 + i}, {true, .01, 3.5}});
  }
  const auto seen = Both(a, b).compare("max_latency", few());
  EXPECT_EQ(seen.difference, 7.5);
  EXPECT_FALSE(seen.these_evals->interval);
  EXPECT_FALSE(seen.power);
}

TEST(Compare, AnUndefinedScoreHasNoVerdict) {
  const AnswersByEval free{{{true, 0, 1}}, {{true, 0, 1}}};
  const auto seen = Both(free, free).compare("success_pct / total_cost");
  EXPECT_FALSE(seen.difference || seen.judgement || seen.these_evals);
  EXPECT_TRUE(seen.passes);
  EXPECT_EQ(seen.passes->both, 2u);
}

TEST(Compare, MoreAnswersOfOneRunCountLess) {
  const AnswersByEval once{{{true, .01, 1}}, {{false, .01, 1}}};
  const AnswersByEval twice{{{true, .01, 1}, {false, .01, 1}}, {{false, .01, 1}, {false, .01, 1}}};
  const auto seen = Both(once, twice).compare("total_cost");
  EXPECT_EQ(seen.difference, 0);  // both over one answer to each question
  const auto& notes = seen.notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(),
                          [](const Note& note) { return note.kind == NoteKind::unequal_answers; }));
}

TEST(Adjust, JudgesAgain) {
  AnswersByEval a, b;
  for (int i = 0; i < 12; ++i) {
    a.push_back({{i < 2, .01, 1}});
    b.push_back({{i < 10, .01, 1}});
  }
  auto seen = Both(a, b).compare("success_pct");
  ASSERT_EQ(seen.judgement->verdict, Verdict::better);
  const double p = seen.these_evals->test.p;
  adjust(seen, .5, {});
  EXPECT_EQ(seen.judgement->verdict, Verdict::no_difference_shown);
  EXPECT_EQ(seen.these_evals->test.p, p);  // as it was computed
}

}  // namespace
}  // namespace vibe::statistics
