// Rescores stored runs: by their own formulas, by others, and what cannot be scored.
#include "app/runs/rescore.h"

#include <bit>
#include <random>

#include <gtest/gtest.h>

#include "app/faulty_store.h"
#include "app/runs/history.h"
#include "app/runs/scorable.h"
#include "app/world.h"
#include "store/sql.h"

namespace vibe::app {
namespace {

using base::Code;
using score::RunStatus;

constexpr const char* kFormulas[] = {
    "success_pct / total_cost",
    "10 * e1 + e2_latency ^ 0.3 - {e3}_cost * 7",
    "percentile(latency, 90) + stddev(cost) * 3",
    "pass_rate(\"e*\") + 2 * mean(latency, \"tag:hard\")",
    "sqrt(success_pct) * log(1 + count(passed))",
};

struct Outcome : store::RescoreWatcher {
  score::RescoreSummary summary;
  std::vector<score::RescoredRun> runs;
  std::size_t progress = 0;
  bool is_stopped = false;

  void on_progress(std::size_t, std::size_t) override { ++progress; }
  void on_summary(const score::RescoreSummary& seen) override { summary = seen; }
  void on_run(const score::RescoredRun& run) override { runs.push_back(run); }
  bool wants_to_stop() const override { return is_stopped; }

  const score::RescoredRun& of(const std::string& id) const {
    for (const auto& run : runs)
      if (run.id == id) return run;
    static const score::RescoredRun none;
    ADD_FAILURE() << id;
    return none;
  }
  std::string reasons() const {
    std::string out;
    for (const auto& one : summary.unscored) out += std::to_string(one.runs) + " " + one.why + "; ";
    return out;
  }
};

struct History {
  Machine machine;

