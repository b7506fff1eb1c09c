#include "run/plan.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/world.h"

namespace vibe::run {

using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr std::string_view kHead = "metadata: {name: s, model: openai/x, repeat: 2}\n";

std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> out;
  for (const auto& sample : plan.samples())
    out.push_back(plan.shown_name(sample) + "#" + std::to_string(sample.repeat));
  return out;
}

}  // namespace

TEST(Plan, GoesThroughEvalsCasesAndRepeats) {
  World world(std::string(kHead) + R"(
evals:
  - {name: math, prompt: 1 + 1?, checks: [match: "2"]}
  - {prompt: hi, repeat: 1, checks: [match: "*"]}
  - name: capitals
    prompt: "{{country}}?"
    repeat: 1
    cases: [{country: France, city: Paris}, {country: Japan, city: Tokyo}]
    checks: [match: "*{{city}}*"]
  - name: rivers
    prompt: "{{id}}?"
    repeat: 1
    cases: [{id: rhine}, {id: nile}]
    checks: [match: "*"]
)");
  const auto plan = world.plan();
  ASSERT_TRUE(plan) << render(world.found);
  EXPECT_THAT(names(*plan), ElementsAre("math#0", "math#1", "eval 2#0", "capitals[1]#0",
                                        "capitals[2]#0", "rivers[rhine]#0", "rivers[nile]#0"));
  EXPECT_EQ(plan->request(plan->samples()[4]).messages[0].text, "Japan?");
  const auto checks =
      plan->checks(plan->samples()[4], plan->suite().evals[plan->samples()[4].eval].checks);
  EXPECT_EQ(std::get<check::Patterns>(checks.at(0).arguments).all.at(0).text, "*Tokyo*");
}

// Texts whose filled size is worked out, and what filling them gives.
TEST(FilledSize, IsThatOfTheFilledText) {
  World world(std::string(kHead) + R"(
evals:
  - name: e
    prompt: "{{a}}"
    cases: [{a: "x\\Ey\\E", b: ""}, {a: "größe", b: 12}]
    checks: [match: "*"]
)");
  const auto& table = world.suite->evals[0].cases;
  const Filler filler({{"v", "variable"}, {"e", "\\E"}}, {{"s", "secret"}});
  for (const std::string_view text :
       {"", "plain", "{{a}}", "{{a}}{{b}}{{a}}", "{{ a }} {{none}} {{var('v')}}",
        "{{secret('s')}}{{secret('none')}}", "\\Q{{a}}\\E|\\Q{{var('e')}}\\E", "\\Q{{a}}",
        "{{{a}}}"}) {
    FilledSize size(filler);
    size.add(text);
    EXPECT_EQ(size.of(), filler.fill(text).size()) << text;
    for (std::size_t row = 0; row < table->rows(); ++row)
      EXPECT_EQ(size.of({table.get(), row}), filler.fill(text, {table.get(), row}).size()) << text;
  }
}

