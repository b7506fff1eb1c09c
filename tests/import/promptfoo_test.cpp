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
        Row{"filter", "{type: contains, value: '{{ q | lower }}'}",
            "# not carried over: `contains`: a suite has no filters, as in `{{q | lower}}`"},
        Row{"identity_filter", "{type: equals, value: '{{ q | safe }}'}", R"(- equals: "{{q}}")"},
        Row{"expression", "{type: equals, value: '{{ q.split()[0] }}'}",
            "# not carried over: `equals`: a suite has no expressions, as in `{{q.split()[0]}}`"},
        Row{"values_of_several_kinds", "{type: contains-all, value: [a, [b]]}",
            "# not carried over: `contains-all`: not all of its values are strings"},
        Row{"threshold_by_template", "{type: similar, value: a, threshold: '{{t}}'}",
            "# not carried over: `similar`: its threshold is not a number"},
        Row{"transformed", "{type: equals, value: a, transform: output.trim()}",
            "# not carried over: `equals`: responses are checked unchanged"},
        Row{"file_of_code", "{type: python, value: 'file://check.py'}",
            "# not carried over: `python`: runs code; an `exec` check can do the same"},
        Row{"file_that_is_missing", "{type: llm-rubric, value: 'file://rubric.txt'}",
            "# not carried over: `llm-rubric`: cannot read `rubric.txt`"},
        Row{"regex_lookahead", "{type: regex, value: 'a(?=b)'}",
            "# not carried over: `regex: a(?=b)`: RE2 does not support `(?=`"},
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
            "# not carried over: `not-llm-rubric`: it cannot be negated"},
        Row{"weightless", "{type: equals, value: a, weight: 0}",
            "# not carried over: `equals`: its weight is 0, so it has no effect"},
        Row{"none", "", "# promptfoo has none; write one here"}),
    [](const auto& one) { return one.param.name; });

struct ProviderRow {
  const char *name, *id, *model, *remark;
};
class Providers : public testing::TestWithParam<ProviderRow> {};
TEST_P(Providers, BecomeModelsThatExist) {
  const Model model = convert_provider(GetParam().id);
  EXPECT_EQ(model.name, GetParam().model);
  EXPECT_EQ(model.remark, GetParam().remark);
}
constexpr const char *kAnAgent = "an agent, not a model; `exec:COMMAND` can run one",
                     *kSocket = "uses a WebSocket",
                     *kAnEndpoint = "describe it as an endpoint in the configuration",
                     *kSomeCode =
                         "promptfoo runs code for it; an `exec:COMMAND` model can do the same";