  // The answers to `wrong` do not pass; `e3` has the tag `hard`.
  std::string run(std::size_t evals, const std::vector<std::size_t>& wrong,
                  const std::string& more = {}, std::vector<std::string> only = {}) {
    std::string text = suite_of(evals) + more;
    if (const auto at = text.find("  - name: e3\n"); at != text.npos)
      text.insert(at + std::string_view("  - name: e3\n").size(), "    tags: [hard]\n");
    auto request = request_for(machine.write("suite.yaml", text));
    request.models = {"replay:" + machine.write("answers.jsonl", recording_of(evals, wrong))};
    request.plan.only = std::move(only);
    return machine.run(request).run.id;
  }
  static store::RescoreRequest request(const std::string& formula) {
    store::RescoreRequest out;
    out.rule.formula = formula;
    return out;
  }
  Outcome rescore(const store::RescoreRequest& request) {
    Outcome out;
    const auto done = rescore_runs(*machine.local.store, request, out);
    EXPECT_TRUE(done) << base::render(done ? base::Diagnostics() : done.error());
    return out;
  }
  Outcome rescore(const std::string& formula) { return rescore(request(formula)); }
  base::Diagnostics refusal(const store::RescoreRequest& request) {
    Outcome out;
    const auto done = rescore_runs(*machine.local.store, request, out);
    return done ? base::Diagnostics() : done.error();
  }
  void sql(const std::string& text) { test::execute(machine.folder.database(), text.c_str()); }
};

std::uint64_t bits(const std::optional<double>& value) {
  return std::bit_cast<std::uint64_t>(value.value_or(formula::kUndefined));
}

// From the stored values, and from the figures of each run.
TEST(Rescore, ByItsOwnFormulaARunHasItsStoredScore) {
  for (const char* formula : kFormulas) {
    History history;
    for (const auto& wrong : std::vector<std::vector<std::size_t>>{{}, {1}, {2, 3}, {1, 2, 3}})
      history.run(3, wrong, std::string("score: {formula: '") + formula + "'}\n");
    for (const bool by_figures : {false, true}) {
      if (by_figures) history.sql("UPDATE input_layouts SET layout = x'00'");
      const auto seen = history.rescore(formula);
      ASSERT_EQ(seen.runs.size(), 4u);
      EXPECT_EQ(seen.summary.scored, 4u) << formula << ": " << seen.reasons();
      EXPECT_EQ(seen.summary.changed, 0u) << formula;
      for (const auto& run : seen.runs) {
        EXPECT_EQ(bits(run.before), bits(run.after)) << formula;
        EXPECT_EQ(bits(run.before), bits(history.machine.stored(run.id).score)) << formula;
      }
    }
  }
}

TEST(Rescore, MetricsAndASubstituteComeFromTheRule) {
  History history;
  const auto run = history.run(
      2, {1}, "score: {formula: 10 * half / e1, metrics: {half: e2 / 2}, on_undefined: -1}\n");
  auto request = History::request("10 * half / e1");
  request.rule.metrics = {{"half", "e2 / 2"}};
  auto seen = history.rescore(request);
  EXPECT_EQ(seen.of(run).before, -1);
  EXPECT_EQ(seen.of(run).after, std::nullopt);
  EXPECT_EQ(seen.of(run).error, "division by zero: e1 is 0 in \"10 * half / e1\"");
  request.rule.on_undefined = -1;
  seen = history.rescore(request);
  EXPECT_EQ(seen.of(run).after, -1);
  EXPECT_EQ(seen.summary.changed, 0u);
}

// What random formulas give is what the evaluator of a single run gives.
TEST(Rescore, AnyFormulaGivesWhatTheRunWouldHaveScored) {
  History history;
  std::vector<std::string> runs;
  for (const auto& wrong : std::vector<std::vector<std::size_t>>{{}, {1}, {3}, {2, 3}})
    runs.push_back(history.run(3, wrong));
  std::mt19937 random(7);
  const std::vector<std::string> leaves{"success_pct",
                                        "total_cost",
                                        "e1",
                                        "e2_latency",
                                        "{e3}_cost",
                                        "0.3",
                                        "7",
                                        "percentile(latency, 75)",
                                        "pass_rate(\"tag:hard\")",
                                        "max_latency"};
  const std::vector<std::string> shapes{"(# + #)",   "(# - #)",    "(# * #)",   "(# / #)",
                                        "(# ^ 0.5)", "min(#, #)",  "sqrt(#)",   "(# > #)",
                                        "-(#)",      "log(#, 10)", "abs(# - 3)"};
  const auto pick = [&](const auto& from) {
    return from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(random)];
  };
  std::size_t scored = 0;
  for (int i = 0; i < 150; ++i) {
    std::string formula = "#";
    for (int depth = 0; depth < 4; ++depth)
      for (std::size_t at = formula.find('#'); at != formula.npos; at = formula.find('#', at)) {
        const std::string with = depth < 2 ? pick(shapes) : pick(leaves);
        formula.replace(at, 1, with);
        at += with.size();
      }
    Outcome seen;
    const auto done = rescore_runs(*history.machine.local.store, History::request(formula), seen);
    for (const auto& id : runs) {
      auto run = history.machine.stored(id);
      run.score_formula = formula;
      const auto found = scorable(history.machine.local.runs(), run);
      ASSERT_EQ(done.has_value(), found.has_value()) << formula;
      if (!found) continue;
      const auto score = score::compute(found->program, found->samples);
      EXPECT_EQ(bits(seen.of(id).after), bits(score.value)) << formula;
      EXPECT_EQ(seen.of(id).error, score.error) << formula;
      scored += score.value ? 1 : 0;
    }
  }
  EXPECT_GT(scored, 100u);
}

TEST(Rescore, RanksAreSharedAndLeaveOutPartsOfSuites) {
  History history;
  const auto good = history.run(4, {}), same = history.run(4, {1}), other = history.run(4, {2});
  const auto part = history.run(4, {}, "", {"e1", "e2"});
  const auto seen = history.rescore("100 * e1");
  EXPECT_EQ(seen.of(good).rank_before, 1u);
  EXPECT_EQ(seen.of(same).rank_before, 2u);
  EXPECT_EQ(seen.of(other).rank_before, 2u);
  EXPECT_EQ(seen.of(good).rank_after, 1u);
  EXPECT_EQ(seen.of(other).rank_after, 1u);
  EXPECT_EQ(seen.of(same).rank_after, 3u);
  EXPECT_EQ(seen.of(part).after, 100);
  EXPECT_EQ(seen.of(part).rank_after, std::nullopt);
  EXPECT_EQ(seen.summary.runs, 4u);
  EXPECT_EQ(seen.summary.ranked, 3u);
  EXPECT_EQ(seen.summary.moved, 2u);
  ASSERT_EQ(seen.summary.movers.size(), 2u);
  EXPECT_EQ(seen.summary.best_before->id, good);
  ASSERT_TRUE(seen.summary.before);
  EXPECT_EQ(seen.summary.before->most, 100);
  EXPECT_EQ(seen.summary.before->least, 75);
  EXPECT_EQ(seen.summary.before->median, 87.5);
  EXPECT_EQ(seen.runs.front().id, part);  // the newest is first
}

TEST(Rescore, RanksFollowTheNumbers) {
  History history;
  const std::vector<std::pair<std::string, std::uint32_t>> scores{
      {"-1e300", 9}, {"-0.0", 4}, {"1e-300", 3}, {"-2.5", 8}, {"0.0", 4},
      {"2.5", 2},    {"9e18", 1}, {"-1.0", 7},   {"-1e-9", 6}};
  std::vector<std::string> runs;
  for (const auto& [score, rank] : scores) {
    runs.push_back(history.run(1, {}));
    history.sql("UPDATE run_inputs SET score = " + score +
                " WHERE run = (SELECT number FROM runs WHERE id = '" + runs.back() + "')");
  }
  const auto seen = history.rescore("e1");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(seen.of(runs[i]).rank_before, scores[i].second) << scores[i].first;
    EXPECT_EQ(seen.of(runs[i]).rank_after, 1u);
  }
}