TEST(Plan, RefusesAPromptThatWouldBeTooLarge) {
  std::string prompt;
  for (int i = 0; i < 200'000; ++i) prompt += "{{text}}";
  World world(std::string(kHead) + "evals:\n  - {name: small, prompt: hi, checks: [match: a]}\n" +
              "  - name: big\n    prompt: \"" + prompt + "\"\n    cases: [{text: a}, {text: " +
              std::string(1 << 20, 'x') + "}]\n    checks: [match: a]\n");
  ASSERT_FALSE(world.plan());  // 200 GiB were it filled
  EXPECT_EQ(world.found.all().back().message,
            "`big[2]` would be 195.3 GiB when its templates are filled, more than the limit of 4 "
            "MiB for one sample");
  EXPECT_THAT(world.found.all().back().hint, HasSubstr("`max_prompt_mib`"));
}

TEST(Plan, RefusesWhatIsTooLargeTogether) {
  World world(std::string(kHead) + R"(
evals:
  - {name: small, prompt: hi, checks: [match: a]}
  - {name: big, prompt: "{{var('v')}}", repeat: 5, checks: [match: a]}
)");
  const Values values{{"v", std::string(1 << 20, 'x')}};
  PlanOptions options;
  options.limits.plan = std::size_t{5} << 20;
  ASSERT_FALSE(world.plan(options, values));  // two bytes, twice, are beyond it
  EXPECT_EQ(
      world.found.all().back().message,
      "this run, 7 samples, would be 5 MiB when its templates are filled, more than the limit "
      "of 5 MiB; the largest eval is `big` with 5 MiB");
  world.found = {};
  options.only = {"big"};
  EXPECT_TRUE(world.plan(options, values)) << render(world.found);
}

// Whatever is filled counts: not only prompts.
TEST(Plan, RefusesChecksAndMetadataThatWouldBeTooLarge) {
  struct Row {
    const char *metadata, *eval, *named;
  };
  constexpr Row kRows[]{
      {"name: \"{{var('v')}}\", model: openai/x", "prompt: a, checks: [match: a]", "`name`"},
      {"name: s, model: \"{{var('v')}}\"", "prompt: a, checks: [match: a]", "`model`"},
      {"name: s, model: openai/x, system_prompt: \"{{var('v')}}\"", "prompt: a, checks: [match: a]",
       "`system_prompt`"},
      {"name: s, model: openai/x", "prompt: a, checks: [match: \"{{var('v')}}\"]", "`eval 1`"},
      {"name: s, model: openai/x",
       "prompt: a, checks: [{json: {schema: {const: \"{{var('v')}}\"}}}]", "`eval 1`"},
      {"name: s, model: openai/x",
       "prompt: a, checks: [match: a, {or: [match: b, match: \"{{var('v')}}\"]}]", "`eval 1`"},
  };
  for (const auto& [metadata, eval, named] : kRows) {
    World world(std::string("metadata: {") + metadata + "}\nevals:\n  - {" + eval + "}\n");
    PlanOptions options;
    options.limits.prompt = 1000;
    EXPECT_TRUE(world.plan(options, {{"v", std::string(900, 'x')}})) << render(world.found);
    EXPECT_FALSE(world.plan(options, {{"v", std::string(1001, 'x')}})) << named;
    ASSERT_TRUE(world.found.failed());
    EXPECT_THAT(world.found.all().back().message, HasSubstr(named));
  }
}

// A schema is kept as JSON: what is put into its strings must not break out of them.
TEST(Plan, FillsTheStringsOfASchema) {
  World world(std::string(kHead) + R"(
evals:
  - prompt: hi
    checks:
      - json: {schema: {required: ["{{var(\"key\")}}"], properties: {"{{var('key')}}": {const: "{{var('value')}}"}}}}
)");
  const auto plan = world.plan({}, {{"key", "a\"b"}, {"value", "\\ {{var('key')}}"}});
  ASSERT_TRUE(plan) << render(world.found);
  const auto checks =
      plan->checks(plan->samples()[0], plan->suite().evals[plan->samples()[0].eval].checks);
  EXPECT_EQ(std::get<check::Json>(checks.at(0).arguments).schema,
            R"({"required":["a\"b"],"properties":{"a\"b":{"const":"\\ {{var('key')}}"}}})");
}

// What an expression quotes stays quoted, whatever is put in.
TEST(Plan, FillsQuotedPartsOfExpressions) {
  World world(std::string(kHead) + R"(
evals:
  - prompt: hi
    checks: [regex: '\Q{{var("path")}}\E']
)");
  const auto plan = world.plan({}, {{"path", R"(C:\Ex\Ey)"}});
  ASSERT_TRUE(plan) << render(world.found);
  const auto checks = plan->checks(plan->samples()[0], plan->suite().evals[0].checks);
  EXPECT_EQ(std::get<check::Patterns>(checks.at(0).arguments).all.at(0).text,
            R"(\QC:\E\\E\Qx\E\\E\Qy\E)");
}

TEST(Plan, FillsVariablesAndSecretsOnce) {
  World world(std::string(kHead) + R"(
evals:
  - prompt: "{{var('greeting')}} {{secret('token')}} {{other}}"
    checks: [equals: "{{var('greeting')}}"]
)");
  const auto plan = world.plan({}, {{"greeting", "hi {{secret('token')}}"}}, {{"token", "s3cret"}});
  ASSERT_TRUE(plan) << render(world.found);
  const auto request = plan->request(plan->samples()[0]);
  EXPECT_EQ(request.messages[0].text, "hi {{secret('token')}} s3cret {{other}}");
  EXPECT_EQ(plan->redactor().apply(request.messages[0].text),
            "hi {{secret('token')}} [token] {{other}}");
}