INSTANTIATE_TEST_SUITE_P(
    Import, Providers,
    testing::Values(ProviderRow{"codex_sdk", "openai:codex-sdk", "", kAnAgent},
                    ProviderRow{"codex_of_a_model", "openai:codex-sdk:gpt-5", "", kAnAgent},
                    ProviderRow{"codex_model", "openai:codex-mini-latest",
                                "openai/codex-mini-latest", ""},
                    ProviderRow{"agents", "openai:agents:my-agent", "", kAnAgent},
                    ProviderRow{"claude_agent", "anthropic:claude-agent-sdk", "", kAnAgent},
                    ProviderRow{"video", "openai:video:sora-2", "", "does not answer in text"},
                    ProviderRow{"image_by_name", "openai:dall-e-3", "", "does not answer in text"},
                    ProviderRow{"image", "openai:image:gpt-image-1", "", "does not answer in text"},
                    ProviderRow{"realtime", "openai:realtime:gpt-4o-realtime-preview", "", kSocket},
                    ProviderRow{"realtime_by_name", "openai:gpt-realtime", "", kSocket},
                    ProviderRow{"embedding_by_name", "openai:text-embedding-3-small", "",
                                "does not answer prompts"},
                    ProviderRow{"new_kind", "openai:dream:gpt-7", "", "unknown kind"},
                    ProviderRow{"fine_tuned", "openai:chat:ft:gpt-4o-mini:org::id",
                                "openai/ft:gpt-4o-mini:org::id", ""},
                    ProviderRow{"responses", "openai:responses:gpt-5", "openai/gpt-5",
                                "through chat completions"},
                    ProviderRow{"nameless", "openai:chat", "", "it does not name a model"},
                    ProviderRow{"template_", "openai:{{env.MODEL}}", "", "its name is a template"},
                    ProviderRow{"live", "google:live:gemini-2.0-flash-exp", "", kSocket},
                    ProviderRow{"gemini", "google:gemini-2.5-flash", "google/gemini-2.5-flash",
                                "through OpenRouter; the name may differ there"},
                    ProviderRow{"claude_at_vertex", "vertex:claude-3-5-sonnet@20240620", "",
                                "there is no such model; use OpenRouter's name for it"},
                    ProviderRow{"bedrock", "bedrock:anthropic.claude-v2", "", kAnEndpoint},
                    ProviderRow{"azure", "azure:chat:my-deployment", "", kAnEndpoint},
                    ProviderRow{"url", "https://example.com/chat", "", kAnEndpoint},
                    ProviderRow{"tagged", "ollama:llama3:8b", "ollama/llama3:8b", ""},
                    ProviderRow{"free", "openrouter:a/b:free", "openrouter/a/b:free", ""},
                    ProviderRow{"package", "package:@acme/llm:Provider", "", kSomeCode},
                    ProviderRow{"script", "file://provider.mjs", "", kSomeCode}),
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
  EXPECT_EQ(made.losses(),
            (std::vector<std::string>{
                "not carried over: `env`: a suite has no such key",
                "not carried over: `options.transform`: responses are checked unchanged"}));
  EXPECT_EQ(made.diagnostics.all()[0].source->position(made.diagnostics.all()[0].span.begin).line,
            3u);
}

