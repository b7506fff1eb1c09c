#include "fitness/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vibe::fitness {

namespace {

struct AgentCase {
  const char* name;
  const char* text;
  AgentVersion want;
};
class AgentNames : public testing::TestWithParam<AgentCase> {};
TEST_P(AgentNames, Are) { EXPECT_EQ(agent_version(GetParam().text), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(
    Fitness, AgentNames,
    testing::Values(AgentCase{"both", "reviewer@v2", {"reviewer", "v2"}},
                    AgentCase{"name_alone", "reviewer", {"reviewer", ""}},
                    AgentCase{"empty_version", "reviewer@", {"reviewer", ""}},
                    AgentCase{"last_at", "a@b@c", {"a@b", "c"}},
                    AgentCase{"scope", "@acme/reviewer", {"@acme/reviewer", ""}},
                    AgentCase{"scope_and_version", "@acme/reviewer@2", {"@acme/reviewer", "2"}},
                    AgentCase{"nothing", "", {"", ""}}),
    [](const auto& row) { return row.param.name; });

TEST(AgentQueries, TellNoVersionFromAny) {
  EXPECT_EQ(agent_query("reviewer@v2").version, "v2");
  EXPECT_EQ(agent_query("reviewer@").version, "");
  EXPECT_EQ(agent_query("reviewer").version, std::nullopt);
  EXPECT_EQ(agent_query("@acme/reviewer").agent, "@acme/reviewer");
  EXPECT_EQ(agent_query("@acme/reviewer").version, std::nullopt);
}

TEST(AgentVersions, AreWrittenAsTheyAreRead) {
  for (const char* text : {"reviewer@v2", "reviewer", "@acme/reviewer@2", ""})
    EXPECT_EQ(to_string(agent_version(text)), text);
}

TEST(ScoredExecutions, HappenedWhenTheyEndedOrElseWhenTheyWereScored) {
  ScoredExecution scored;
  scored.scored_at = 5000;
  EXPECT_EQ(scored.time(), 5000);
  scored.execution.ended = 1'234'567;
  EXPECT_EQ(scored.time(), 1234);
}

TEST(ScoredExecutions, AreRecordedWithoutTextsAndWithEveryNote) {
  Scored scored;
  scored.execution.agent = "claude-code";
  scored.execution.output = "the answer";
  scored.execution.prompt = "the question";
  scored.execution.calls = {trace::Call{}};
  scored.execution.notes = {"a note of the log"};
  scored.execution.tool_calls = 3;
  scored.fitness.signals[0].value = 0.5;
  scored.fitness.error = "no signal is known";
  scored.fitness.task.type = TaskType::analysis;
  const auto record = record_of(scored, default_rubric());
  EXPECT_EQ(record.agent, (AgentVersion{"claude-code", ""}));
  EXPECT_EQ(record.execution.output, "");
  EXPECT_EQ(record.execution.prompt, "");
  EXPECT_TRUE(record.execution.calls.empty());
  EXPECT_EQ(record.execution.tool_calls, 3);
  EXPECT_EQ(record.signals[0], 0.5);
  EXPECT_EQ(record.signals[1], std::nullopt);
  EXPECT_EQ(record.score, std::nullopt);
  EXPECT_EQ(record.task_type, TaskType::analysis);
  EXPECT_EQ(record.rubric, default_rubric().name);
  ASSERT_GT(record.execution.notes.size(), 1u);
  EXPECT_EQ(record.execution.notes[0], "a note of the log");
}

}  // namespace

}  // namespace vibe::fitness