TEST(Plan, NumbersEqualRequests) {
  World world(std::string(kHead) + R"(
evals:
  - {prompt: same, checks: [match: "*"]}
  - {prompt: other, checks: [match: "*"]}
  - {prompt: same, repeat: 1, checks: [match: "*"]}
)");
  const auto plan = world.plan();
  std::vector<std::uint32_t> ordinals;
  for (const auto& sample : plan->samples()) ordinals.push_back(sample.ordinal);
  EXPECT_THAT(ordinals, ElementsAre(0, 1, 0, 1, 2));
}

TEST(Plan, TakesOptionsBeforeTheSuite) {
  World world(std::string(kHead) + "evals: [{prompt: hi, repeat: 9, checks: [match: x]}]\n");
  PlanOptions options;
  options.repeat = 3;
  options.threads = 7;
  options.system_prompt = "be brief";
  const auto plan = world.plan(options);
  EXPECT_EQ(plan->samples().size(), 3U);
  EXPECT_EQ(plan->threads(), 7U);
  EXPECT_EQ(plan->request(plan->samples()[0]).system, "be brief");
}

struct OnlyCase {
  const char* name;
  std::vector<std::string> only;
  std::vector<std::string> shown;  // of the first repeats; empty: an error
};

class PlanOnly : public testing::TestWithParam<OnlyCase> {};

TEST_P(PlanOnly, Selects) {
  World world(R"(metadata: {name: s, model: openai/x}
evals:
  - {name: math-easy, tags: [math], prompt: a, checks: [match: x]}
  - {name: math-hard, tags: [math, hard], prompt: b, checks: [match: x]}
  - name: capitals
    prompt: "{{country}}?"
    cases: [{country: France}, {country: Japan}]
    checks: [match: x]
  - {prompt: unnamed, checks: [match: x]}
)");
  PlanOptions options;
  options.only = GetParam().only;
  const auto plan = world.plan(options);
  EXPECT_EQ(plan.has_value(), !GetParam().shown.empty()) << render(world.found);
  std::vector<std::string> shown;
  if (plan)
    for (const auto& sample : plan->samples()) shown.push_back(plan->shown_name(sample));
  EXPECT_EQ(shown, GetParam().shown);
  if (!plan) {
    EXPECT_THAT(render(world.found), HasSubstr("E0608"));
  }
}

