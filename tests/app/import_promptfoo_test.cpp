// Imports promptfoo configs.
#include "app/suites/import_promptfoo.h"

#include <gtest/gtest.h>

#include "app/suites/validate.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

const std::string kConfig =
    "providers: [openai:gpt-4o-mini]\n"
    "prompts: ['What is {{a}} + 2?']\n"
    "tests: [{vars: {a: 2}, assert: [{type: contains, value: '4'}]}]\n";

TEST(ImportPromptfoo, WritesASuiteThatValidates) {
  UserHome user;
  ImportRequest request;
  request.config = user.write("promptfooconfig.yaml", kConfig);
  request.output = user.path("suite.yaml");
  const auto imported = import_promptfoo(request);
  ASSERT_TRUE(imported.imported) << base::render(imported.diagnostics);
  EXPECT_TRUE(imported.validates);
  EXPECT_EQ(test::read_bytes(*request.output), imported.imported->suite);
  EXPECT_TRUE(validate(*request.output).suite);
}

TEST(ImportPromptfoo, ReplacesNothingUnlessAskedTo) {
  UserHome user;
  ImportRequest request;
  request.config = user.write("promptfooconfig.yaml", kConfig);
  request.output = user.write("suite.yaml", "mine\n");
  const auto refused = import_promptfoo(request);
  EXPECT_FALSE(refused.imported);
  EXPECT_TRUE(refused.diagnostics.has(Code::bad_usage));
  EXPECT_EQ(test::read_bytes(*request.output), "mine\n");
  request.replace = true;
  EXPECT_TRUE(import_promptfoo(request).imported);
  EXPECT_NE(test::read_bytes(*request.output), "mine\n");
}

TEST(ImportPromptfoo, WhatIsNotCarriedOverIsAnErrorIfThatIsWanted) {
  UserHome user;
  ImportRequest request;
  request.config = user.write("promptfooconfig.yaml",
                              kConfig + "sharing: true\nextensions: ['file://hook.js:all']\n");
  request.output = user.path("suite.yaml");
  const auto loose = import_promptfoo(request);
  ASSERT_TRUE(loose.imported) << base::render(loose.diagnostics);
  ASSERT_TRUE(loose.diagnostics.has(Code::left_out)) << base::render(loose.diagnostics);
  std::filesystem::remove(*request.output);
  request.strict = true;
  EXPECT_FALSE(import_promptfoo(request).imported);
  EXPECT_FALSE(std::filesystem::exists(*request.output));  // nothing is written
}

TEST(ImportPromptfoo, ReadsPromptsBesideTheConfig) {
  UserHome user;
  user.write("some/prompt.txt", "What is {{a}} + 2?");
  ImportRequest request;
  request.config = user.write("some/promptfooconfig.yaml",
                              "providers: [openai:gpt-4o-mini]\nprompts: ['file://prompt.txt']\n"
                              "tests: [{vars: {a: 2}, assert: [{type: contains, value: '4'}]}]\n");
  const auto imported = import_promptfoo(request);
  ASSERT_TRUE(imported.imported) << base::render(imported.diagnostics);
  EXPECT_NE(imported.imported->suite.find("+ 2?"), std::string::npos);
}

TEST(ImportPromptfoo, AMissingConfigIsSaid) {
  UserHome user;
  ImportRequest request;
  request.config = user.path("none.yaml");
  request.output = user.path("suite.yaml");
  const auto imported = import_promptfoo(request);
  EXPECT_FALSE(imported.imported || imported.validates);
  EXPECT_EQ(all_codes(imported.diagnostics), Found{Code::cannot_read});
  EXPECT_FALSE(std::filesystem::exists(*request.output));
}

}  // namespace
}  // namespace vibe::app