TEST(Rescore, OnlyCompletedRunsHaveARank) {
  History history;
  const auto run = history.run(2, {});
  history.run(2, {});
  history.sql("UPDATE runs SET status = 'timed_out' WHERE id = '" + run + "'");
  const auto seen = history.rescore("success_pct");
  EXPECT_EQ(seen.of(run).after, 100);
  EXPECT_EQ(seen.of(run).rank_after, std::nullopt);
  EXPECT_EQ(seen.summary.ranked, 1u);
}

TEST(Rescore, SaysWhyRunsHaveNoScore) {
  History history;
  history.run(1, {});
  history.run(3, {});
  const auto failed = history.run(3, {1, 2, 3}), running = history.run(3, {});
  const auto bare = history.run(3, {});
  history.sql("UPDATE runs SET status = 'failed', errors = results WHERE id = '" + failed + "'");
  history.sql("UPDATE runs SET status = 'running' WHERE id = '" + running + "'");
  for (const auto& id : {running, bare})
    history.sql("DELETE FROM run_inputs WHERE run = (SELECT number FROM runs WHERE id = '" + id +
                "')");
  auto seen = history.rescore("e2 / (e1 - 1)");
  EXPECT_EQ(seen.reasons(),
            "1 no eval `e2`; 1 every sample ended in an error; 1 no figures are stored; "
            "1 the run has not ended; 1 division by zero in \"e2 / (e1 - 1)\"; ");
  EXPECT_EQ(seen.summary.runs, 5u);
  EXPECT_EQ(seen.of(bare).error, "no figures are stored");
  EXPECT_EQ(seen.of(running).after, std::nullopt);
  seen = history.rescore("mean(passed, \"tag:hard\")");
  EXPECT_EQ(seen.of(running).error, "the run has not ended");
  EXPECT_EQ(seen.reasons().find("1 no named eval has the tag `hard`; "), 0u) << seen.reasons();
}

