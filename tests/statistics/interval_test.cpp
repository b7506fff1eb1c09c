// Intervals of scores: known values, refusals, notes, properties.
#include "statistics/interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "statistics/world.h"

namespace vibe::statistics {
namespace {

using score::Samples;

std::vector<int> passes(std::size_t passed, std::size_t failed) {
  std::vector<int> out(passed, 1);
  out.insert(out.end(), failed, 0);
  return out;
}

void expect_interval(const std::optional<score::Interval>& seen, double low, double high,
                     double slack) {
  ASSERT_TRUE(seen);
  EXPECT_NEAR(seen->low, low, slack);
  EXPECT_NEAR(seen->high, high, slack);
}

// ---- known values

TEST(Interval, OfSuccessWithOneAnswerIsClosed) {
  struct Row {
    std::size_t passed, failed;
    double low, high;
  };
  for (const Row& row : {Row{5, 0, 28.172691, 100}, Row{10, 0, 62.989554, 100},
                         Row{7, 3, 31.643158, 92.692515}, Row{20, 0, 81.574553, 100},
                         Row{19, 1, 73.668510, 99.141498}, Row{16, 4, 55.423610, 92.918750},
                         Row{50, 0, 92.631875, 100}, Row{47, 3, 83.243280, 97.961892}}) {
    const auto seen = estimate_of("success_pct", samples_of(passes(row.passed, row.failed), {}));
    expect_interval(seen.estimate.other_evals, row.low, row.high, 1e-6);
    EXPECT_EQ(seen.estimate.method, Method::closed_form);
    EXPECT_EQ(seen.estimate.draws, 0u);
    EXPECT_FALSE(seen.estimate.rerun);
    EXPECT_TRUE(has(seen.estimate, NoteKind::one_answer));
  }
}

const std::vector<int> kPassed{1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1};
const std::vector<double> kCosts{.010, .020, .030, .015, .025, .012,
                                 .040, .018, .022, .011, .019, .028};

TEST(Interval, OfWholeFormulas) {
  struct Row {
    const char* formula;
    std::vector<int> passed;
    double low, high, mean;
  };
  for (const Row& row :
       {Row{"success_pct + 0", kPassed, 49.119668, 96.898923, 78.624308},
        Row{"success_pct / total_cost", kPassed, 162.440940, 478.554972, 320.659479},
        Row{"0.7*success_pct + 30/(1+total_cost)", kPassed, 57.559099, 92.421058, 79.045232},
        Row{"success_pct + 0", passes(12, 0), 69.980491, 100, 92.862124},
        Row{"success_pct / total_cost", passes(12, 0), 255.218177, 501.812875, 375.779349}}) {
    const auto seen = estimate_of(row.formula, samples_of(row.passed, kCosts));
    SCOPED_TRACE(row.formula);
    expect_interval(seen.estimate.other_evals, row.low, row.high, 1e-6);
    EXPECT_EQ(seen.estimate.draws, 10'000u);
    double mean = 0;
    for (const double value : seen.details.other_values) mean += value / 10'000;
    EXPECT_NEAR(mean, row.mean, 1e-6);
  }
}

TEST(Draws, OfOneStratumWithOneAnswer) {
  const auto samples =
      samples_of(std::vector{1, 1, 0, 1, 1}, std::vector{.01, .02, .03, .015, .025});
  const Settings few{.draws = 100};
  const auto success = estimate_of("success_pct + 0", samples, few).details.other_values;
  const auto ratio = estimate_of("success_pct / total_cost", samples, few).details.other_values;
  EXPECT_NEAR(success[0], 77.3544960406, 1e-10);
  EXPECT_NEAR(ratio[0], 724.432959227, 1e-9);
  EXPECT_NEAR(success[1], 68.2930210012, 1e-10);
  EXPECT_NEAR(ratio[1], 574.027574954, 1e-9);
}

Samples two_groups() {
  const std::array<std::array<int, 2>, 10> passed{
      {{1, 1}, {1, 0}, {0, 0}, {1, 1}, {1, 1}, {0, 1}, {1, 1}, {1, 0}, {1, 1}, {1, 1}}};
  const std::array<std::array<double, 2>, 10> costs{{{.01, .02},
                                                     {.03, .01},
                                                     {.02, .02},
                                                     {.01, .03},
                                                     {.02, .04},
                                                     {.05, .01},
                                                     {.01, .01},
                                                     {.02, .03},
                                                     {.04, .02},
                                                     {.03, .03}}};
  Samples out;
  for (std::size_t i = 0; i < 10; ++i) {
    const auto eval = out.eval(fmt::format("{}-{}", i < 5 ? "a" : "b", i % 5 + 1));
    for (std::size_t j = 0; j < 2; ++j)
      out.add(eval, {.passed = passed[i][j] != 0, .latency = 1, .cost = costs[i][j]});
  }
  return out;
}

TEST(Draws, OfTwoAnswersGlobsAndNamedEvals) {
  struct Row {
    const char* formula;
    double other0, other1, rerun0, rerun1;
  };
  for (const Row& row :
       {Row{"success_pct", 65.5824423264, 63.4617613065, 69.9130517942, 60.0154726596},
        Row{"50*pass_rate(\"a-*\") + 50*pass_rate(\"b-*\")", 65.9536769954, 77.2232849925,
            69.4023984799, 62.8664913378},
        Row{"100*{a-1} + success_pct", 110.3329130457, 165.5914302660, 112.9744041045,
            159.7358943751}}) {
    const auto seen = estimate_of(row.formula, two_groups(), {.draws = 100}).details;
    SCOPED_TRACE(row.formula);
    EXPECT_NEAR(seen.other_values[0], row.other0, 1e-9);
    EXPECT_NEAR(seen.other_values[1], row.other1, 1e-9);
    EXPECT_NEAR(seen.rerun_values[0], row.rerun0, 1e-9);
    EXPECT_NEAR(seen.rerun_values[1], row.rerun1, 1e-9);
  }
}

TEST(Draws, AreWiderIfWholeEvalsPassOrFail) {
  const auto effect_of = [](std::span<const int> passed) {
    const auto samples = samples_of(passed, {}, 5);
    const auto program = program_of("success_pct", samples);
    const auto asked = questions_of(samples);
    const Design design = make_design(samples, asked, std::nullopt);
    const Answers answers(samples, rows_of(asked));
    const Redraw redraw(1, design, {&answers});
    const Study study(program, 0, design, redraw, {&answers}, std::nullopt);
    return study.draws(About::other_evals).design_effect(study.plan().selected[0]);
  };
  EXPECT_EQ(effect_of(passes(20, 0)), 1);
  EXPECT_NEAR(effect_of(std::vector{1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1,
                                    1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0}),
              2.029411765, 1e-9);
}

// ---- what it must do

TEST(Interval, IsTheSameForAnyNumberOfThreads) {
  const Parallel backwards = [](std::size_t parts, const std::function<void(std::size_t)>& part) {
    std::vector<std::thread> threads;
    for (std::size_t i = parts; i-- > 0;) threads.emplace_back([&part, i] { part(i); });
    for (auto& thread : threads) thread.join();
  };
  for (const char* formula : {"success_pct / total_cost", "percentile(cost, 90) + success_pct"}) {
    const Settings one{.draws = 3'000};
    const Settings many{.draws = 3'000, .parallel = backwards};
    const auto a = estimate_of(formula, two_groups(), one).details;
    const auto b = estimate_of(formula, two_groups(), many).details;
    EXPECT_EQ(a.other_values, b.other_values);
    EXPECT_EQ(a.rerun_values, b.rerun_values);
  }
}

TEST(Interval, ScalesWithThePrice) {
  std::vector<double> dear;
  for (const double cost : kCosts) dear.push_back(8 * cost);
  const auto a = estimate_of("1 / total_cost", samples_of(kPassed, kCosts)).estimate;
  const auto b = estimate_of("1 / total_cost", samples_of(kPassed, dear)).estimate;
  EXPECT_EQ(a.other_evals->low, 8 * b.other_evals->low);
  EXPECT_EQ(a.other_evals->high, 8 * b.other_evals->high);
}

TEST(Interval, IsMirroredWithTheFormula) {
  const auto a = estimate_of("success_pct / total_cost", two_groups()).estimate;
  const auto b = estimate_of("-(success_pct / total_cost)", two_groups()).estimate;
  EXPECT_NEAR(a.other_evals->low, -b.other_evals->high, 1e-9);
  EXPECT_NEAR(a.rerun->high, -b.rerun->low, 1e-9);
}

TEST(Interval, DoesNotDependOnTheOtherFormulas) {
  const auto samples = two_groups();
  formula::Names names;
  for (const auto& eval : samples.evals())
    if (!eval.name.empty()) names.add_eval(eval.name, eval.tags);
  names.add_metric("part");
  names.add_metric("unused");
  const std::vector<formula::Definition> metrics{
      {"part", {}, base::whole(base::make_source("part", "success_pct / total_cost"))},
      {"unused", {}, base::whole(base::make_source("unused", "{b-2} * 3"))}};
  base::Diagnostics out;
  const auto program =
      formula::compile(names, metrics, base::whole(base::make_source("score", "part")), out);
  ASSERT_TRUE(program);
  const auto score = score::compute(*program, samples);
  const auto all = estimate(*program, samples,
                            {score.metrics[0].value, score.metrics[1].value, score.value}, {}, {});
  const auto alone = estimate_of("success_pct / total_cost", samples).estimate;
  for (const unsigned i : {0U, 2U}) {
    EXPECT_EQ(all[i].other_evals->low, alone.other_evals->low);
    EXPECT_EQ(all[i].rerun->high, alone.rerun->high);
  }
  EXPECT_FALSE(all[1].other_evals);
  EXPECT_TRUE(all[1].rerun);
}

RC_GTEST_PROP(IntervalProperty, ContainsTheScore, ()) {
  const auto passed = *rc::gen::container<std::vector<int>>(24, rc::gen::inRange(0, 2));
  std::vector<double> costs;
  for (std::size_t i = 0; i < passed.size(); ++i)
    costs.push_back(*rc::gen::inRange(1, 100) / 1000.0);
  const auto seen =
      estimate_of("success_pct / total_cost", samples_of(passed, costs, 3), {.draws = 200});
  RC_ASSERT(seen.estimate.other_evals.has_value());
  RC_ASSERT(seen.estimate.other_evals->low <= seen.score);
  RC_ASSERT(seen.estimate.other_evals->high >= seen.score);
  RC_ASSERT(seen.estimate.rerun->low <= seen.score && seen.estimate.rerun->high >= seen.score);
}

// ---- when there is none, or it is not to be trusted

std::string notes_of(const Estimated& seen) {
  std::string out;
  for (const auto& note : notes_of(seen.estimate)) out += note.text + "\n";
  return out;
}

TEST(Interval, FewEvalsCannotSpeakOfOthers) {
  const auto few = estimate_of("success_pct", samples_of(passes(3, 1), {}));
  EXPECT_FALSE(few.estimate.other_evals || few.estimate.rerun);
  EXPECT_EQ(notes_of(few),
            "4 evals are too few to speak of others\n"
            "one answer per eval: use --repeat 3 to learn how much a re-run varies\n");
  const auto rough = estimate_of("avg_cost", samples_of(passes(7, 0), std::vector<double>(7, 0.5)));
  EXPECT_NE(notes_of(rough).find("rough: only 7 evals\n"), std::string::npos);
  EXPECT_EQ(rough.estimate.other_evals->low, 0.5);  // all costs are equal
  EXPECT_EQ(rough.estimate.other_evals->high, 0.5);
}

TEST(Interval, OfNamedEvalsIsAboutThese) {
  const auto seen = estimate_of("3 * e1 + e2", samples_of(std::vector{1, 1, 0, 1, 0, 1}, {}, 3));
  EXPECT_FALSE(seen.estimate.other_evals);
  EXPECT_TRUE(seen.estimate.rerun);
  EXPECT_EQ(notes_of(seen), "the formula is about these evals only\n");
  const auto once = estimate_of("e1", samples_of(passes(1, 0), {}));
  expect_interval(once.estimate.rerun, 0.15, 1, 0.015);
}

TEST(Interval, OfExtremesIsRefused) {
  const auto seen = estimate_of("success_pct / max_latency", two_groups());
  EXPECT_FALSE(seen.estimate.other_evals || seen.estimate.rerun);
  EXPECT_EQ(notes_of(seen),
            "`max_latency` depends on a single answer, so there is no interval; "
            "`percentile(COLUMN, 95)` has one\n");
}

TEST(Interval, OfAnUndefinedScoreIsNotShown) {
  const auto undefined =
      estimate_of("1 / (success_pct - success_pct * avg_latency)", samples_of(kPassed, kCosts));
  EXPECT_FALSE(undefined.estimate.other_evals);
  EXPECT_EQ(notes_of(undefined), notes_of({}));
  const auto constant = estimate_of("5", samples_of(kPassed, kCosts));
  EXPECT_FALSE(constant.estimate.other_evals);
}

TEST(Interval, ADenominatorOfBothSignsIsRefused) {
  const auto seen = estimate_of("1 / (pass_rate(\"e*\") - 0.7)", samples_of(kPassed, kCosts));
  EXPECT_FALSE(seen.estimate.other_evals);
  EXPECT_NE(notes_of(seen).find("the sign of `pass_rate(\"e*\") - 0.7` is not certain\n"),
            std::string::npos)
      << notes_of(seen);
}

TEST(Interval, UndefinedDrawsAreCounted) {
  const char* const formula = "sqrt(success_pct - 70)";
  const auto seen = estimate_of(formula, samples_of(kPassed, kCosts));
  EXPECT_FALSE(seen.estimate.other_evals);
  EXPECT_NE(notes_of(seen).find("% of the draws have no score: "), std::string::npos);
  const auto replaced = estimate_of(formula, samples_of(kPassed, kCosts), {}, 0);
  EXPECT_EQ(replaced.estimate.other_evals->low, 0);
  const auto some = estimate_of("sqrt(success_pct - 45)", samples_of(kPassed, kCosts));
  EXPECT_TRUE(some.estimate.other_evals);
  EXPECT_TRUE(has(some.estimate, NoteKind::left_out_draws)) << notes_of(some);
}

TEST(Interval, OneAnswerThatDecidesIsNoted) {
  auto costs = kCosts;
  costs[3] = 0.4;
  const auto seen = estimate_of("total_cost", samples_of(kPassed, costs));
  EXPECT_NE(notes_of(seen).find("one answer ($0.4000) makes 63 % of `total_cost`: the interval may "
                                "be too narrow\n"),
            std::string::npos)
      << notes_of(seen);
}

TEST(Interval, PercentilesNeedManyEvals) {
  const auto seen = estimate_of("percentile(cost, 95)", samples_of(kPassed, kCosts));
  EXPECT_NE(
      notes_of(seen).find("too few evals for `percentile(cost, 95)`: the upper end is too low\n"),
      std::string::npos);
}

TEST(Interval, CasesAreUnitsIfThereAreFewEvals) {
  Samples samples;
  const auto eval = samples.eval("only");
  for (std::uint32_t i = 0; i < 200; ++i)
    samples.add(eval, {.passed = i % 4 != 0, .latency = 1, .cost = 1}, {i, i, 0});
  const auto seen = estimate_of("success_pct", samples);
  ASSERT_TRUE(seen.estimate.other_evals);
  EXPECT_LT(seen.estimate.other_evals->high - seen.estimate.other_evals->low, 14);
  const Settings by_eval{.unit = UnitKind::eval};
  EXPECT_FALSE(estimate_of("success_pct", samples, by_eval).estimate.other_evals);
}

TEST(Interval, VeryManySamplesAreOnlyRedrawnIfAsked) {
  Samples samples;
  for (int i = 0; i < 100'001; ++i) samples.add(0, {.passed = true, .latency = 1, .cost = 1});
  const auto seen = estimate_of("success_pct / total_cost", samples);
  EXPECT_FALSE(seen.estimate.other_evals);
  EXPECT_TRUE(has(seen.estimate, NoteKind::too_many_samples));
}

}  // namespace
}  // namespace vibe::statistics
