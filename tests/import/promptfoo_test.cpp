// Configurations of promptfoo as suites.
#include "import/promptfoo.h"

#include <map>

#include <gtest/gtest.h>

#include "import/assertion.h"
#include "import/config.h"
#include "import/provider.h"
#include "suite/load.h"

namespace vibe::import {

namespace {

struct Made {
  std::optional<Imported> imported;
  base::Diagnostics diagnostics;
  std::vector<std::string> losses() const {
    std::vector<std::string> out;
    for (const auto& one : diagnostics.all()) out.push_back(one.message);
    return out;
  }
};

Made make(const std::string& text, const std::map<std::string, std::string>& files = {}) {
  Made out;
  const auto read_file = [&](const std::string& path) -> base::Result<std::string> {
    const auto found = files.find(path);
    if (found != files.end()) return found->second;
    return base::fail(base::Code::cannot_read, {}, "cannot read `" + path + "`");
  };
  out.imported =
      import_promptfoo(base::make_source("config.yaml", text), read_file, out.diagnostics);
  return out;
}

// What the first check of a test with one assertion becomes.
std::string check_of(const std::string& assertion) {
  const Made made = make(
      "prompts: [\"Say {{q}}\"]\nproviders: [echo]\ntests:\n  - vars: {q: \"a*b\", "
      "plain: text}\n    assert: [" +
      assertion + "]\n");
  if (!made.imported) return "none";
  const std::string& suite = made.imported->suite;
  const std::size_t begin = suite.find("checks:\n") + 8;
  std::string line = suite.substr(begin, suite.find('\n', begin) - begin);
  return line.substr(line.find_first_not_of(' '));
}

struct Row {
  const char *name, *assertion, *check;
};
class Assertions : public testing::TestWithParam<Row> {};
TEST_P(Assertions, BecomeChecks) { EXPECT_EQ(check_of(GetParam().assertion), GetParam().check); }
INSTANTIATE_TEST_SUITE_P(
    Import, Assertions,
    testing::Values(
        Row{"contains", "{type: contains, value: 1.5}", R"(- regex: '1\.5')"},
        Row{"contains_template", "{type: contains, value: \"<{{ q }}>\"}",
            R"(- regex: '<\Q{{q}}\E>')"},
        Row{"not_contains", "{type: not-contains, value: Paris}",
            R"(- not_match: ".*(?-i:Paris).*")"},
        Row{"icontains", "{type: icontains, value: Paris}", R"(- match: "*Paris*")"},
        Row{"icontains_star", "{type: icontains, value: \"2*3\"}", R"(- regex: '(?i)2\*3')"},
        Row{"icontains_template", "{type: icontains, value: \"{{plain}}\"}",
            R"(- glob: "*{{plain}}*")"},
        Row{"icontains_value_with_star", "{type: icontains, value: \"{{q}}\"}",
            R"(- regex: '(?i)\Q{{q}}\E')"},
        Row{"not_icontains", "{type: not-icontains, value: Rome}", R"(- not_match: ".*Rome.*")"},
        Row{"contains_any", "{type: contains-any, value: [a, b.c]}", R"(- regex: 'a|b\.c')"},
        Row{"contains_any_text", "{type: contains-any, value: \"a, b\"}", R"(- regex: "a|b")"},
        Row{"contains_all", "{type: contains-all, value: [a, b]}", "- regex: a"},
        Row{"equals", "{type: equals, value: 42}", R"(- equals: "42")"},
        Row{"not_equals", "{type: not-equals, value: no}", R"(- not_match: '^\s*(?-i:no)\s*$')"},
        Row{"starts_with", "{type: starts-with, value: (a}", R"(- regex: '^\(a')"},
        Row{"regex", "{type: regex, value: '[0-9]+'}", R"(- regex: "[0-9]+")"},
        Row{"regex_lookahead", "{type: regex, value: 'a(?=b)'}",
            "# not carried over: `regex: a(?=b)`: RE2 has no `(?=`"},
        Row{"similar", "{type: similar, value: blue}",
            "- semantic: {expected: blue, threshold: 0.75}"},
        Row{"rubric", "{type: llm-rubric, value: is polite}",
            R"(- llm_judge: {criteria: "is polite"})"},
        Row{"json", "{type: is-json}", "- json: true"},
        Row{"json_schema", "{type: is-json, value: {type: object}}",
            R"(- json: {schema: {"type":"object"}})"},
        Row{"latency", "{type: latency, threshold: 2500}", "- max_latency: 2.5"},
        Row{"cost", "{type: cost, threshold: 0.00001}", "- max_cost: 0.00001"},
        Row{"set_any",
            "{type: assert-set, threshold: 0.5, assert: [{type: equals, value: a}, {type: "
            "equals, value: b}]}",
            "- or: [{equals: a}, {equals: b}]"},
        Row{"javascript", "{type: javascript, value: 'true'}",
            "# not carried over: `javascript`: runs code; an `exec` check can do the same"},
        Row{"unknown", "{type: something-new}", "# not carried over: `something-new`: not known"},
        Row{"not_rubric", "{type: not-llm-rubric, value: is rude}",
            "# not carried over: `not-llm-rubric`: only what is to be can be said"},
        Row{"weightless", "{type: equals, value: a, weight: 0}",
            "# no check is left: that there is an answer will do"}),
    [](const auto& one) { return one.param.name; });

TEST(Import, ProvidersBecomeModels) {
  EXPECT_EQ(convert_provider("openai:chat:gpt-4o").name, "openai/gpt-4o");
  EXPECT_EQ(convert_provider("openai:gpt-4o").name, "openai/gpt-4o");
  EXPECT_EQ(convert_provider("anthropic:messages:claude-x").name, "anthropic/claude-x");
  EXPECT_EQ(convert_provider("ollama:chat:llama3:8b").name, "ollama/llama3:8b");
  EXPECT_EQ(convert_provider("openrouter:a/b").name, "openrouter/a/b");
  EXPECT_EQ(convert_provider("exec:./run").name, "exec:./run");
  EXPECT_EQ(convert_provider("python:x.py").name, "");
  EXPECT_EQ(convert_provider("something:new").remark, "not known");
}

TEST(Import, TablesOfTests) {
  const Made made =
      make("prompts: [\"Capital of {{country}}?\"]\nproviders: [echo]\ntests: t.csv\n",
           {{"t.csv",
             "country,__expected,__description\r\n\"France\",contains: Paris,one\r\n"
             "\"a \"\"b\"\"\",latency(2000),two\n"}});
  ASSERT_TRUE(made.imported);
  EXPECT_EQ(made.imported->evals, 2u);
  EXPECT_NE(made.imported->suite.find("- {country: \"a \\\"b\\\"\"}"), std::string::npos);
  EXPECT_NE(made.imported->suite.find("- max_latency: 2\n"), std::string::npos);
  EXPECT_TRUE(made.diagnostics.empty());
}

TEST(Import, WhatIsLostIsSaidOnceAndWhere) {
  const Made made = make(
      "prompts: [Hi]\nproviders: [echo]\nenv: {A: b}\ndefaultTest: {options: {transform: x}}\n"
      "tests: [{assert: [{type: equals, value: a}]}, {assert: [{type: equals, value: b}]}]\n");
  EXPECT_EQ(made.losses(), (std::vector<std::string>{"not carried over: `env`",
                                                     "not carried over: `options.transform`"}));
  EXPECT_EQ(made.diagnostics.all()[0].source->position(made.diagnostics.all()[0].span.begin).line,
            3u);
}

TEST(Import, SuitesAreValid) {
  const Made made = make(R"(
prompts: ["A {{name}} and {{user.age}}", {raw: "B\n{{name | upper}} {{env.HOME}} {% if x %}"}]
providers: [{id: "openai:gpt-4o", config: {temperature: 0}}, "anthropic:claude-x"]
evaluateOptions: {maxConcurrency: 8, repeat: 2}
tests:
  - vars: {name: [Ada, "Bob: \"x\"\n# y"], user: {age: 5}}
    metadata: {tags: [one, "two three"], level: 3}
    assert: [{type: contains-any, value: ["a{b", "c'd"]}, {type: not-regex, value: "x+"}]
  - vars: {name: "42"}
scenarios:
  - config: [{vars: {name: S}}]
    tests: [{description: "total_cost", assert: [{type: factuality, value: "{{name}}"}]}]
)");
  ASSERT_TRUE(made.imported);
  base::Diagnostics out;
  const auto suite = suite::load(base::make_source("suite.yaml", made.imported->suite), {}, out);
  EXPECT_TRUE(suite && !out.failed()) << base::render(out) << made.imported->suite;
  EXPECT_EQ(made.imported->models,
            (std::vector<std::string>{"openai/gpt-4o", "anthropic/claude-x"}));
}

TEST(Import, ConfigurationsWithoutPromptsAreErrors) {
  EXPECT_EQ(make("tests: []\n").losses(),
            std::vector<std::string>{"no prompt can be carried over"});
  EXPECT_FALSE(make("- a list\n").imported);
  EXPECT_FALSE(make("prompts: [file://none.txt]\n").imported);
}

}  // namespace

}  // namespace vibe::import
