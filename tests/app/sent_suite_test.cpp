// Checks the names of suites that clients send. What they send is tested in start_run_test.cpp.
#include "app/team/sent_suite.h"

#include <gtest/gtest.h>

#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

struct SuiteName {
  const char* name;
  std::string text;
  bool is_fine;
};
class SuiteNames : public testing::TestWithParam<SuiteName> {};

TEST_P(SuiteNames, CanBeInPaths) {
  const auto checked = check_suite_name(GetParam().text);
  EXPECT_EQ(checked.has_value(), GetParam().is_fine);
  if (!checked) {
    EXPECT_EQ(all_codes(checked.error()), Found{Code::bad_name});
    EXPECT_LT(first_message(checked.error()).size(), 400u);  // a long name is shortened
  }
}

INSTANTIATE_TEST_SUITE_P(
    SentSuite, SuiteNames,
    testing::Values(SuiteName{"plain", "sums", true}, SuiteName{"spaces", "my sums?", true},
                    SuiteName{"umlaut", "Übung", true},
                    SuiteName{"begins_with_a_word", "lists", true},
                    SuiteName{"longest", std::string(200, 'x'), true},
                    SuiteName{"too_long", std::string(100'000, 'x'), false},
                    SuiteName{"reserved", "list", false}, SuiteName{"dot", ".", false},
                    SuiteName{"dots", "..", false}, SuiteName{"slash", "a/b", false},
                    SuiteName{"control", "a\x01", false},
                    SuiteName{"nul", std::string("a\0b", 3), false},
                    SuiteName{"reordering", "a\u202E", false}, SuiteName{"bytes", "a\xff", false}),
    [](const auto& row) { return row.param.name; });

struct PermittedModel {
  const char* name;
  const char* model;
  bool on_server, if_listed;
};
class PermittedModels : public testing::TestWithParam<PermittedModel> {};

TEST_P(PermittedModels, DependOnTheMachine) {
  const auto& [name, model, on_server, if_listed] = GetParam();
  Permissions permissions;
  EXPECT_TRUE(permit_model(model, permissions));
  permissions.any_model = false;
  EXPECT_EQ(permit_model(model, permissions).has_value(), on_server);
  permissions.local_models = {"exec:agent", "replay:answers.jsonl"};
  const auto listed = permit_model(model, permissions);
  EXPECT_EQ(listed.has_value(), if_listed);
  if (!listed) {
    EXPECT_EQ(all_codes(listed.error()), Found{Code::not_permitted});
  }
}

INSTANTIATE_TEST_SUITE_P(
    Local, PermittedModels,
    testing::Values(PermittedModel{"service", "openai/gpt-4o", true, true},
                    PermittedModel{"listed", "exec:agent", false, true},
                    PermittedModel{"more_words", "exec:agent -x", false, false},
                    PermittedModel{"recording", "replay:answers.jsonl", false, true},
                    PermittedModel{"other_recording", "replay:b", false, false}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace vibe::app
