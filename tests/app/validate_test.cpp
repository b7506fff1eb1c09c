// Validates suite files and the files that they name.
#include "app/suites/validate.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

struct SuiteFolder {
  const base::TempFolder files = base::TempFolder::make().value();
  std::string path(const std::string& name) const { return files.path() + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    test::write_bytes(path(name), text);
    return path(name);
  }
};

const std::string kWithCases =
    "metadata: {name: s, model: m/n}\n"
    "evals: [{prompt: '{{city}}', cases: some/cases.csv, checks: [match: a]}]\n";
const std::string kWithRubric = suite_of(1) + "score: {rubric: mine.yaml}\n";

TEST(Validate, ReadsTheFilesBesideIt) {
  SuiteFolder folder;
  folder.write("some/cases.csv", "city\nParis\nHanoi\n");
  const auto seen = validate(folder.write("suite.yaml", kWithCases));
  ASSERT_TRUE(seen.suite) << base::render(seen.diagnostics);
  EXPECT_EQ(seen.suite->evals[0].cases->rows(), 2u);
  EXPECT_EQ(seen.rubric, nullptr);  // null: the default
  EXPECT_EQ(seen.file, folder.path("suite.yaml"));
}

TEST(Validate, ReadsTheRubricThatItNames) {
  SuiteFolder folder;
  folder.write("mine.yaml", "name: mine\n");
  const auto seen = validate(folder.write("suite.yaml", kWithRubric));
  ASSERT_TRUE(seen.suite && seen.rubric) << base::render(seen.diagnostics);
  EXPECT_EQ(seen.rubric->name, "mine");
}

TEST(Validate, ARubricThatIsNotThereIsSaidWhereItIsNamed) {
  SuiteFolder folder;
  const auto seen = validate(folder.write("suite.yaml", kWithRubric));
  EXPECT_FALSE(seen.suite);
  ASSERT_EQ(all_codes(seen.diagnostics), Found{Code::cannot_read});
  const auto& problem = seen.diagnostics.all()[0];
  EXPECT_EQ(base::slice(problem.source->text(), problem.span), "mine.yaml");
}

TEST(Validate, ARubricWithMistakesIsNoSuite) {
  SuiteFolder folder;
  folder.write("mine.yaml", "most_errors: none\n");
  const auto seen = validate(folder.write("suite.yaml", kWithRubric));
  EXPECT_FALSE(seen.suite);
  EXPECT_EQ(all_codes(seen.diagnostics), Found{Code::wrong_type}) << base::render(seen.diagnostics);
  EXPECT_EQ(seen.diagnostics.all()[0].source->name(), folder.path("mine.yaml"));
}

TEST(Validate, WithoutFilesTheyAreRefused) {
  SuiteFolder folder;
  folder.write("some/cases.csv", "city\nParis\n");
  folder.write("mine.yaml", "name: mine\n");
  const auto cases = validate(folder.write("a.yaml", kWithCases), {.files = false});
  EXPECT_FALSE(cases.suite);
  EXPECT_EQ(all_codes(cases.diagnostics), Found{Code::unreadable_cases});
  const auto rubric = validate(folder.write("b.yaml", kWithRubric), {.files = false});
  EXPECT_FALSE(rubric.suite || rubric.rubric);
  EXPECT_EQ(all_codes(rubric.diagnostics), Found{Code::not_permitted});
}

TEST(Validate, APipeIsNotWaitedFor) {
  SuiteFolder folder;
  ASSERT_EQ(::mkfifo(folder.path("mine.yaml").c_str(), 0600), 0);
  const auto seen = validate(folder.write("suite.yaml", kWithRubric));
  EXPECT_FALSE(seen.suite);
  EXPECT_EQ(all_codes(seen.diagnostics), Found{Code::cannot_read});
}

TEST(Validate, AMissingSuiteIsSaid) {
  SuiteFolder folder;
  const auto seen = validate(folder.path("none.yaml"));
  EXPECT_FALSE(seen.suite);
  EXPECT_EQ(all_codes(seen.diagnostics), Found{Code::cannot_read});
}

TEST(Validate, StrictTakesTheSuiteAway) {
  SuiteFolder folder;
  const auto path = folder.write("suite.yaml", suite_of(1) + "colour: blue\n");
  EXPECT_TRUE(validate(path).suite);
  const auto strict = validate(path, {.strict = true});
  EXPECT_FALSE(strict.suite);
  EXPECT_TRUE(strict.diagnostics.failed());
}

}  // namespace
}  // namespace vibe::app
