// The suites in tests/cases/suite: `ok_*` load without a word, `fail_*` show exactly the
// diagnostics that they say they show. A first line `# verbose` asks for notes on patterns.
#include <functional>

#include <gtest/gtest.h>

#include "base/repeated.h"
#include "suite/expectations.h"

namespace vibe::test {

namespace {

class SuiteCase : public testing::TestWithParam<std::string> {};

TEST_P(SuiteCase, ShowsExactlyItsDiagnostics) {
  const auto path = case_folder() / (GetParam() + ".yaml");
  const std::string yaml = read_text(path);
  auto options = options_with_files();
  options.verbose = yaml.starts_with("# verbose");
  base::Diagnostics found;
  const auto suite = suite::load(base::make_source(path.string(), yaml), options, found);
  EXPECT_EQ(suite.has_value(), !found.failed());

  auto expected = expectations_in(yaml);
  const auto beside = case_folder() / (GetParam() + ".expect");
  if (std::filesystem::exists(beside))
    for (auto& one : expectations_beside(beside)) expected.push_back(std::move(one));
  EXPECT_EQ(expected.empty(), GetParam().starts_with("ok_"));
  compare(expected, found, path.string());
  for (const auto& diagnostic : found.all()) EXPECT_FALSE(base::render(diagnostic).empty());
}

INSTANTIATE_TEST_SUITE_P(Fail, SuiteCase, testing::ValuesIn(case_names("fail_")),
                         [](const auto& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(Ok, SuiteCase, testing::ValuesIn(case_names("ok_")),
                         [](const auto& test) { return test.param; });

// Cases too large to keep as files. Their expectations stand in `fail_NAME.expect`.
struct Generated {
  std::string name;
  std::function<std::string()> make;
};

const std::string kHead = "metadata: {name: s, model: openai/gpt-4o-mini}\n";

class GeneratedCase : public testing::TestWithParam<Generated> {};

TEST_P(GeneratedCase, ShowsExactlyItsDiagnostics) {
  const auto beside = case_folder() / ("fail_" + GetParam().name + ".expect");
  ASSERT_TRUE(std::filesystem::exists(beside));
  suite::LoadOptions options;
  options.read_file = [](const std::string& path) -> base::Result<std::string> {
    if (path == "large.csv") return repeated("x\n", suite::kMaxCasesBytes / 2 + 1);
    return "n\n" + repeated("x\n", suite::kMaxEvals + 1);
  };
  base::Diagnostics found;
  EXPECT_FALSE(suite::load(base::make_source("case", GetParam().make()), options, found));
  compare(expectations_beside(beside), found, "case");
}

INSTANTIATE_TEST_SUITE_P(
    Fail, GeneratedCase,
    testing::Values(
        Generated{"generated_brackets", [] { return kHead + "evals: " + repeated("[", 100'000); }},
        Generated{"generated_braces", [] { return kHead + "evals: " + repeated("{a: ", 100'000); }},
        Generated{"generated_large_scalar",
                  [] { return kHead + "x-a: " + repeated("a", 64u << 20); }},
        Generated{"generated_evals",
                  [] {
                    return kHead + "evals:\n" +
                           repeated("- {prompt: p, checks: {match: a}}\n", suite::kMaxEvals + 1);
                  }},
        Generated{"generated_cases_total",
                  [] {
                    return kHead + "evals:\n- {prompt: p, checks: {match: a}, cases: [" +
                           repeated("{a: 1},", suite::kMaxEvals) +
                           "]}\n- {prompt: p, checks: {match: a}}\n- {prompt: never read}\n";
                  }},
        Generated{
            "generated_cases_rows",
            [] { return kHead + "evals:\n- {prompt: p, checks: {match: a}, cases: long.csv}\n"; }},
        Generated{
            "generated_cases_large",
            [] { return kHead + "evals:\n- {prompt: p, checks: {match: a}, cases: large.csv}\n"; }},
        Generated{"generated_alias_texts",
                  [] {
                    return kHead + "x-a: &a \"" + repeated("a", 100'000) + "\"\nevals:\n" +
                           repeated("- {prompt: *a, checks: {match: *a}}\n", 1000);
                  }}),
    [](const auto& test) { return test.param.name; });

}  // namespace

}  // namespace vibe::test
