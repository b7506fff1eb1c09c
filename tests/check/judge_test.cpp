#include "check/judge.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/yaml.h"
#include "check/checks.h"

namespace vibe::check {

namespace {

std::vector<Check> checks_of(const std::string& yaml) {
  const auto document = base::parse_yaml(base::make_source("checks", yaml));
  if (!document) {
    ADD_FAILURE() << base::render(document.error());
    return {};
  }
  Reading reading(*document);
  auto out = read_checks(document->root(), document->root().span, FollowUps::refused, reading);
  EXPECT_FALSE(reading.errors().failed()) << base::render(reading.errors());
  return std::move(out.all);
}

Finding judge(const std::string& yaml, const Response& response) {
  const auto findings = Judge().judge(checks_of(yaml), response);
  if (findings.size() != 1) {
    ADD_FAILURE() << findings.size() << " findings for " << yaml;
    return {};
  }
  return findings[0];
}

struct JudgeCase {
  const char* name;
  const char* check;
  Response response;
  Verdict verdict;
  const char* message;
};

class Judged : public testing::TestWithParam<JudgeCase> {};

TEST_P(Judged, Gives) {
  const auto& [name, check, response, verdict, message] = GetParam();
  const Finding finding = judge(check, response);
  EXPECT_EQ(to_string(finding.verdict), to_string(verdict));
  EXPECT_EQ(finding.message, message);
  EXPECT_EQ(finding.type, std::string(check).substr(0, std::string(check).find(':')));
}

constexpr Verdict kPass = Verdict::pass, kFail = Verdict::fail, kError = Verdict::error;

Response says(std::string_view text) { return {text, 1.25, 0.0021}; }
Response unmeasured(std::string_view text) { return {text, std::nullopt, std::nullopt}; }

INSTANTIATE_TEST_SUITE_P(
    Check, Judged,
    testing::Values(
        JudgeCase{"match", "match: '*4*'", says("2 + 2 = 4"), kPass,
                  R"(Pattern "*4*" found in response)"},
        JudgeCase{"no_match", "match: '*4*'", says("five"), kFail,
                  R"(Pattern "*4*" not found in response)"},
        JudgeCase{"match_is_of_the_whole", "match: four", says("it is four"), kFail,
                  R"(Pattern "four" not found in response)"},
        JudgeCase{"match_all", "match: ['*a*', '*b*', '*c*']", says("abc"), kPass,
                  "All 3 patterns found in response"},
        JudgeCase{"match_names_the_first_that_fails", "match: ['*a*', '*x*', '*y*']", says("abc"),
                  kFail, R"(Pattern "*x*" not found in response)"},
        JudgeCase{"match_by_regex", "match: '.*prj-[0-9]+.*'", says("first\nPRJ-105\nlast"), kPass,
                  R"(Pattern ".*prj-[0-9]+.*" found in response)"},
        JudgeCase{"match_by_regex_dots_are_line_breaks", "match: 'first.+last'",
                  says("First\n\nLAST"), kPass, R"(Pattern "first.+last" found in response)"},
        JudgeCase{"no_match_by_regex", "match: '^[0-9]+$'", says("5 apples"), kFail,
                  R"(Pattern "^[0-9]+$" not found in response)"},
        JudgeCase{"not_match", "not_match: '*sorry*'", says("gladly"), kPass,
                  R"(Pattern "*sorry*" not found in response)"},
        JudgeCase{"not_match_fails", "not_match: '*sorry*'", says("I am SORRY"), kFail,
                  R"(Pattern "*sorry*" found in response)"},
        JudgeCase{"not_match_all", "not_match: ['*a*', '*b*']", says("c"), kPass,
                  "None of 2 patterns found in response"},
        JudgeCase{"not_match_any", "not_match: ['*a*', '*b*']", says("b"), kFail,
                  R"(Pattern "*b*" found in response)"},
        JudgeCase{"glob_is_no_regex", "glob: 'a.*'", says("a.b"), kPass,
                  R"(Pattern "a.*" found in response)"},
        JudgeCase{"glob_is_never_a_regex", "glob: 'a.*'", says("ab"), kFail,
                  R"(Pattern "a.*" not found in response)"},
        JudgeCase{"regex", "regex: 'PRJ-[0-9]+'", says("see PRJ-105."), kPass,
                  R"(Pattern "PRJ-[0-9]+" found in response)"},
        JudgeCase{"regex_minds_the_case", "regex: 'prj'", says("see PRJ-105."), kFail,
                  R"(Pattern "prj" not found in response)"},
        JudgeCase{"regex_dot_is_no_line_break", "regex: 'a.b'", says("a\nb"), kFail,
                  R"(Pattern "a.b" not found in response)"},
        JudgeCase{"regex_in_invalid_bytes", "regex: 'a.b$'",
                  says("\xC3(\xFF"
                       "a\xFF"
                       "b"),
                  kPass, R"(Pattern "a.b$" found in response)"},
        JudgeCase{"a_pattern_in_one_line", "match: \"a\\nb\\tc\"", says("-"), kFail,
                  R"(Pattern "a b c" not found in response)"},
        JudgeCase{"equals", "equals: '42'", says(" \n42\t\n"), kPass, R"(Response is "42")"},
        JudgeCase{"equals_not", "equals: '42'", says("43"), kFail, R"(Response is "43", not "42")"},
        JudgeCase{"equals_minds_the_case", "equals: Paris", says("paris"), kFail,
                  R"(Response is "paris", not "Paris")"},
        JudgeCase{"equals_a_block", "equals: |\n  a\n  b\n", says("a\nb"), kPass,
                  R"(Response is "a b")"},
        JudgeCase{"equals_nothing", "equals: ''", says("  "), kPass, R"(Response is "")"},
        JudgeCase{"min_tokens", "min_tokens: 4", says("hello world, hello"), kPass,
                  "Token count: 4 tokens (min: 4)"},
        JudgeCase{"too_few_tokens", "min_tokens: 5", says("hello world, hello"), kFail,
                  "Token count: 4 tokens (min: 5)"},
        JudgeCase{"max_tokens", "max_tokens: 4", says("hello world, hello"), kPass,
                  "Token count: 4 tokens (max: 4)"},
        JudgeCase{"too_many_tokens", "max_tokens: 3", says("hello world, hello"), kFail,
                  "Token count: 4 tokens (max: 3)"},
        JudgeCase{"no_tokens", "max_tokens: 0", says(""), kPass, "Token count: 0 tokens (max: 0)"},
        JudgeCase{"latency", "max_latency: 2", says(""), kPass, "Latency 1.25 s (max: 2 s)"},
        JudgeCase{"too_slow", "max_latency: 1", says(""), kFail, "Latency 1.25 s (max: 1 s)"},
        JudgeCase{"as_slow_as_allowed", "max_latency: 1.25", says(""), kPass,
                  "Latency 1.25 s (max: 1.25 s)"},
        JudgeCase{"a_little_too_slow",
                  "max_latency: 2",
                  {"", 2.00001, {}},
                  kFail,
                  "Latency 2.00001 s (max: 2 s)"},
        JudgeCase{"unknown_latency", "max_latency: 2", unmeasured(""), kError,
                  "Latency unknown (max: 2 s)"},
        JudgeCase{"cost", "max_cost: 0.01", says(""), kPass, "Cost $0.0021 (max: $0.01)"},
        JudgeCase{"too_dear", "max_cost: 0.002", says(""), kFail, "Cost $0.0021 (max: $0.002)"},
        JudgeCase{
            "a_tiny_cost", "max_cost: 0", {"", {}, 2e-9}, kFail, "Cost $0.000000002 (max: $0)"},
        JudgeCase{"unknown_cost", "max_cost: 0.002", unmeasured(""), kError,
                  "Cost unknown (max: $0.002)"},
        JudgeCase{"json", "json: true", says(" [1, 2]\n"), kPass, "Response is JSON"},
        JudgeCase{"json_in_a_block", "json: true", says("Here:\n```json\n{\"a\": 1}\n```\nDone."),
                  kPass, "Response is JSON"},
        JudgeCase{"json_in_a_block_of_tildes", "json: true", says("~~~\n[\"```\"]\n~~~"), kPass,
                  "Response is JSON"},
        JudgeCase{"json_in_a_block_without_end", "json: true", says("```\n[1]"), kPass,
                  "Response is JSON"},
        JudgeCase{"no_json", "json: true", says("It is blue."), kFail,
                  "not JSON: `I` where a value was expected at line 1, column 1, and there is no "
                  "fenced block"},
        JudgeCase{"text_in_backticks_is_no_block", "json: true", says("```[1]``` it is"), kFail,
                  "not JSON: ``` where a value was expected at line 1, column 1, and there is no "
                  "fenced block"},
        JudgeCase{"two_blocks", "json: true", says("```\n1\n```\n```\n2\n```"), kFail,
                  "not JSON: the response has 2 fenced blocks, expected only one"},
        JudgeCase{"json_with_a_fault", "json: true", says("{\n  \"a\": }"), kFail,
                  "not JSON: `}` where a value was expected at line 2, column 8"},
        JudgeCase{"a_block_with_a_fault", "json: true", says("\xC3\x9C\n```\n{\"a\"}\n```"), kFail,
                  "not JSON: `}` where `:` was expected at line 3, column 5"},
        JudgeCase{"nothing_is_no_json", "json: true", says(" \n"), kFail,
                  "not JSON: the response is empty"},
        JudgeCase{"json_with_a_byte_order_mark", "json: true", says("\xEF\xBB\xBF{}"), kPass,
                  "Response is JSON"},
        JudgeCase{"json_that_is_not_utf8", "json: true", says("[\"\xFF\"]"), kFail,
                  "not JSON: the byte 0xFF is not UTF-8 at line 1, column 3"},
        JudgeCase{"json_with_nul", "json: true", says({"[\0]", 3}), kFail,
                  "not JSON: U+0000 where a value was expected at line 1, column 2"},
        JudgeCase{"json_with_a_key_twice", "json: {schema: {properties: {a: {const: 2}}}}",
                  says(R"({"a": 1, "a": 2})"), kPass,
                  "JSON matches the schema (the key `a` occurs twice; the last one counts)"},
        JudgeCase{"json_beyond_a_double", "json: true", says("[1e999]"), kFail,
                  "not JSON: the number `1e999` is too large for a double at line 1, column 2"},
        JudgeCase{"json_beyond_64_bits", "json: {schema: {items: {type: integer, minimum: 1e20}}}",
                  says("[123456789012345678901234567890]"), kPass, "JSON matches the schema"},
        JudgeCase{"json_that_fits", "json: {schema: {type: object, required: [city]}}",
                  says(R"({"city": "Paris"})"), kPass, "JSON matches the schema"},
        JudgeCase{"json_that_does_not_fit", "json: {schema: {type: object, required: [city]}}",
                  says("{}"), kFail, "/city: missing"},
        JudgeCase{"json_of_another_type", "json: {schema: {type: object}}", says("[]"), kFail,
                  "an empty array, expected an object"},
        JudgeCase{"or_of_some", "or: [{match: '*a*'}, {match: '*b*'}]", says("b"), kPass,
                  "1 of 2 alternatives passed"},
        JudgeCase{"or_of_none", "or: [{match: '*a*'}, {match: '*b*'}]", says("c"), kFail,
                  "None of 2 alternatives passed"},
        JudgeCase{"or_with_an_error", "or: [{match: '*a*'}, {max_cost: 1}]", unmeasured("b"),
                  kError, "None of 2 alternatives passed, and 1 could not be decided"},
        JudgeCase{"or_in_spite_of_an_error", "or: [{max_cost: 1}, {match: '*b*'}]", unmeasured("b"),
                  kPass, "1 of 2 alternatives passed"},
        JudgeCase{"an_alternative_is_all_of_its_checks",
                  "or: [{match: '*a*', max_tokens: 0}, {match: '*b*'}]", says("a"), kFail,
                  "None of 2 alternatives passed"},
        JudgeCase{"an_alternative_that_fails_needs_no_more", "or: [{match: '*a*', max_cost: 1}]",
                  unmeasured("b"), kFail, "None of 1 alternatives passed"}),
    [](const auto& row) { return row.param.name; });

TEST(Judge, SaysThatAFilledInSchemaIsOfNoUse) {
  std::vector<Check> checks = checks_of("json: {schema: {type: string}}");
  std::get<Json>(checks[0].arguments).schema = R"({"pattern": "("})";
  const Finding finding = Judge().judge(checks, says("\"a\""))[0];
  EXPECT_EQ(finding.verdict, Verdict::error);
  EXPECT_EQ(finding.message, "the schema cannot be used: /pattern: a `(` without `)` in `(`");
}

TEST(Judge, ReadsAResponseOfTenMegabytes) {
  std::string text = "[";
  for (int i = 0; text.size() < 10u << 20; ++i)
    text += fmt::format("{{\"id\":{},\"ok\":true}},", i);
  text.back() = ']';
  const Finding finding = judge(
      "json: {schema: {items: {required: [id], properties: {id: {type: integer}}}}}", says(text));
  EXPECT_EQ(finding.message, "JSON matches the schema");
}

TEST(Judge, JudgesAResponseOfTenThousandLevels) {
  const std::string text = std::string(10'000, '[') + std::string(10'000, ']');
  EXPECT_EQ(judge("json: true", says(text)).message,
            "not JSON: nested more than 256 levels deep at line 1, column 257");
}

TEST(Judge, ShortensALongPattern) {
  const std::string pattern(100'000, 'x');
  const Finding finding = judge("match: '" + pattern + "'", says("x"));
  EXPECT_EQ(finding.message, "Pattern \"" + pattern.substr(0, 100) + "…\" not found in response");
}

TEST(Judge, OrHasAChildForEachOfItsChecks) {
  const Finding finding =
      judge("or: [{match: '*a*', max_tokens: 9}, {or: [{equals: b}, {equals: c}]}]", says("c"));
  ASSERT_EQ(finding.children.size(), 3u);
  EXPECT_EQ(finding.children[0].type, "match");
  EXPECT_EQ(finding.children[0].verdict, Verdict::fail);
  EXPECT_EQ(finding.children[1].type, "max_tokens");
  EXPECT_EQ(finding.children[2].type, "or");
  ASSERT_EQ(finding.children[2].children.size(), 2u);
  EXPECT_EQ(finding.children[2].children[1].message, "Response is \"c\"");
}

// As templates leave them: what they are filled with is not examined when the suite is read.
Check filled_in(std::vector<std::string> patterns) {
  Check out{CheckType::regex, {}, {}};
  Patterns arguments;
  for (std::string& text : patterns)
    arguments.all.push_back({std::move(text), Pattern::Kind::regex, true});
  out.arguments = std::move(arguments);
  return out;
}

TEST(Judge, AMalformedExpressionIsAnErrorUnlessAnotherPatternFails) {
  Judge judge;
  const Check checks[] = {filled_in({"a(b"}), filled_in({"a(b", "x"}), filled_in({"a(b", "a"})};
  for (int round = 0; round < 2; ++round) {  // the second by what was kept
    const auto findings = judge.judge(checks, says("a"));
    EXPECT_EQ(findings[0].verdict, Verdict::error);
    EXPECT_EQ(findings[0].message,
              "Pattern \"a(b\" is not a regular expression: a `(` without `)` in `a(b`");
    EXPECT_EQ(findings[1].verdict, Verdict::fail);
    EXPECT_EQ(findings[2].verdict, Verdict::error);
  }
}

TEST(Judge, KnowsMoreExpressionsThanItKeeps) {
  Judge judge;
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 600; ++i) {
      const std::string number = std::to_string(i);
      const Check check = filled_in({"^" + number + "$"});
      EXPECT_EQ(judge.judge({&check, 1}, says(number))[0].verdict, Verdict::pass);
    }
}

TEST(Judge, GivesAFindingForEachCheckInOrder) {
  const auto findings =
      Judge().judge(checks_of("[{max_tokens: 5}, {match: x}, {max_cost: 1}]"), unmeasured("y"));
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].type, "max_tokens");
  EXPECT_EQ(findings[1].type, "match");
  EXPECT_EQ(findings[2].type, "max_cost");
  EXPECT_EQ(overall(findings), Verdict::error);
  EXPECT_EQ(overall(std::span(findings).first(2)), Verdict::fail);
  EXPECT_EQ(overall(std::span(findings).first(1)), Verdict::pass);
  EXPECT_EQ(overall({}), Verdict::pass);
}

struct MaskCase {
  const char* check;
  std::string_view response;
  const char* message;
  Evidence evidence = Unavailable{"not needed"};
};

// What is masked is what is quoted: of the response, of arguments, of what others said.
TEST(Judge, MasksWhatItsMessagesQuote) {
  const Mask mask = [](std::string& text) { std::replace(text.begin(), text.end(), 'e', '#'); };
  base::Finished finished;
  finished.how = base::Finished::How::exited;
  finished.status = 1;
  finished.words = "`tee` exited with code 1";
  finished.errors = "seen\n";
  Opinions opinions;
  opinions.all = {{.meets = false, .grade = {}, .reason = "never"}};
  const std::string response = "see", long_name = "t" + std::string(99, 'e');
  base::Finished long_named = finished;
  long_named.words = base::shown_program(long_name) + " exited with code 1";
  const std::string long_check = fmt::format("exec: {{command: [{}]}}", long_name);
  const std::string long_message =
      base::shown_program("t" + std::string(99, '#')) + " exited with code 1: s##n";
  const MaskCase cases[] = {
      {"max_tokens: 0", response, "Token count: 1 tokens (max: 0)"},
      {"equals: never", response, R"(Response is "s##", not "n#v#r")"},
      {"match: '*e*'", response, R"(Pattern "*#*" found in response)"},
      {"semantic: {expected: event, threshold: 0.5}", response,
       R"(similarity: 0.25 (min: 0.5) to "#v#nt")", Closeness{.similarity = 0.25}},
      {"llm_judge: {criteria: nice}", response, "Criteria not met: n#v#r", opinions},
      {"exec: {command: [tee]}", response, "`t##` exited with code 1: s##n", finished},
      {long_check.c_str(), response, long_message.c_str(), long_named},
      {"tool_called: {name: get}", response, R"(Tool "g#t" not called; no tool was called)"},
      {"json: {schema: {properties: {key: {const: be}}}}", R"({"key": "e"})",
       R"(/k#y: "#" is not "b#")"},
      {"json: {schema: {properties: {key: {enum: [be, 1]}}}}", R"({"key": 1e+300})",
       R"(/k#y: 1#+300 is not one of "b#", 1)"},
      {"json: {schema: {pattern: ^e$}}", R"("me")", R"("m#" does not match the pattern `^#$`)"},
      {"json: {schema: {dependentRequired: {e: [be]}}}", R"({"e": 1})",
       "/b#: missing, although `#` is present"},
      {"json: {schema: {type: object}}", R"("e")", R"("#" is a string, expected an object)"},
      {"json: true", R"({"e": 1, "e": 2})",
       "Response is JSON (the key `#` occurs twice; the last one counts)"},
  };
  for (const auto& one : cases) {
    const auto checks = checks_of(one.check);
    ASSERT_EQ(checks.size(), 1u) << one.check;
    const Evidences evidences{{&checks[0], one.evidence}};
    EXPECT_EQ(Judge().judge(checks, says(one.response), evidences, mask)[0].message, one.message);
  }
}

TEST(Judge, EveryKindCanBeJudged) {
  for (const CheckKind& kind : kCheckKinds) EXPECT_TRUE(kind.judge) << kind.name;
}

}  // namespace

}  // namespace vibe::check
