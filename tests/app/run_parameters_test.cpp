// Writes and reads how a run was started.
#include "app/runs/run_parameters.h"

#include <gtest/gtest.h>

#include "base/json_value.h"

namespace vibe::app {
namespace {

TEST(RunParameters, ComeBack) {
  RunParameters before;
  before.plan.system_prompt = "{{secret('a')}} \"b\"\n";
  before.plan.threads = 7;
  before.plan.repeat = 3;
  before.plan.only = {"tag:a", "capitals[2]"};
  before.tools.url = "https://tools.example/mcp";
  before.tools.name = "tools";
  before.plan_hash = "p";
  before.rubric_hash = "r";
  const auto after = read_parameters(to_json(before, {}));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->plan.system_prompt, before.plan.system_prompt);
  EXPECT_EQ(after->plan.threads, 7);
  EXPECT_EQ(after->plan.repeat, 3);
  EXPECT_EQ(after->plan.only, before.plan.only);
  EXPECT_EQ(after->tools.url, before.tools.url);
  EXPECT_EQ(after->tools.name, before.tools.name);
  EXPECT_EQ(after->plan_hash, "p");
  EXPECT_EQ(after->rubric_hash, "r");
}

TEST(RunParameters, WhatWasNotSaidStaysSo) {
  const auto after = read_parameters(to_json({}, {}));
  ASSERT_TRUE(after);
  EXPECT_FALSE(after->plan.system_prompt || after->plan.threads || after->plan.repeat ||
               after->tools.url || after->tools.name || after->tools.token);
  EXPECT_TRUE(after->plan.only.empty());
  EXPECT_EQ(after->rubric_hash, "");
}

TEST(RunParameters, AnEmptySystemPromptIsOne) {
  RunParameters before;
  before.plan.system_prompt = "";
  EXPECT_EQ(read_parameters(to_json(before, {}))->plan.system_prompt, "");
}

TEST(RunParameters, ATokenIsNotKept) {
  RunParameters before;
  before.tools.url = "https://tools.example/mcp";
  before.tools.token = "open sesame";
  const auto json = to_json(before, {});
  EXPECT_EQ(json.find("sesame"), std::string::npos);
  EXPECT_FALSE(read_parameters(json)->tools.token);
}

TEST(RunParameters, SayWhatTheSuiteSaysOfTheModel) {
  suite::Metadata metadata;
  metadata.temperature = 0;
  metadata.max_output_tokens = 100;
  const auto json = base::parse_json(to_json({}, metadata));
  ASSERT_TRUE(json);
  EXPECT_EQ(json->number_of("temperature"), 0);
  EXPECT_EQ(json->integer_of("max_output_tokens"), 100);
  EXPECT_FALSE(json->find("top_p") || json->find("seed"));
}

TEST(RunParameters, WhatIsNoJsonIsNone) {
  EXPECT_FALSE(read_parameters(""));
  EXPECT_FALSE(read_parameters("{"));
}

}  // namespace
}  // namespace vibe::app