INSTANTIATE_TEST_SUITE_P(Run, PlanOnly,
                         testing::Values(OnlyCase{"a_name", {"math-hard"}, {"math-hard"}},
                                         OnlyCase{"a_glob", {"math-*"}, {"math-easy", "math-hard"}},
                                         OnlyCase{"a_tag", {"tag:hard"}, {"math-hard"}},
                                         OnlyCase{"one_case", {"capitals[2]"}, {"capitals[2]"}},
                                         OnlyCase{"several",
                                                  {"tag:hard", "capitals"},
                                                  {"math-hard", "capitals[1]", "capitals[2]"}},
                                         OnlyCase{"one_without_a_name", {"eval 4"}, {"eval 4"}},
                                         OnlyCase{"a_typo", {"math-hrd"}, {}},
                                         OnlyCase{
                                             "one_of_two_wrong", {"capitals", "tag:nothing"}, {}}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Plan, PointsAtNamesWithoutAValue) {
  World world(std::string(kHead) +
              "evals:\n  - prompt: \"{{var('who')}}\"\n    checks: [match: x]\n");
  report_unknown_names(used_names(*world.suite), world.source, world.found);
  EXPECT_THAT(render(world.found), HasSubstr("suite.yaml:3:14: error: there is no variable `who`"));
  EXPECT_THAT(render(world.found), HasSubstr("vibe set var who VALUE"));
}

TEST(Plan, HashTellsChangedCasesApart) {
  const auto hash = [](const std::string& city) {
    World world(std::string(kHead) + "evals:\n  - prompt: capital?\n    cases: [{city: " + city +
                "}]\n    checks: [match: \"*{{city}}*\"]\n");
    return world.plan()->hash();
  };
  EXPECT_EQ(hash("Paris"), hash("Paris"));
  EXPECT_NE(hash("Paris"), hash("Tokyo"));
}

struct RedactCase {
  const char* name;
  std::vector<std::pair<std::string, std::string>> secrets;  // value, name
  std::string text, want;
};

class Redacting : public testing::TestWithParam<RedactCase> {};

TEST_P(Redacting, TakesOut) {
  Redactor redactor;
  for (const auto& [value, name] : GetParam().secrets) redactor.add(value, name);
  std::string text = GetParam().text;
  redactor.apply_to_quote(text);
  EXPECT_EQ(text, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Run, Redacting,
    testing::Values(
        RedactCase{"plain", {{"s3cret", "a"}}, "x s3cret y s3cret", "x [a] y [a]"},
        RedactCase{"nothing", {{"s3cret", "a"}}, "clean", "clean"},
        RedactCase{"empty_value", {{"", "a"}}, "clean", "clean"},
        RedactCase{"one_within_another", {{"abc", "a"}, {"abcdef", "b"}}, "abcdef abc", "[b] [a]"},
        RedactCase{"overlapping", {{"ABCDEFGH", "a"}, {"FGHIJKLM", "b"}}, "ABCDEFGHIJKLM", "[a]"},
        RedactCase{"not_its_own_output", {{"o", "bra"}, {"b", "x"}}, "o b", "[bra] [x]"},
        RedactCase{"repeated_letters", {{"aa", "a"}}, "aaaa", "[a]"},
        RedactCase{"as_json", {{"a\"b\n", "a"}}, R"({"k": "a\"b\n"})", R"({"k": "[a]"})"},
        RedactCase{"as_ascii_json", {{"clé/È😀", "a"}}, R"(cl\u00e9/\u00c8\ud83d\ude00)", "[a]"},
        RedactCase{"with_slashes", {{"clé/È", "a"}}, R"(cl\u00e9\/\u00c8)", "[a]"},
        RedactCase{"json_in_json",
                   {{"a\"\xc3\xa9", "a"}},
                   R"(x a\\\"\u00e9 y a\\\"\\u00e9)",
                   "x [a] y [a]"},
        RedactCase{"in_one_line", {{"line one\nline two", "a"}}, "x line one line two", "x [a]"},
        RedactCase{"a_line_of_it", {{"line one\nline two", "a"}}, "said: line two", "said: [a]"},
        RedactCase{
            "cut_at_the_end", {{"sk-0123456789", "a"}}, "is \"x sk-01234…\"", "is \"x [a]…\""},
        RedactCase{"cut_at_the_begin", {{"sk-0123456789", "a"}}, "…456789 x", "…[a] x"},
        RedactCase{"cut_in_the_middle", {{"sk-0123456789", "a"}}, "(sk-012…456789", "([a]…[a]"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Redactor, LooksForShortSecretsInWhatIsQuotedAlone) {
  Redactor redactor;
  redactor.add("e", "shorty");
  redactor.add("sk-0123456789", "token");
  const auto message = [&](std::string text, std::size_t own = Redactor::kAll) {
    redactor.apply_to_message(text, own);
    return text;
  };
  EXPECT_EQ(message("Token count: 12 tokens"), "Token count: 12 tokens");
  EXPECT_EQ(message("HTTP error: be seen", 12), "HTTP error: b[shorty] s[shorty][shorty]n");
  EXPECT_EQ(message("HTTP error: be seen", 0), "HTTP [shorty]rror: b[shorty] s[shorty][shorty]n");
  EXPECT_EQ(message("seen: sk-0123456789, sk-012345…"), "seen: [token], [token]…");
}

TEST(Redactor, PutsSecretsBack) {
  Redactor redactor;
  redactor.add("s3cret", "token");
  std::string text = "a [token] and [token], not [other]";
  redactor.restore(text);
  EXPECT_EQ(text, "a s3cret and s3cret, not [other]");
}

}  // namespace vibe::run
