// Scores logs by a rubric.
#include "app/agents/score_executions.h"

#include <gtest/gtest.h>

#include "app/agents/rubric.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

struct LogScorer : UserHome {
  ScoreExecutionsRequest request;
  std::vector<fitness::Scored> all;
  ScoredLogs found;

  LogScorer() { request.read.threads = 3; }

  const std::vector<fitness::Scored>& score(std::vector<std::string> logs) {
    request.read.logs = std::move(logs);
    all.clear();
    found = score_executions(request, [&](fitness::Scored one, const fitness::Rubric&) {
      all.push_back(std::move(one));
    });
    return all;
  }
  Found codes() const { return all_codes(found.diagnostics); }
};

TEST(ScoreExecutions, InTheirOrderWhateverTheThreads) {
  LogScorer scorer;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += log_line("s" + std::to_string(i), i % 2);
  const auto path = scorer.write("a.jsonl", text);
  const auto& all = scorer.score({path});
  ASSERT_EQ(all.size(), 2000u) << base::render(scorer.found.diagnostics);
  EXPECT_EQ(scorer.found.count, 2000u);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i].execution.id, "s" + std::to_string(i));
  EXPECT_GT(all[0].fitness.score, all[1].fitness.score);
  EXPECT_EQ(all[0].fitness.score, all[2].fitness.score);
}

TEST(ScoreExecutions, SayByWhichTaskTheyWereScored) {
  LogScorer scorer;
  scorer.request.given.type = fitness::TaskType::analysis;
  scorer.request.given.complexity = fitness::Complexity::complex;
  const auto& all = scorer.score({scorer.write("a.jsonl", log_line("a", 0))});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].execution.task_type, "analysis");
  EXPECT_EQ(all[0].execution.complexity, "complex");
}

TEST(ScoreExecutions, ByTheUsersRubric) {
  LogScorer scorer;
  scorer.request.rubric = scorer.write("mine.yaml", "name: mine\nscore: {formula: 7}\n");
  const auto log = scorer.write("a.jsonl", log_line("a", 1));
  scorer.score({log});
  ASSERT_TRUE(scorer.found.rubric) << base::render(scorer.found.diagnostics);
  EXPECT_EQ(scorer.found.rubric->name, "mine");
  // A loaded rubric comes before the file.
  scorer.request.loaded = default_rubric();
  scorer.score({log});
  EXPECT_EQ(scorer.found.rubric->name, "default");
}

TEST(ScoreExecutions, WithoutARubricNothingIsRead) {
  LogScorer scorer;
  scorer.request.rubric = scorer.path("none.yaml");
  EXPECT_TRUE(scorer.score({scorer.write("a.jsonl", log_line("a", 0))}).empty());
  EXPECT_FALSE(scorer.found.rubric);
  EXPECT_EQ(scorer.codes(), Found{Code::cannot_read});
}

// ---- the final answer in a file

TEST(ScoreExecutions, TheAnswerOfTheOnlySessionMayBeGiven) {
  LogScorer scorer;
  const auto log = scorer.write("a.jsonl", log_line("a", 0));
  const auto before = scorer.score({log}).at(0).fitness.score;
  scorer.request.output = scorer.write("answer.md", "# Done\n\nIt is done.\n\n- one\n\xff");
  const auto& all = scorer.score({log});
  ASSERT_EQ(all.size(), 1u) << base::render(scorer.found.diagnostics);
  EXPECT_EQ(scorer.found.count, 1u);
  EXPECT_NE(all[0].fitness.score, before);
  EXPECT_TRUE(all[0].execution.structure.headers && all[0].execution.structure.lists);
}

TEST(ScoreExecutions, AnAnswerIsThatOfOneSession) {
  LogScorer scorer;
  scorer.request.output = scorer.write("answer.md", "done");
  EXPECT_TRUE(scorer.score({scorer.write("a.jsonl", log_line("a", 0) + log_line("b", 0))}).empty());
  EXPECT_EQ(scorer.codes(), Found{Code::bad_usage});
  EXPECT_EQ(scorer.found.count, 0u);
  scorer.request.output = scorer.path("none.md");
  EXPECT_TRUE(scorer.score({scorer.write("a.jsonl", log_line("a", 0))}).empty());
  EXPECT_EQ(scorer.codes(), Found{Code::cannot_read});
}

TEST(ScoreExecutions, EndWhenNobodyWantsThem) {
  LogScorer scorer;
  const std::atomic<bool> is_unwanted = true;
  scorer.request.read.is_unwanted = &is_unwanted;
  EXPECT_TRUE(scorer.score({scorer.write("a.jsonl", log_line("a", 0))}).empty());
}

// ---- rubrics

TEST(LoadRubric, WithoutAPathTheOneThatIsBuiltIn) {
  base::Diagnostics out;
  EXPECT_EQ(load_rubric(std::nullopt, out).get(), &fitness::default_rubric());
  EXPECT_EQ(default_rubric().get(), &fitness::default_rubric());
  EXPECT_TRUE(out.empty());
}

TEST(LoadRubric, AllThatIsWrongIsSaid) {
  UserHome user;
  base::Diagnostics out;
  EXPECT_FALSE(load_rubric(user.path("none.yaml"), out));
  EXPECT_EQ(all_codes(out), Found{Code::cannot_read});
  out = {};
  EXPECT_FALSE(load_rubric(user.write("a.yaml", "most_errors: x\nefficiency: y\n"), out));
  EXPECT_EQ(out.errors(), 2u) << base::render(out);
  EXPECT_EQ(out.all()[0].source->name(), user.path("a.yaml"));
  out = {};
  EXPECT_TRUE(load_rubric(user.write("b.yaml", "colour: blue\n"), out));  // a warning
  EXPECT_EQ(all_codes(out), Found{Code::unknown_key});
}

}  // namespace
}  // namespace vibe::app
