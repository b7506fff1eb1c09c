// Collects the scores of logs and of stored executions, and warns about them.
#include "app/agents/execution_scores.h"

#include <gtest/gtest.h>

#include "app/kept_executions.h"
#include "app/world.h"
#include "fitness/rubrics.h"

namespace vibe::app {
namespace {

using base::Code;

TEST(ScoresOfAgent, NewestFirst) {
  KeptExecutions kept;
  kept.keep({"agent", "v1"}, {50, 60});
  kept.keep({"agent", "v2"}, {std::nullopt, 70});
  kept.keep({"other", "v1"}, {99});
  const auto scores = scores_of_agent(kept.executions(), "agent", nullptr);
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->values(), (std::vector<double>{70, 60, 50}));
  EXPECT_EQ(scores->unscored, 1u);
  EXPECT_EQ(scores->little_known.size(), 3u);
  ASSERT_EQ(scores->rubrics.size(), 1u);
  EXPECT_EQ(scores->rubrics[0].name, "default");
  EXPECT_EQ(scores->other_signals, 0u);
}

TEST(ScoresOfAgent, OfOneVersionOrOfNone) {
  KeptExecutions kept;
  kept.keep({"agent", "v1"}, {50});
  kept.keep({"agent", ""}, {60});
  const auto values = [&](std::string_view agent) {
    return scores_of_agent(kept.executions(), agent, nullptr)->values();
  };
  EXPECT_EQ(values("agent"), (std::vector<double>{60, 50}));
  EXPECT_EQ(values("agent@v1"), std::vector<double>{50});
  EXPECT_EQ(values("agent@"), std::vector<double>{60});
}

TEST(ScoresOfAgent, MoreThanAPage) {
  KeptExecutions kept;
  kept.keep({"agent", "v1"}, std::vector<std::optional<double>>(1203, 50));
  EXPECT_EQ(scores_of_agent(kept.executions(), "agent", nullptr)->all.size(), 1203u);
}

TEST(ScoresOfAgent, NothingKeptSaysWhatIs) {
  KeptExecutions kept;
  const auto hint = [&](std::string_view agent) {
    const auto scores = scores_of_agent(kept.executions(), agent, nullptr);
    EXPECT_FALSE(scores);
    EXPECT_EQ(all_codes(scores.error()), Found{Code::not_found});
    return first_hint(scores.error());
  };
  EXPECT_NE(hint("reviewer").find("vibe get executions"), std::string::npos);
  kept.keep({"reviewer", "v1"}, {50});
  kept.keep({"reviewer", "v2"}, {50});
  EXPECT_NE(hint("reviewr").find("`reviewer`"), std::string::npos);
  EXPECT_NE(hint("reviewer@v3").find("`reviewer@v1`, `reviewer@v2`"), std::string::npos);
}

TEST(ScoresOfAgent, ARubricScoresThemByTheirSignals) {
  KeptExecutions kept;
  kept.keep({"agent", "v1"}, {50, std::nullopt});
  const auto rubric = fitness::rubric_of("name: mine\nscore: {formula: 40 + 2}\n");
  const auto scores = scores_of_agent(kept.executions(), "agent", &rubric);
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->all.size() + scores->unscored, 2u);
  ASSERT_EQ(scores->rubrics.size(), 1u);
  EXPECT_EQ(scores->rubrics[0].name, "mine");
  EXPECT_EQ(scores->other_signals, scores->all.size());  // another rubric found the signals
}

// ---- logs