TEST(Rescore, AWrongFormulaIsAnError) {
  History history;
  EXPECT_EQ(all_codes(history.refusal(History::request("1 +"))), Found{Code::syntax});
  EXPECT_EQ(all_codes(history.refusal(History::request("e1"))), Found{});  // there are no runs
  history.run(2, {});
  const auto found = history.refusal(History::request("e1 + e9"));
  ASSERT_EQ(all_codes(found), Found{Code::unknown_variable});
  EXPECT_EQ(found.all().front().span, (base::Span{5, 7}));
  EXPECT_EQ(first_hint(found), "did you mean `e1` or `e2`?");
  EXPECT_EQ(all_codes(history.refusal(History::request("1 +"))), Found{Code::syntax});
  EXPECT_EQ(all_codes(history.refusal(History::request("mean(passed, \"tag:none\")"))),
            Found{Code::matches_nothing});
  EXPECT_EQ(all_codes(history.refusal(History::request(""))), Found{Code::empty_formula});
}

// Each name is in some run, but no run has both.
TEST(Rescore, ANameThatSomeRunsHaveIsNoError) {
  History history;
  history.run(1, {});
  std::string text = suite_of(1);
  text.replace(text.find("name: e1"), 8, "name: e7");
  auto request = request_for(history.machine.write("other.yaml", text));
  request.models = {"replay:" + history.machine.path("answers.jsonl")};
  history.machine.run(request);
  EXPECT_EQ(history.rescore("e1 + e7").reasons(), "1 no eval `e7`; 1 no eval `e1`; ");
  EXPECT_EQ(history.rescore("e7").reasons(), "1 no eval `e7`; ");
}

TEST(Rescore, GatesThatFlipAreFound) {
  History history;
  const std::string gate = "score: {formula: success_pct, min: 60}\n";
  const auto lost = history.run(3, {1}, gate), kept = history.run(3, {}, gate);
  const auto won = history.run(3, {2, 3}, gate), free = history.run(3, {});
  const auto seen = history.rescore("100 * e1");
  EXPECT_TRUE(seen.of(lost).flips());
  EXPECT_EQ(seen.of(lost).passes_after, false);
  EXPECT_FALSE(seen.of(kept).flips());
  EXPECT_EQ(seen.of(won).passes_after, true);
  EXPECT_EQ(seen.of(free).passes_after, std::nullopt);
  EXPECT_EQ(seen.summary.gates.runs, 3u);
  EXPECT_EQ(seen.summary.gates.passed_before, 2u);
  EXPECT_EQ(seen.summary.gates.pass_after, 2u);
  EXPECT_EQ(seen.summary.gates.lost, 1u);
  EXPECT_EQ(seen.summary.gates.won, 1u);
  ASSERT_EQ(seen.summary.flips.size(), 2u);
  EXPECT_EQ(seen.summary.flips[0].id, won);  // the newest first
  auto request = History::request("100 * e1");
  request.rule.min_score = 200;
  EXPECT_EQ(history.rescore(request).summary.gates.lost, 2u);
}

TEST(Rescore, FiltersAndRowsAreThoseOfTheRequest) {
  History history;
  history.run(2, {1});
  const auto good = history.run(2, {});
  auto request = History::request("e1");
  request.filter.score.least = 90;
  auto seen = history.rescore(request);
  EXPECT_EQ(seen.summary.runs, 1u);
  EXPECT_EQ(seen.of(good).rank_after, 1u);
  request.filter = {};
  request.rows = 1;
  seen = history.rescore(request);
  EXPECT_EQ(seen.summary.runs, 2u);
  ASSERT_EQ(seen.runs.size(), 1u);
  EXPECT_EQ(seen.runs[0].id, good);
  request.filter.suite = "other";
  EXPECT_EQ(history.rescore(request).summary.runs, 0u);
}

TEST(Rescore, IntervalsAreOfTheNewScores) {
  History history;
  const auto run = history.run(8, {1, 2}, "score: {formula: success_pct}\n");
  auto request = History::request("success_pct");
  EXPECT_FALSE(history.rescore(request).of(run).certainty);
  request.intervals = true;
  const auto seen = history.rescore(request);
  const auto stored = history.machine.stored(run).certainty;
  ASSERT_TRUE(seen.of(run).certainty && stored && stored->score.other_evals);
  EXPECT_EQ(seen.of(run).certainty->score.other_evals->low, stored->score.other_evals->low);
}

