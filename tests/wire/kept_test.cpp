#include "wire/kept.h"

#include <gtest/gtest.h>

#include "wire/written.h"

namespace vibe::wire {

namespace {

using base::to_text;
using store::SuiteEntry;

SuiteEntry full_suite() {
  return {.name = "sums",
          .text = "a: 1\n",
          .path = "/home/a.yaml",
          .evals = 3,
          .version = 2,
          .edited_at = 1000,
          .last_run_at = 2000};
}

TEST(KeptJson, OfSuites) {
  const std::vector suites{full_suite(), SuiteEntry()};
  EXPECT_EQ(to_text(parsed(suites_json(suites))),
            R"({"suites":[{"name":"sums","lastRun":"1970-01-01T00:00:02.000Z",)"
            R"("lastEdit":"1970-01-01T00:00:01.000Z","evalCount":3,"version":2},)"
            R"({"name":"","lastRun":null,"lastEdit":"1970-01-01T00:00:00.000Z","evalCount":0,)"
            R"("version":0}]})");
  EXPECT_EQ(to_text(parsed(suite_json(suites[0]))),
            R"({"suite":{"name":"sums","yamlContent":"a: 1\n",)"
            R"("lastRun":"1970-01-01T00:00:02.000Z","lastEdit":"1970-01-01T00:00:01.000Z",)"
            R"("evalCount":3,"version":2}})");
  EXPECT_EQ(to_text(parsed(versions_json({suites.data(), 1}))),
            R"({"versions":[{"version":2,"lastEdit":"1970-01-01T00:00:01.000Z","evalCount":3,)"
            R"("yamlContent":"a: 1\n"}]})");
}

TEST(KeptJson, OfSuitesIsReadBack) {
  const std::vector suites{full_suite(), SuiteEntry()};
  const auto listed = read_suites(parsed(suites_json(suites)));
  ASSERT_TRUE(listed);
  EXPECT_EQ(suites_json(*listed), suites_json(suites));
  const auto one = read_suite(*parsed(suite_json(suites[0])).find("suite"), "other");
  ASSERT_TRUE(one);
  EXPECT_EQ(suite_json(*one), suite_json(suites[0]));
  EXPECT_EQ(one->path, "");
  const auto versions = read_versions(parsed(versions_json(suites)), "sums");
  ASSERT_TRUE(versions);
  EXPECT_EQ(versions_json(*versions), versions_json(suites));
  EXPECT_EQ(versions->at(1).name, "sums");
  EXPECT_EQ(read_suite(parsed("{}"), "sums")->name, "sums");
}

TEST(KeptJson, OfVariablesIsReadBack) {
  const std::vector<store::Variable> variables{{"a", "1"}, {"b", ""}};
  EXPECT_EQ(to_text(parsed(variables_json(variables))),
            R"({"vars":[{"name":"a","value":"1"},{"name":"b","value":""}]})");
  EXPECT_EQ(to_text(parsed(variable_json(variables[0]))), R"({"name":"a","value":"1"})");
  const auto read = read_variables(parsed(variables_json(variables)));
  ASSERT_TRUE(read);
  EXPECT_EQ(variables_json(*read), variables_json(variables));
}

TEST(KeptJson, OfSecretsHasNamesAlone) {
  const std::vector<std::string> names{"a", "b"};
  EXPECT_EQ(to_text(parsed(secrets_json(names))), R"({"secrets":[{"name":"a"},{"name":"b"}]})");
  EXPECT_EQ(read_secrets(parsed(secrets_json(names))), names);
}

TEST(KeptJson, ThatIsSomethingElseIsRefused) {
  for (const char* text : {"{}", "[]", R"({"suites": 1, "versions": 1, "vars": 1, "secrets": 1})",
                           R"({"suites": [1], "versions": [1], "vars": [1], "secrets": [1]})"}) {
    EXPECT_FALSE(read_suites(parsed(text))) << text;
    EXPECT_FALSE(read_versions(parsed(text), "a")) << text;
    EXPECT_FALSE(read_variables(parsed(text))) << text;
    EXPECT_FALSE(read_secrets(parsed(text))) << text;
  }
}

}  // namespace

}  // namespace vibe::wire