TEST(Import, SuitesAreValid) {
  const Made made = make(R"(
prompts: ["A {{name}} and {{user.age}}", {raw: "B\n{{name | upper}} {{env.HOME}} {# note #}"}]
providers: [{id: "openai:gpt-4o", config: {temperature: 0}}, "anthropic:claude-x"]
evaluateOptions: {maxConcurrency: 8, repeat: 2}
tests:
  - vars: {name: [Ada, "Bob: \"x\"\n# y"], user: {age: 5}}
    metadata: {tags: [one, "two three"], level: 3}
    assert: [{type: contains-any, value: ["a{b", "c'd"]}, {type: not-regex, value: "x+"}]
  - vars: {name: "42"}
    assert: [{type: is-json}]
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

// ---- what cannot be carried over is not made up

std::string suite_of(const std::string& config,
                     const std::map<std::string, std::string>& files = {}) {
  const Made made = make(config, files);
  return made.imported ? made.imported->suite : base::render(made.diagnostics);
}

bool validates(const std::string& suite) {
  base::Diagnostics out;
  return suite::load(base::make_source("suite.yaml", suite), {}, out) && !out.failed();
}

const std::string kOneTest = "tests: [{assert: [{type: equals, value: a}]}]\n";

TEST(Import, WithoutAModelThereIsNone) {
  const std::string suite =
      suite_of("prompts: [Hi]\nproviders: [openai:codex-sdk, file://p.py]\n" + kOneTest);
  EXPECT_EQ(suite.substr(suite.find("metadata")),
            "metadata:\n"
            "  name: promptfoo\n"
            "  # not carried over: the provider `openai:codex-sdk`: an agent, not a model; "
            "`exec:COMMAND` can run one\n"
            "  # not carried over: the provider `file://p.py`: promptfoo runs code for it; an "
            "`exec:COMMAND` model can do the same\n"
            "  # model: none could be carried over; write one here\n"
            "\n"
            "evals:\n"
            "  - name: test\n"
            "    prompt: Hi\n"
            "    checks:\n"
            "      - equals: a\n"
            "\n");
  EXPECT_FALSE(validates(suite));
  std::string with_model = suite;
  const std::string_view comment = "# model: none could be carried over; write one here";
  with_model.replace(with_model.find(comment), comment.size(), "model: exec:cat");
  EXPECT_TRUE(validates(with_model));
}

TEST(Import, WithoutAProviderThereIsNoModel) {
  const Made made = make("prompts: [Hi]\n" + kOneTest);
  ASSERT_TRUE(made.imported);
  EXPECT_TRUE(made.imported->models.empty());
  EXPECT_FALSE(validates(made.imported->suite));
}

TEST(Import, AnEvalWhoseChecksAreLostHasNone) {
  const Made made =
      make("prompts: [Hi]\nproviders: [echo]\ntests: [{assert: [{type: javascript, value: x}]}]\n");
  ASSERT_TRUE(made.imported);
  const std::string& suite = made.imported->suite;
  EXPECT_EQ(suite.substr(suite.find("    checks")),
            "    checks:\n"
            "      # not carried over: `javascript`: runs code; an `exec` check can do the same\n"
            "      # none could be carried over; write one here\n\n");
  EXPECT_EQ(made.imported->without_checks, 1u);
  EXPECT_EQ(made.imported->checks, 0u);
  EXPECT_FALSE(validates(suite));
}

struct PromptRow {
  const char *name, *prompt, *comment;
};
class LostPrompts : public testing::TestWithParam<PromptRow> {};
TEST_P(LostPrompts, AreComments) {
  const auto& row = GetParam();
  const std::string prompt = row.prompt;
  const std::string lost = suite_of("prompts:\n  - " + prompt + "\nproviders: [echo]\n" + kOneTest);
  EXPECT_NE(lost.find("  # not carried over: the prompt " + std::string(row.comment) + "\n"),
            std::string::npos)
      << lost;
  EXPECT_NE(lost.find("    # prompt: none could be carried over; write one here\n"),
            std::string::npos);
  EXPECT_FALSE(validates(lost));
  // beside one that is carried over, it is a comment, and the others are asked
  const std::string one =
      suite_of("prompts:\n  - " + prompt + "\n  - Hi\nproviders: [echo]\n" + kOneTest);
  EXPECT_NE(one.find(row.comment), std::string::npos) << one;
  EXPECT_TRUE(validates(one)) << one;
}
INSTANTIATE_TEST_SUITE_P(
    Import, LostPrompts,
    testing::Values(
        PromptRow{"exec", "'exec:./make-prompt.sh {{q}}'",
                  "`exec:./make-prompt.sh {{q}}`: a program generates it"},
        PromptRow{"langfuse", "'langfuse://greeting:3:text'",
                  "`langfuse://greeting:3:text`: it is in another service; write its text here"},
        PromptRow{"helicone", "'helicone://my-prompt:1'",
                  "`helicone://my-prompt:1`: it is in another service; write its text here"},
        PromptRow{"python", "'file://prompts.py:make'",
                  "`file://prompts.py:make`: code generates it"},
        PromptRow{"javascript", "prompt.js", "`prompt.js`: code generates it"},
        PromptRow{"glob", "'file://prompts/*.txt'", "`file://prompts/*.txt`: name each file"},
        PromptRow{"missing", "'file://none.txt'", "`file://none.txt`: cannot read `none.txt`"},
        PromptRow{
            "blocks", "'Hi {% if name %}{{name}}{% endif %}'",
            "`Hi {% if name %}{{name}}{% endif %}`: a suite has no blocks, as in `{% if name %}`"},
        PromptRow{"expression", "'Hi {{ names[0] }}'",
                  "`Hi {{ names[0] }}`: a suite has no expressions, as in `{{names[0]}}`"},
        PromptRow{"conversation",
                  R"('[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]')",
                  R"(`[{"role": "user", "content": "a"}, {"role": "assistant", "co…`: )"
                  "it has more than a system message and a user message"},
        PromptRow{"picture", R"('[{"role": "user", "content": [{"type": "image_url"}]}]')",
                  R"(`[{"role": "user", "content": [{"type": "image_url"}]}]`: )"
                  "a message is not text"}),
    [](const auto& one) { return one.param.name; });

TEST(Import, PromptsThatOnlyLookLikeSomethingElse) {
  for (const std::string prompt :
       {"[INST] Answer, see notes.txt [/INST]", "{\"question\": \"Why?\"}", "- Be terse",
        "Read https://example.com/a and say why", "What does exec: mean?"}) {
    const Made made = make("prompts: ['" + prompt + "']\nproviders: [echo]\n" + kOneTest);
    ASSERT_TRUE(made.imported) << prompt;
    EXPECT_EQ(made.imported->without_prompt, 0u) << prompt;
    EXPECT_TRUE(made.diagnostics.empty()) << base::render(made.diagnostics);
  }
}

TEST(Import, WithoutPromptsTheVariableIsAsked) {
  const std::string suite = suite_of(
      "providers: [echo]\ntests: [{vars: {prompt: Hello}, assert: [{type: equals, value: a}]}]\n");
  EXPECT_NE(suite.find("    prompt: \"{{prompt}}\"\n"), std::string::npos) << suite;
  EXPECT_TRUE(validates(suite));
  const std::string none = suite_of("providers: [echo]\n" + kOneTest);
  EXPECT_NE(none.find("  # not carried over: a prompt: the config has no `prompts`\n"),
            std::string::npos)
      << none;
}

TEST(Import, VariablesInVariablesArePutIn) {
  const std::string suite = suite_of(
      "prompts: ['{{greeting}}']\nproviders: [echo]\n"
      "tests: [{vars: {name: Ada, who: 'dear {{ name }}', greeting: 'Hi {{who}}!'}, "
      "assert: [{type: contains, value: '{{who}}'}]}]\n");
  EXPECT_NE(suite.find(R"(- {name: Ada, who: "dear Ada", greeting: "Hi dear Ada!"})"),
            std::string::npos)
      << suite;
  EXPECT_TRUE(validates(suite)) << suite;
}

struct VarRow {
  const char *name, *vars, *comment;
};
class LostVariables : public testing::TestWithParam<VarRow> {};
TEST_P(LostVariables, AreCommentsAndHaveToBeWritten) {
  const auto& row = GetParam();
  const auto suite = [&](const std::string& more, const std::string& prompt) {
    return suite_of("prompts: ['" + prompt + "']\nproviders: [echo]\ntests: [{vars: {" + more +
                    row.vars + "}, assert: [{type: equals, value: a}]}]\n");
  };
  for (const std::string more : {"", "y: Y, "}) {
    const std::string used = suite(more, "Hi {{x}}");
    EXPECT_NE(
        used.find("    # not carried over: the variable `x`: " + std::string(row.comment) + "\n"),
        std::string::npos)
        << used;
    EXPECT_FALSE(validates(used)) << used;
  }
  EXPECT_TRUE(validates(suite("", "Hi")));  // nothing uses it
}
INSTANTIATE_TEST_SUITE_P(
    Import, LostVariables,
    testing::Values(
        VarRow{"code", "x: 'file://make.py'", "`make.py` is not a text file"},
        VarRow{"missing", "x: 'file://none.txt'", "cannot read `none.txt`"},
        VarRow{"unknown", "x: 'a {{ nothing }}'", "`{{nothing}}` in it has no value"},
        VarRow{"filter", "x: '{{ z | upper }}', z: a", "`{{z | upper}}` in it has no value"},
        VarRow{"block", "x: '{% now %}'", "a suite has no blocks (`{% … %}`)"},
        VarRow{"itself", "x: '{{x}}'", "it has variables nested more than 5 levels deep"}),
    [](const auto& one) { return one.param.name; });

TEST(Import, VariablesThatGrowAreBounded) {
  std::string vars = "a0: ''";
  for (int i = 1; i <= 5; ++i) {
    vars += ", a" + std::to_string(i) + ": '";
    for (int k = 0; k < 300; ++k) vars += "{{a" + std::to_string(i - 1) + "}}";
    vars += "'";
  }
  const std::string suite = suite_of("prompts: ['{{a5}}']\nproviders: [echo]\ntests: [{vars: {" +
                                     vars + "}, assert: [{type: equals, value: a}]}]\n");
  EXPECT_NE(suite.find("the variable `a5`: it is too long after its variables are filled in"),
            std::string::npos);
}

TEST(Import, TablesAmongVariablesAreJson) {
  const std::string suite = suite_of(
      "prompts: ['{{user}} {{user.age}}']\nproviders: [echo]\n"
      "tests: [{vars: {user: {age: 5}}, assert: [{type: equals, value: a}]}]\n");
  EXPECT_NE(suite.find(R"(- {user.age: "5", user: "{\"age\":5}"})"), std::string::npos) << suite;
}

TEST(Import, SettingsThatASuiteCannotHaveAreLost) {
  const Made made = make(
      "prompts: [Hi]\nproviders:\n  - {id: 'openai:gpt-4o', config: {temperature: 3, top_p: 0.5, "
      "max_tokens: 2.5, tools: []}}\n" +
      kOneTest);
  ASSERT_TRUE(made.imported);
  EXPECT_EQ(made.losses(),
            (std::vector<std::string>{
                "not carried over: `config.temperature`: a suite does not allow this value",
                "not carried over: `config.max_tokens`: a suite does not allow this value",
                "not carried over: `config.tools`: a suite has no such setting"}));
  EXPECT_TRUE(validates(made.imported->suite)) << made.imported->suite;
}

TEST(Import, TheJudgeOfTheDefaultsIsThatOfTheSuite) {
  const std::string suite = suite_of(
      "prompts: [Hi]\nproviders: [echo]\ndefaultTest: {options: {provider: openai:gpt-4.1}}\n" +
      kOneTest);
  EXPECT_NE(suite.find("  judge_model: openai/gpt-4.1\n"), std::string::npos) << suite;
}

TEST(Import, PromptsInFiles) {
  const Made made =
      make("prompts: file://p.yaml\nproviders: [echo]\n" + kOneTest,
           {{"p.yaml", "# ours\n- file://a.txt\n- {raw: C, label: c}\n- file://p.yaml\n"},
            {"a.txt", "A\n---\nB\n"}});
  ASSERT_TRUE(made.imported);
  EXPECT_EQ(made.losses(), std::vector<std::string>{"not carried over: the prompt `file://p.yaml`: "
                                                    "file references are nested too deeply"});
  const std::string chat =
      suite_of("prompts: [file://chat.yaml]\nproviders: [echo]\n" + kOneTest,
               {{"chat.yaml",
                 "# ours\n- role: system\n  content: Be terse.\n- role: user\n  content: Hi\n"}});
  EXPECT_NE(chat.find("  system_prompt: \"Be terse.\"\n"), std::string::npos) << chat;
  EXPECT_NE(chat.find("    prompt: Hi\n"), std::string::npos) << chat;
}

TEST(Import, ProvidersInFiles) {
  const Made made = make("prompts: [Hi]\nproviders: [file://p.yaml, file://none.yaml]\n" + kOneTest,
                         {{"p.yaml", "- id: openai:gpt-4o\n  config: {seed: 1}\n- echo\n"}});
  ASSERT_TRUE(made.imported);
  EXPECT_EQ(made.imported->models, (std::vector<std::string>{"openai/gpt-4o", "exec:cat"}));
  EXPECT_EQ(made.losses(),
            std::vector<std::string>{
                "not carried over: the provider `file://none.yaml`: cannot read `none.yaml`"});
}

TEST(Import, TestsElsewhereAreSaid) {
  const std::string suite = suite_of(
      "prompts: [Hi]\nproviders: [echo]\ntests:\n  - huggingface://datasets/a/b\n"
      "  - file://make.py:tests\n  - {path: file://more.js}\n  - file://none.csv\n  - 7.5.x\n");
  for (const std::string_view comment :
       {"`huggingface://datasets/a/b`: they are in another service",
        "`file://make.py:tests`: only CSV, JSON and YAML files are read",
        "`file://more.js`: only CSV, JSON and YAML files are read",
        "`file://none.csv`: cannot read `none.csv`"})
    EXPECT_NE(suite.find("  # not carried over: the tests of " + std::string(comment)),
              std::string::npos)
        << suite;
  EXPECT_FALSE(validates(suite));
}

TEST(Import, WhatIsNoConfigIsAnError) {
  EXPECT_EQ(make("services: {}\n").losses(),
            std::vector<std::string>{"this is not a promptfoo config"});
  EXPECT_FALSE(make("- a list\n").imported);
  EXPECT_FALSE(make("prompts: [\n").imported);
}

}  // namespace

}  // namespace vibe::import