TEST(Rescore, RunsThatWereNotMeasuredAreMeasuredFirst) {
  History history;
  const auto run = history.run(2, {1});
  history.sql(
      "DELETE FROM run_inputs; DELETE FROM run_figures; "
      "INSERT INTO unmeasured_runs SELECT number FROM runs");
  EXPECT_EQ(history.rescore("success_pct").of(run).after, 50);
}

// Such as a backup, or a full disk.
TEST(Rescore, AStoreThatCannotBeWrittenIsRescoredAllTheSame) {
  History history;
  const auto measured = history.run(2, {1}), unmeasured = history.run(2, {});
  history.sql(
      "INSERT INTO unmeasured_runs SELECT run FROM run_inputs WHERE score = 100; "
      "DELETE FROM run_inputs WHERE score = 100");
  test::FaultyStore store(*history.machine.local.store);
  store.faults.write = 0;
  store.faults.failing = 100;
  Outcome seen;
  ASSERT_TRUE(rescore_runs(store, History::request("success_pct"), seen));
  EXPECT_EQ(seen.of(measured).after, 50);
  EXPECT_EQ(seen.of(unmeasured).error, "no figures are stored");
}

TEST(Rescore, TellsItsProgressAndCanBeStopped) {
  History history;
  for (int i = 0; i < 70; ++i) history.run(1, {});
  EXPECT_EQ(history.rescore("success_pct").progress, 0u);  // too fast to tell
  auto request = History::request("percentile(latency, 75)");
  EXPECT_GT(history.rescore(request).progress, 0u);
  Outcome seen;
  seen.is_stopped = true;
  EXPECT_EQ(rescore_runs(*history.machine.local.store, request, seen).value(), false);
  EXPECT_EQ(seen.summary.runs, 0u);
}

TEST(Rescore, ScoresAreKeptBesideTheStoredOnes) {
  History history;
  const auto first = history.run(2, {1}), second = history.run(2, {});
  const auto before = test::first_column(history.machine.folder.database(),
                                         "SELECT score || score_formula FROM runs");
  auto request = History::request("100 * e2 / e1");
  request.keep = "strict";
  EXPECT_EQ(history.rescore(request).summary.kept, "strict");
  EXPECT_EQ(history.rescore(request).summary.kept, "strict");  // once more, which changes nothing
  const auto kept = history.machine.stored(second).kept_scores;
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].name, "strict");
  EXPECT_EQ(kept[0].formula, "100 * e2 / e1");
  EXPECT_EQ(kept[0].value, 100);
  EXPECT_EQ(history.machine.stored(first).kept_scores.at(0).value, std::nullopt);
  EXPECT_EQ(history.machine.stored(first).kept_scores.at(0).error,
            "division by zero: e1 is 0 in \"100 * e2 / e1\"");
  EXPECT_EQ(test::first_column(history.machine.folder.database(),
                               "SELECT score || score_formula FROM runs"),
            before);

  request.rule.formula = "100 * e2";
  const auto found = history.refusal(request);
  ASSERT_EQ(all_codes(found), Found{Code::conflict});
  EXPECT_EQ(first_message(found),
            "scores by another formula are kept as `strict`: `100 * e2 / e1`");
  request.keep = "lenient";
  history.rescore(request);
  EXPECT_EQ(history.machine.stored(first).kept_scores.size(), 2u);
  for (const auto& name : std::vector<std::string>{"", " ", "a\nb", std::string(200, 'x')}) {
    request.keep = name;
    EXPECT_EQ(all_codes(history.refusal(request)), Found{Code::bad_usage}) << name;
  }
}

TEST(Rescore, AStoppedOneKeepsNothing) {
  History history;
  const auto run = history.run(2, {});
  auto request = History::request("success_pct");
  request.keep = "strict";
  Outcome seen;
  seen.is_stopped = true;
  EXPECT_EQ(rescore_runs(*history.machine.local.store, request, seen).value(), false);
  EXPECT_TRUE(history.machine.stored(run).kept_scores.empty());
}

}  // namespace
}  // namespace vibe::app
