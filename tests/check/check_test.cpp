#include "check/check.h"

#include <gtest/gtest.h>

#include "base/yaml.h"
#include "check/checks.h"
#include "check/pattern.h"

namespace vibe::check {

namespace {

struct ReadChecks {
  std::shared_ptr<base::YamlDocument> document;
  Checks checks;
  base::Diagnostics errors;
};

ReadChecks read_yaml(const std::string& yaml) {
  auto document = base::parse_yaml(base::make_source("checks", yaml));
  if (!document) {
    ADD_FAILURE() << base::render(document.error());
    return {};
  }
  ReadChecks out{std::make_shared<base::YamlDocument>(*std::move(document)), {}, {}};
  Reading reading(*out.document);
  out.checks =
      read_checks(out.document->root(), out.document->root().span, FollowUps::allowed, reading);
  out.errors = reading.errors();
  return out;
}

template <class T>
T only(const std::string& yaml) {
  const auto result = read_yaml(yaml);
  EXPECT_FALSE(result.errors.failed()) << base::render(result.errors);
  if (result.checks.all.size() != 1 || !std::holds_alternative<T>(result.checks.all[0].arguments)) {
    ADD_FAILURE() << yaml;
    return {};
  }
  return std::get<T>(result.checks.all[0].arguments);
}

TEST(CheckKinds, EveryExampleIsReadAsItsKind) {
  for (const auto& kind : kCheckKinds) {
    const auto result = read_yaml("- " + std::string(kind.example));
    EXPECT_FALSE(result.errors.failed()) << kind.name << "\n" << base::render(result.errors);
    ASSERT_EQ(result.checks.all.size(), 1u) << kind.name;
    EXPECT_EQ(result.checks.all[0].type, kind.type) << kind.name;
    EXPECT_EQ(find_check_kind(kind.name), &kind);
  }
  EXPECT_EQ(find_check_kind("nonsense"), nullptr);
}

TEST(Checks, KeepWhatWasWritten) {
  EXPECT_EQ(only<Text>("equals: 007").text, "007");
  EXPECT_EQ(only<Limit>("max_latency: 2.5").value, 2.5);
  EXPECT_EQ(only<Limit>("max_tokens: 50").value, 50);
  EXPECT_EQ(only<Similarity>("semantic: {expected: a b, threshold: 0.75}").expected, "a b");
  EXPECT_EQ(only<Similarity>("semantic: {expected: a b, threshold: 0.75}").threshold, 0.75);
  EXPECT_EQ(only<Judgement>("llm_judge: {criteria: is polite}").criteria, "is polite");
  EXPECT_EQ(only<Command>("exec: {command: [test, 5, \"\"]}").argv,
            (std::vector<std::string>{"test", "5", ""}));
  EXPECT_EQ(only<Json>("json: true").schema, "");
}

TEST(Checks, ASchemaBecomesJson) {
  EXPECT_EQ(
      only<Json>(
          R"(json: {schema: {type: object, minimum: 1.5, x-n: 5, x-on: true, x-none: ~, x-text: "5", x-list: [a, {}]}})")
          .schema,
      R"({"type":"object","minimum":1.5,"x-n":5,"x-on":true,"x-none":null,"x-text":"5","x-list":["a",{}]})");
}

TEST(Checks, PatternsSayHowTheyAreRead) {
  const auto kinds = [](const std::string& yaml) {
    std::string out;
    for (const auto& pattern : only<Patterns>(yaml).all)
      out += pattern.kind == Pattern::Kind::regex ? 'r' : 'g';
    return out;
  };
  EXPECT_EQ(kinds("match: '*105*'"), "g");
  EXPECT_EQ(kinds("match: ['*a*', '^b', 5]"), "grg");
  EXPECT_EQ(kinds("not_match: 'a.*b'"), "r");
  EXPECT_EQ(kinds("glob: 'a.*b'"), "g");
  EXPECT_EQ(kinds("regex: ab"), "r");
}

TEST(Checks, EveryFormOfAList) {
  EXPECT_EQ(read_yaml("{min_tokens: 1, max_tokens: 5}").checks.all.size(), 2u);
  EXPECT_EQ(read_yaml("[{min_tokens: 1, max_tokens: 5}, match: a]").checks.all.size(), 3u);
  const auto any = only<AnyOf>("{or: [{match: a}, {min_tokens: 1, max_tokens: 5}]}");
  ASSERT_EQ(any.alternatives.size(), 2u);
  EXPECT_EQ(any.alternatives[0].all.size(), 1u);
  EXPECT_EQ(any.alternatives[1].all.size(), 2u);
}

TEST(Checks, KindsThatTakeATableShowTheirExample) {
  for (const char* name : {"exec", "llm_judge", "semantic"}) {
    const auto result = read_yaml(std::string(name) + ": text");
    ASSERT_EQ(result.errors.all().size(), 1u) << name;
    EXPECT_EQ(result.errors.all()[0].hint,
              "write `" + std::string(find_check_kind(name)->example) + "`");
  }
}

TEST(Checks, FollowUpsNest) {
  const auto result = read_yaml(
      "- match: a\n- prompt: q\n  checks:\n    - match: b\n    - {prompt: r, checks: {match: "
      "c}}\n");
  EXPECT_FALSE(result.errors.failed());
  ASSERT_EQ(result.checks.follow_up.size(), 1u);
  const FollowUp& second = result.checks.follow_up[0];
  EXPECT_EQ(second.prompt, "q");
  EXPECT_EQ(second.checks.all.size(), 1u);
  ASSERT_EQ(second.checks.follow_up.size(), 1u);
  EXPECT_EQ(second.checks.follow_up[0].prompt, "r");
}

TEST(Checks, OutliveTheDocument) {
  Checks kept = read_yaml("- match: [a, b]\n- prompt: q\n  checks: {equals: c}\n").checks;
  const Checks copy = kept;
  kept = {};
  EXPECT_EQ(std::get<Patterns>(copy.all[0].arguments).all[1].text, "b");
  EXPECT_EQ(copy.follow_up[0].prompt, "q");
}

struct ReadingCase {
  const char* name;
  const char* pattern;
  bool regex;
};

class PatternReading : public testing::TestWithParam<ReadingCase> {};

TEST_P(PatternReading, Is) { EXPECT_EQ(reads_as_regex(GetParam().pattern), GetParam().regex); }

INSTANTIATE_TEST_SUITE_P(
    Pattern, PatternReading,
    testing::Values(ReadingCase{"glob", "*105*", false}, ReadingCase{"empty", "", false},
                    ReadingCase{"caret", "^a", true}, ReadingCase{"inner_caret", "a^b", false},
                    ReadingCase{"dollar", "a$", true}, ReadingCase{"first_dollar", "$5", false},
                    ReadingCase{"dot_star", "a.*b", true}, ReadingCase{"dot_plus", ".+", true},
                    ReadingCase{"dot", "a.b", false}, ReadingCase{"digit", "\\d", true},
                    ReadingCase{"word", "x\\wy", true}, ReadingCase{"boundary", "\\bx", true},
                    ReadingCase{"other_escape", "\\n", false},
                    ReadingCase{"group_plus", "PRJ-[0-9]+", true},
                    ReadingCase{"group_star", "[ab]*", true},
                    ReadingCase{"second_group", "[a] [b]+", true},
                    ReadingCase{"group", "[a]b", false}, ReadingCase{"no_group", "a]+", false},
                    ReadingCase{"open_group", "[a+", false}),
    [](const auto& row) { return row.param.name; });

TEST(Regexes, RuinousOnesAreRefusedInTime) {
  RegexMemory memory;
  std::string last;
  for (int i = 0; i < 100'000; ++i) {
    const auto problem = memory.examine("((a{100}){10})(" + std::to_string(i) + "b{900})");
    if (problem) last = problem->message;
  }
  EXPECT_NE(last.find("take more than"), std::string::npos) << last;
}

}  // namespace

}  // namespace vibe::check
