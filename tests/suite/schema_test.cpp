// The rows of the schema hold what they say: every example loads, every fallback is the one
// that the loader takes.
#include "suite/schema.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "suite/expectations.h"

namespace vibe::suite {

namespace {

using test::load_text;

struct Home {
  const Section* section;
  std::string before, after;  // a suite around the keys of the section
  std::string required;       // keys that the section needs besides
};

const std::string kMetadata = "metadata: {name: s, model: a/b}\n";
const std::string kEvals = "evals: [{name: e, prompt: p, checks: [match: a]}]\n";

// In flow style, so that a row's example fits anywhere.
const std::vector<Home>& homes() {
  static const std::vector<Home> all{
      {&kSuiteSection, "{", "}",
       "metadata: {name: s, model: a/b}, evals: [{name: e, prompt: p, checks: [match: a]}]"},
      {&kMetadataSection, kEvals + "metadata: {", "}", "name: s, model: a/b"},
      {&kMcpServerSection, kEvals + "metadata: {name: s, model: a/b, mcp_server: {", "}}",
       "url: u"},
      {&kDefaultsSection, kMetadata + kEvals + "defaults: {", "}", ""},
      {&kEvalSection, kMetadata + "evals: [{", "}]", "prompt: p, checks: [match: a]"},
      {&kScoreSection, kMetadata + kEvals + "score: {", "}", ""},
      {&check::kFollowUpSection, kMetadata + "evals: [{prompt: p, checks: [match: a, {", "}]}]",
       "prompt: q, checks: [match: b]"},
      {&check::kSemanticSection, kMetadata + "evals: [{prompt: p, checks: {semantic: {", "}}}]",
       "expected: e, threshold: 1"},
      {&check::kLlmJudgeSection, kMetadata + "evals: [{prompt: p, checks: {llm_judge: {", "}}}]",
       "criteria: c"},
      {&check::kJsonSection, kMetadata + "evals: [{prompt: p, checks: {json: {", "}}}]", ""},
      {&check::kExecSection, kMetadata + "evals: [{prompt: p, checks: {exec: {", "}}}]",
       "command: [a]"},
      {&check::kToolCalledSection, kMetadata + "evals: [{prompt: p, checks: {tool_called: {",
       "}}}]", "name: a"},
  };
  return all;
}

// The required keys but this one.
std::string without(const Home& home, std::string_view key) {
  std::string out;
  for (const Field& field : home.section->fields) {
    const auto at = home.required.find(std::string(field.name) + ": ");
    if (at == std::string::npos || field.name == key) continue;
    std::size_t end = at, depth = 0;
    while (end < home.required.size() && (depth > 0 || home.required[end] != ',')) {
      if (home.required[end] == '{' || home.required[end] == '[') ++depth;
      if (home.required[end] == '}' || home.required[end] == ']') --depth;
      ++end;
    }
    out += home.required.substr(at, end - at) + ", ";
  }
  return out;
}

TEST(Schema, EverySectionHasAHome) { EXPECT_EQ(homes().size(), kSections.size()); }

TEST(Schema, EveryExampleLoads) {
  for (const Home& home : homes())
    for (const Field& field : home.section->fields) {
      const std::string yaml =
          home.before + without(home, field.name) + std::string(field.example) + home.after;
      const auto loaded = load_text(yaml);
      EXPECT_TRUE(loaded.suite) << home.section->name << "." << field.name << ": " << yaml << "\n"
                                << base::render(loaded.found);
    }
}

TEST(Schema, EveryRequiredKeyIsAskedFor) {
  for (const Home& home : homes())
    for (const Field& field : home.section->fields) {
      const auto loaded = load_text(home.before + without(home, field.name) + home.after);
      const auto missing =
          std::count_if(loaded.found.all().begin(), loaded.found.all().end(),
                        [](const auto& d) { return d.code == base::Code::missing_key; });
      const bool eval_checks = home.section == &kEvalSection && field.name == "checks";
      EXPECT_EQ(missing, field.required || eval_checks ? 1 : 0)
          << home.section->name << "." << field.name;
    }
}

TEST(Schema, EveryRangeIsKept) {
  for (const Home& home : homes())
    for (const Field& field : home.section->fields) {
      if (field.type != Type::number && field.type != Type::integer) continue;
      const auto found = [&](double value) {
        const auto loaded =
            load_text(home.before + without(home, field.name) + std::string(field.name) + ": " +
                      std::to_string(static_cast<long>(value)) + home.after);
        return std::any_of(loaded.found.all().begin(), loaded.found.all().end(),
                           [](const auto& d) { return d.code == base::Code::out_of_range; });
      };
      const std::string name = std::string(home.section->name) + "." + std::string(field.name);
      if (std::isfinite(field.range.least)) {
        EXPECT_TRUE(found(field.range.least - 1)) << name;
        EXPECT_EQ(found(field.range.least), field.range.above) << name;
      }
      if (std::isfinite(field.range.most)) {
        EXPECT_FALSE(found(field.range.most)) << name;
        EXPECT_TRUE(found(field.range.most + 1)) << name;
      }
    }
}

TEST(Schema, FallbacksAreWhatTheLoaderTakes) {
  const auto loaded = load_text(kMetadata + kEvals);
  ASSERT_TRUE(loaded.suite);
  EXPECT_EQ(loaded.suite->metadata.threads, std::nullopt);  // the user's settings come first
  EXPECT_EQ(std::to_string(kDefaultThreads), field(kMetadataSection, "threads").fallback);
  EXPECT_EQ(std::to_string(loaded.suite->metadata.repeat),
            field(kMetadataSection, "repeat").fallback);
  EXPECT_EQ(loaded.suite->metadata.timeout,
            std::stod(std::string(field(kMetadataSection, "timeout").fallback)));
  EXPECT_EQ(loaded.suite->score.formula, field(kScoreSection, "formula").fallback);
  EXPECT_EQ(loaded.suite->score.on_undefined, std::nullopt);
  EXPECT_EQ(field(kScoreSection, "on_undefined").fallback, "error");
}

TEST(Schema, EveryRowIsDocumented) {
  for (const Section* section : kSections)
    for (const Field& field : section->fields) {
      EXPECT_FALSE(field.doc.empty()) << section->name << "." << field.name;
      EXPECT_TRUE(field.example.starts_with(std::string(field.name) + ": ")) << field.example;
    }
}

}  // namespace

}  // namespace vibe::suite
