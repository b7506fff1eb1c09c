// Writes a first suite for a new user.
#include "app/suites/init_suite.h"

#include <gtest/gtest.h>

#include "app/suites/validate.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

struct InitCase {
  const char* name;
  std::vector<std::string> keys;  // variables set in `.env`
  std::optional<std::string> model;
  const char* want;
  bool has_key;
};
class InitModels : public testing::TestWithParam<InitCase> {};

TEST_P(InitModels, CanBeAskedRightAway) {
  UserHome user;
  config::Config config;
  for (const auto& key : GetParam().keys) config.env_file[key] = "key";
  config.model = GetParam().model;
  const auto started = init_suite(user.path("first.yaml"), false, config);
  ASSERT_TRUE(started) << base::render(started.error());
  EXPECT_EQ(started->model, GetParam().want);
  EXPECT_EQ(started->has_key, GetParam().has_key);
  const auto seen = validate(started->path);
  ASSERT_TRUE(seen.suite) << base::render(seen.diagnostics);
  EXPECT_TRUE(seen.diagnostics.empty()) << base::render(seen.diagnostics);
  EXPECT_EQ(seen.suite->metadata.name, "first");
  EXPECT_EQ(seen.suite->metadata.model, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    InitSuite, InitModels,
    testing::Values(InitCase{"nothing", {}, std::nullopt, "exec:cat", false},
                    InitCase{"first_key_counts",
                             {"OPENAI_API_KEY", "ANTHROPIC_API_KEY"},
                             std::nullopt,
                             "anthropic/claude-haiku-4-5",
                             true},
                    InitCase{
                        "router", {"OPENROUTER_API_KEY"}, std::nullopt, "openai/gpt-4o-mini", true},
                    InitCase{"own_model",
                             {"OPENAI_API_KEY"},
                             "exec:agent --say 'a: b'",
                             "exec:agent --say 'a: b'",
                             true}),
    [](const auto& row) { return row.param.name; });

TEST(InitSuite, LeavesAFileAloneUnlessAskedTo) {
  UserHome user;
  const auto path = user.write("mine.yml", "mine\n");
  const auto refused = init_suite(path, false, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(all_codes(refused.error()), Found{Code::bad_usage});
  EXPECT_EQ(test::read_bytes(path), "mine\n");
  EXPECT_TRUE(init_suite(path, true, {}));
  EXPECT_TRUE(validate(path).suite);
}

TEST(InitSuite, WantsTheNameOfASuite) {
  UserHome user;
  for (const char* name : {"mine", "mine.json", "mine.yaml.bak", ""})
    EXPECT_EQ(all_codes(init_suite(user.path(name), false, {}).error()), Found{Code::bad_usage});
}

TEST(InitSuite, HasANameWhateverItsFileIsCalled) {
  UserHome user;
  for (const char* name :
       {" .yaml", "{{x}}.yaml", ".yaml", "a: b.yaml", "'quoted'.yaml", "-.yaml"}) {
    const auto started = init_suite(user.path(name), false, {});
    ASSERT_TRUE(started) << name;
    const auto seen = validate(started->path);
    EXPECT_TRUE(seen.suite) << name << "\n" << base::render(seen.diagnostics);
  }
}

struct WordCase {
  const char* name;
  const char* text;
  const char* want;
};
class ShellWords : public testing::TestWithParam<WordCase> {};
TEST_P(ShellWords, Are) { EXPECT_EQ(shell_word(GetParam().text), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(InitSuite, ShellWords,
                         testing::Values(WordCase{"plain", "a/b-c_1.yaml", "a/b-c_1.yaml"},
                                         WordCase{"empty", "", "''"},
                                         WordCase{"space", "a b", "'a b'"},
                                         WordCase{"dollar", "$HOME", "'$HOME'"},
                                         WordCase{"quote", "it's", "'it'\\''s'"}),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace vibe::app