TEST(ScoresOfLogs, NewestFirst) {
  UserHome user;
  ScoreExecutionsRequest request;
  request.read.threads = 1;
  request.read.logs = {user.write("a.jsonl", log_line("new", 0, "2026-03-03T10:00:00Z") +
                                                 log_line("old", 0, "2026-03-01T10:00:00Z")),
                       user.write("b.jsonl", log_line("middle", 1, "2026-03-02T10:00:00Z"))};
  const auto found = scores_of_logs(request);
  std::vector<std::string> sessions;
  for (const auto& one : found.scores.all) sessions.push_back(one.id);
  EXPECT_EQ(sessions, (std::vector<std::string>{"new", "middle", "old"}));
  EXPECT_EQ(found.scores.little_known.size(), 3u);
  EXPECT_EQ(found.scores.rubrics.size(), 1u);
  EXPECT_EQ(found.scores.all[0].kept_id, "");
}

TEST(ScoresOfLogs, WithoutAScoreThereIsNoRubric) {
  UserHome user;
  ScoreExecutionsRequest request;
  request.read.logs = {user.path("none.jsonl")};
  const auto found = scores_of_logs(request);
  EXPECT_TRUE(found.scores.all.empty() && found.scores.rubrics.empty());
  EXPECT_TRUE(found.logs.diagnostics.failed());
}

// ---- warnings

ExecutionScores scored_by(const std::vector<RubricName>& rubrics, std::size_t scores,
                          std::size_t unscored = 0) {
  ExecutionScores out;
  out.all.resize(scores);
  out.little_known.resize(scores);
  out.unscored = unscored;
  out.rubrics = rubrics;
  return out;
}

TEST(CheckScored, FailsWithoutAScoreAndWarnsOfSome) {
  const auto codes_of_check = [](const ExecutionScores& scores) {
    base::Diagnostics out;
    check_scored(scores, "`agent`", out);
    return all_codes(out);
  };
  EXPECT_EQ(codes_of_check(scored_by({}, 2)), Found{});
  EXPECT_EQ(codes_of_check(scored_by({}, 2, 1)), Found{Code::unscored_execution});
  EXPECT_EQ(codes_of_check(scored_by({}, 0, 1)), Found{Code::no_fitness});
  EXPECT_EQ(codes_of_check(scored_by({}, 0, 3)), Found{Code::no_fitness});
}

TEST(WarnOfLittle, CountsOnlyWhatWeighs) {
  auto scores = scored_by({}, 3);
  scores.little_known = {false, true, true};
  base::Diagnostics out;
  fitness::Aggregate aggregate;
  aggregate.weights = {0.5, 0, 0};
  warn_of_little(scores, aggregate, "`agent`", out);
  EXPECT_TRUE(out.empty());
  aggregate.weights = {0.5, 0.5, 0};
  warn_of_little(scores, aggregate, "`agent`", out);
  ASSERT_EQ(all_codes(out), Found{Code::little_known});
  EXPECT_NE(first_message(out).find("1 of 2"), std::string::npos) << first_message(out);
}

TEST(WarnOfMixed, NamesTheRubricsThatDoNotGoTogether) {
  const auto& rubric = fitness::default_rubric();
  const RubricName usual{"default", base::hash(rubric.text)}, mine{"mine", "1"},
      other{"mine", "2222222222"};
  const auto warned = [&](const std::vector<RubricName>& before,
                          const std::vector<RubricName>& after) {
    const auto a = scored_by(before, 1), b = scored_by(after, 1);
    base::Diagnostics out;
    warn_of_mixed({&a, &b}, rubric, out);
    EXPECT_TRUE(out.empty() || all_codes(out) == Found{Code::mixed_rubrics});
    return first_message(out);
  };
  EXPECT_EQ(warned({usual}, {usual}), "");
  EXPECT_EQ(warned({}, {}), "");  // plain numbers have no rubric
  EXPECT_NE(warned({mine}, {mine}).find("`mine`"), std::string::npos);  // the default rubric judges
  EXPECT_NE(warned({usual}, {mine}).find("`default`, `mine`"), std::string::npos);
  EXPECT_NE(warned({mine}, {other}).find("`mine` (1), `mine` (22222222)"), std::string::npos);
}

}  // namespace
}  // namespace vibe::app
