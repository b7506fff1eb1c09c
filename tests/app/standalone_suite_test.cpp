// A suite without the files beside it.
#include "app/suites/standalone_suite.h"

#include <gtest/gtest.h>

#include "suite/load.h"

namespace vibe::app {

namespace {

struct Loaded {
  base::SourcePtr source;
  std::optional<suite::Suite> suite;
  base::Diagnostics found;
};

Loaded load(const std::string& text, const std::string& csv = "") {
  Loaded out;
  out.source = base::make_source("s.yaml", text);
  const auto read = [&](const std::string&) { return base::Result<std::string>(csv); };
  out.suite = suite::load(out.source, {read, false}, out.found);
  EXPECT_TRUE(out.suite) << render(out.found);
  return out;
}

TEST(StandaloneSuite, OneWithoutFilesIsAsItWas) {
  const std::string text =
      "metadata: {name: s, model: exec:cat}\nevals:\n  - prompt: a  # why\n    checks: [match: b]\n"
      "    cases: [{x: 1}]\n";
  auto loaded = load(text);
  EXPECT_EQ(standalone_text(loaded.source, *loaded.suite, loaded.found), text);
}

TEST(StandaloneSuite, TablesStandWhereTheirNamesStood) {
  auto loaded = load(
      "metadata: {name: s, model: exec:cat}\nevals:\n"
      "  - {prompt: \"{{city}}\", cases: 'a.csv', checks: [match: b]}\n"
      "  - prompt: \"{{city}}{{note}}\"\n    cases: a.csv  # the cases\n    checks: [match: b]\n",
      "city,note\nParis,\"a, \"\"b\"\"\nc\"\n7,: {x}\n");
  const auto text = standalone_text(loaded.source, *loaded.suite, loaded.found);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            "metadata: {name: s, model: exec:cat}\nevals:\n"
            "  - {prompt: \"{{city}}\", cases: [{city: Paris, note: \"a, \\\"b\\\"\\nc\"}, "
            "{city: \"7\", note: \": {x}\"}], checks: [match: b]}\n"
            "  - prompt: \"{{city}}{{note}}\"\n"
            "    cases: [{city: Paris, note: \"a, \\\"b\\\"\\nc\"}, "
            "{city: \"7\", note: \": {x}\"}]  # the cases\n    checks: [match: b]\n");
  const auto again = load(*text);
  for (std::size_t eval = 0; eval < 2; ++eval)
    for (std::size_t row = 0; row < 2; ++row)
      for (std::size_t column = 0; column < 2; ++column)
        EXPECT_EQ(again.suite->evals[eval].cases->cell(row, column),
                  loaded.suite->evals[eval].cases->cell(row, column));
}

TEST(StandaloneSuite, AnAnchorIsWrittenOnce) {
  auto loaded = load(
      "metadata: {name: s, model: exec:cat}\nevals:\n"
      "  - {prompt: \"{{c}}\", cases: &all a.csv, checks: [match: b]}\n"
      "  - {prompt: \"{{c}}!\", cases: *all, checks: [match: b]}\n",
      "c\n1\n");
  const auto text = standalone_text(loaded.source, *loaded.suite, loaded.found);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("cases: &all [{c: \"1\"}]"), std::string::npos) << *text;
  EXPECT_NE(text->find("cases: *all"), std::string::npos) << *text;
  EXPECT_EQ(load(*text).suite->evals[1].cases->rows(), 1u);
}

TEST(StandaloneSuite, ARubricCannotGo) {
  auto loaded = load(
      "metadata: {name: s, model: exec:cat}\nevals: [{prompt: a, checks: [match: b]}]\n"
      "score: {rubric: mine.yaml}\n");
  EXPECT_FALSE(standalone_text(loaded.source, *loaded.suite, loaded.found));
  ASSERT_EQ(loaded.found.errors(), 1u);
  EXPECT_EQ(loaded.found.all()[0].code, base::Code::not_permitted);
  EXPECT_EQ(base::slice(loaded.source->text(), loaded.found.all()[0].span), "mine.yaml");
}

TEST(StandaloneSuite, TooLargeWithItsCases) {
  std::string csv = "c\n";
  for (int i = 0; i < 99'999; ++i) csv += std::string(80, 'x') + "\n";
  auto loaded = load(
      "metadata: {name: s, model: exec:cat}\nevals:\n"
      "  - {prompt: \"{{c}}\", cases: a.csv, checks: [match: b]}\n",
      csv);
  EXPECT_FALSE(standalone_text(loaded.source, *loaded.suite, loaded.found));
  EXPECT_EQ(loaded.found.all()[0].code, base::Code::too_large);
}

}  // namespace

}  // namespace vibe::app
