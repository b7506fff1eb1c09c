#include "suite/load.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "suite/expectations.h"

namespace vibe::suite {

namespace {

using test::load_text;

Suite loaded(const std::string& yaml, const LoadOptions& options = {}) {
  auto result = load_text(yaml, options);
  EXPECT_TRUE(result.suite) << base::render(result.found);
  return result.suite ? *std::move(result.suite) : Suite{};
}

const std::string kHead = "metadata: {name: s, model: a/b}\n";

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VIBE_TEST_SANITIZED
#endif
#endif
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(VIBE_TEST_SANITIZED)
constexpr bool kOptimised = true;
#else
constexpr bool kOptimised = false;
#endif

TEST(Load, KeepsTheMetadata) {
  const auto suite = loaded(R"(
metadata:
  name: my suite
  model: anthropic/claude-3.5-sonnet
  system_prompt: You are terse.
  threads: 8
  repeat: 2
  timeout: 1.5
  temperature: 0.2
  top_p: 0.9
  max_output_tokens: 500
  seed: -7
  mcp_server: {url: "https://x", name: n, authorization_token: "{{secret('t')}}"}
evals: [{prompt: p, checks: {match: a}}]
)");
  const Metadata& m = suite.metadata;
  EXPECT_EQ(m.name, "my suite");
  EXPECT_EQ(m.model, "anthropic/claude-3.5-sonnet");
  EXPECT_EQ(m.system_prompt, "You are terse.");
  EXPECT_EQ(m.threads, 8);
  EXPECT_EQ(m.repeat, 2);
  EXPECT_EQ(m.timeout, 1.5);
  EXPECT_EQ(m.temperature, 0.2);
  EXPECT_EQ(m.top_p, 0.9);
  EXPECT_EQ(m.max_output_tokens, 500);
  EXPECT_EQ(m.seed, -7);
  ASSERT_TRUE(m.mcp_server);
  EXPECT_EQ(m.mcp_server->url, "https://x");
  EXPECT_EQ(m.mcp_server->authorization_token, "{{secret('t')}}");
}

struct ResolveCase {
  const char* name;
  std::string metadata, defaults, eval;
  std::int64_t repeat;
  double timeout;
};

class Resolve : public testing::TestWithParam<ResolveCase> {};

TEST_P(Resolve, TheNearestWins) {
  const auto& c = GetParam();
  const auto suite =
      loaded("metadata: {name: s, model: a/b" + c.metadata + "}\ndefaults: {" + c.defaults +
             "}\nevals: [{prompt: p, checks: {match: a}" + c.eval + "}]\n");
  EXPECT_EQ(suite.evals.at(0).repeat, c.repeat);
  EXPECT_EQ(suite.evals.at(0).timeout, c.timeout);
}

INSTANTIATE_TEST_SUITE_P(
    Load, Resolve,
    testing::Values(ResolveCase{"nothing", "", "", "", 1, 60},
                    ResolveCase{"metadata", ", repeat: 2, timeout: 5", "", "", 2, 5},
                    ResolveCase{"defaults", ", repeat: 2, timeout: 5", "repeat: 3, timeout: 6", "",
                                3, 6},
                    ResolveCase{"eval", ", repeat: 2, timeout: 5", "repeat: 3, timeout: 6",
                                ", repeat: 4, timeout: 7", 4, 7},
                    ResolveCase{"each_by_itself", ", repeat: 2", "timeout: 6", "", 2, 6}),
    [](const auto& row) { return row.param.name; });

TEST(Load, KeepsTheEvals) {
  const auto suite = loaded(kHead + R"(
defaults: {checks: [max_tokens: 9]}
evals:
  - {name: a, tags: [x, y], prompt: 105, checks: [match: "*a*"]}
  - {prompt: q, tags: z}
  - {prompt: "{{n}}", cases: [{n: 1}, {n: 2}], checks: {equals: "{{n}}"}}
)");
  ASSERT_EQ(suite.evals.size(), 3u);
  EXPECT_EQ(suite.default_checks.size(), 1u);
  EXPECT_EQ(suite.evals[0].name, "a");
  EXPECT_EQ(suite.evals[0].tags, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(suite.evals[0].prompt, "105");
  EXPECT_EQ(suite.evals[0].checks.all.size(), 1u);
  EXPECT_EQ(suite.evals[1].name, "");
  EXPECT_EQ(suite.evals[1].tags, (std::vector<std::string>{"z"}));
  EXPECT_TRUE(suite.evals[1].checks.all.empty());
  EXPECT_EQ(suite.evals[1].cases, nullptr);
  ASSERT_NE(suite.evals[2].cases, nullptr);
  EXPECT_EQ(suite.evals[2].cases->cell(1, 0), "2");
  ASSERT_EQ(suite.names.evals().size(), 1u);
  EXPECT_EQ(suite.names.evals()[0].name, "a");
}

TEST(Load, KeepsTheScore) {
  const auto suite = loaded(kHead + R"(
evals: [{name: a, prompt: p, checks: {match: a}}]
score:
  metrics: {m: a * 2, n: m + 1}
  formula: n / 2
  min: 40
  on_undefined: 0.5
)");
  EXPECT_EQ(suite.score.formula, "n / 2");
  ASSERT_EQ(suite.score.metrics.size(), 2u);
  EXPECT_EQ(suite.score.metrics[1].name, "n");
  EXPECT_EQ(suite.score.metrics[1].formula, "m + 1");
  EXPECT_EQ(suite.score.min, 40);
  EXPECT_EQ(suite.score.on_undefined, 0.5);
  EXPECT_EQ(suite.program.formulas.size(), 3u);
}

struct ScoreCase {
  const char* name;
  std::string score;
  std::string formula;
  std::optional<double> on_undefined;
};

class ScoreSection : public testing::TestWithParam<ScoreCase> {};

TEST_P(ScoreSection, IsRead) {
  const auto suite =
      loaded(kHead + "evals: [{name: yes, prompt: p, checks: {match: a}}]\n" + GetParam().score);
  EXPECT_EQ(suite.score.formula, GetParam().formula);
  EXPECT_EQ(suite.program.score().text, GetParam().formula);
  EXPECT_EQ(suite.score.on_undefined, GetParam().on_undefined);
}

INSTANTIATE_TEST_SUITE_P(
    Load, ScoreSection,
    testing::Values(ScoreCase{"absent", "", "success_pct", std::nullopt},
                    ScoreCase{"without_formula", "score: {min: 5}", "success_pct", std::nullopt},
                    ScoreCase{"a_word_that_yaml_takes_for_true", "score: {formula: yes}", "yes",
                              std::nullopt},
                    ScoreCase{"a_number", "score: {formula: 5}", "5", std::nullopt},
                    ScoreCase{"error", "score: {on_undefined: error}", "success_pct", std::nullopt},
                    ScoreCase{"zero", "score: {on_undefined: zero}", "success_pct", 0},
                    ScoreCase{"a_value", "score: {on_undefined: -1.5}", "success_pct", -1.5}),
    [](const auto& row) { return row.param.name; });

TEST(Load, ARubricStandsBesideTheSuite) {
  const std::string yaml = kHead + "evals: [{prompt: p, checks: {match: a}}]\nscore: {rubric: ";
  const auto rubric = [&](const char* file, const std::string& path) {
    base::Diagnostics found;
    const auto loaded = suite::load(base::make_source(file, yaml + path + "}\n"), {}, found);
    EXPECT_TRUE(loaded) << base::render(found);
    return loaded ? loaded->score.rubric : "";
  };
  EXPECT_EQ(rubric("suite.yaml", "mine.yaml"), "mine.yaml");
  EXPECT_EQ(rubric("evals/suite.yaml", "rubrics/mine.yaml"), "evals/rubrics/mine.yaml");
  EXPECT_EQ(rubric("evals/suite.yaml", "/etc/mine.yaml"), "/etc/mine.yaml");
  EXPECT_EQ(loaded(kHead + "evals: [{prompt: p, checks: {match: a}}]\n").score.rubric, "");
}

struct ModelCase {
  const char* name;
  std::string model;
  bool good;
};

class Model : public testing::TestWithParam<ModelCase> {};

TEST_P(Model, IsJudged) {
  const auto result = load_text("metadata: {name: s, model: \"" + GetParam().model +
                                "\"}\nevals: [{prompt: p, checks: {match: a}}]\n");
  EXPECT_EQ(result.suite.has_value(), GetParam().good);
}

INSTANTIATE_TEST_SUITE_P(Load, Model,
                         testing::Values(ModelCase{"provider", "openai/gpt-4o", true},
                                         ModelCase{"router", "openrouter/meta/llama-3", true},
                                         ModelCase{"http", "http:mine", true},
                                         ModelCase{"exec", "exec:./agent --fast x", true},
                                         ModelCase{"replay", "replay:a.jsonl", true},
                                         ModelCase{"variable", "{{var('m')}}", true},
                                         ModelCase{"no_provider", "gpt-4o", false},
                                         ModelCase{"no_model", "openai/", false},
                                         ModelCase{"empty_provider", "/gpt-4o", false},
                                         ModelCase{"space", "openai/gpt 4o", false},
                                         ModelCase{"exec_nothing", "exec: ", false}),
                         [](const auto& row) { return row.param.name; });

struct HintCase {
  const char* name;
  std::string yaml, hint;
};

class Hint : public testing::TestWithParam<HintCase> {};

TEST_P(Hint, SaysWhatToDo) {
  const auto result = load_text(GetParam().yaml);
  std::string all;
  for (const auto& d : result.found.all()) all += d.hint + "\n";
  EXPECT_NE(all.find(GetParam().hint), std::string::npos) << all;
}

INSTANTIATE_TEST_SUITE_P(
    Load, Hint,
    testing::Values(
        HintCase{"colon",
                 kHead + "evals:\n  - prompt: Solve: 2x + 5 = 15\n    checks: [match: a]\n",
                 "quote"},
        HintCase{"misspelt", kHead + "evals: [{promt: p, checks: {match: a}}]",
                 "did you mean `prompt`?"},
        HintCase{"missing", kHead, "add `evals: [{prompt: What is 15 * 7?"},
        HintCase{"check", kHead + "evals: [{prompt: p, checks: {max_token: 5}}]",
                 "did you mean `max_tokens`"},
        HintCase{"any_check", kHead + "evals: [{prompt: p, checks: {nonsense: 5}}]",
                 "the checks are equals, exec"},
        HintCase{"model",
                 "metadata: {name: s, model: gpt-4}\nevals: [{prompt: p, checks: {match: a}}]",
                 "add the provider"},
        HintCase{"quotes",
                 "metadata: {name: s, model: a/b, threads: \"4\"}\nevals: [{prompt: p, checks: "
                 "{match: a}}]",
                 "remove the quotes"},
        HintCase{"braces",
                 kHead + "evals: [{name: a, prompt: p, checks: {match: a}}]\nscore: {formula: {a}}",
                 "quote a formula that begins with `{`"},
        HintCase{"glob", kHead + "evals: [{prompt: p, checks: {match: \"*etc.*\"}}]",
                 "write `glob:` if it is a glob"},
        HintCase{
            "column",
            kHead + "evals: [{prompt: \"{{contry}}\", cases: [{country: x}], checks: {match: a}}]",
            "did you mean `country`?"},
        HintCase{"no_column",
                 kHead + "evals: [{prompt: \"{{x}}\", cases: [{country: x}], checks: {match: a}}]",
                 "the columns are `country`"},
        HintCase{"template", kHead + "evals: [{prompt: \"{{var(x)}}\", checks: {match: a}}]",
                 "write `{{var('x')}}`"},
        HintCase{"token_limits",
                 kHead + "evals:\n- prompt: p\n  checks: [min_tokens: 9,\n    max_tokens: 1]",
                 "the other limit is on line 4"}),
    [](const auto& row) { return row.param.name; });

TEST(Load, NotesOnPatternsOnlyWhenAsked) {
  const std::string yaml = kHead + "evals: [{prompt: p, checks: {match: 'a.*'}}]\n";
  EXPECT_TRUE(load_text(yaml).found.empty());
  LoadOptions options;
  options.verbose = true;
  EXPECT_EQ(load_text(yaml, options).found.all().size(), 1u);
}

TEST(Load, AMistakeBehindAnAliasIsReportedOnce) {
  const auto result = load_text(
      kHead + "x-c: &c [matc: a]\nevals:\n- {prompt: p, checks: *c}\n- {prompt: q, checks: *c}\n");
  EXPECT_EQ(result.found.all().size(), 1u);
}

TEST(Load, WarningsDoNotCrowdOutErrors) {
  std::string yaml = kHead + "evals:\n";
  for (int i = 0; i < 2000; ++i) yaml += "- {prompt: p, checks: {match: a}, something: 1}\n";
  yaml += "- {prompt: p}\n";
  const auto result = load_text(yaml);
  EXPECT_TRUE(std::any_of(result.found.all().begin(), result.found.all().end(),
                          [](const auto& d) { return d.code == base::Code::missing_key; }));
}

TEST(Load, ExamplesHaveNeitherErrorsNorWarnings) {
  const std::filesystem::path folder = std::filesystem::path(VIBE_SOURCE_DIR) / "examples";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    base::Diagnostics found;
    const auto suite = load(base::make_source(entry.path().string(), test::read_text(entry.path())),
                            test::options_with_files(), found);
    EXPECT_TRUE(suite) << base::render(found);
    for (const auto& d : found.all())
      EXPECT_EQ(d.severity, base::Severity::note) << base::render(d);
  }
  EXPECT_GE(count, 10);
}

TEST(Load, TheExampleWithEveryCheckHasThemAll) {
  const auto path = std::filesystem::path(VIBE_SOURCE_DIR) / "examples" / "every-check.yaml";
  const std::string text = test::read_text(path);
  for (const auto& kind : check::kCheckKinds)
    EXPECT_NE(text.find(std::string(kind.name) + ":"), std::string::npos) << kind.name;
}

TEST(Load, TenThousandEvalsAreRead) {
  std::string yaml = kHead + "evals:\n";
  for (int i = 0; i < 10'000; ++i) {
    const std::string n = std::to_string(i);
    yaml += "  - name: eval-" + n + "\n    tags: [math, group-" + n + "]\n    prompt: What is " +
            n + " * 7? Answer with a number only.\n    checks:\n      - match: \"*" + n +
            "*\"\n      - max_tokens: 50\n";
  }
  yaml += "score:\n  formula: success_pct\n";

  base::Diagnostics found;
  const auto suite = load(base::make_source("large.yaml", yaml), {}, found);
  ASSERT_TRUE(suite) << render(found);
  EXPECT_EQ(suite->evals.size(), 10'000u);
  EXPECT_TRUE(found.empty());
}

struct HostileCase {
  const char* name;
  std::string line;
};

class Hostile : public testing::TestWithParam<HostileCase> {};

TEST_P(Hostile, ThousandsOfMistakesAreCapped) {
  std::string yaml = kHead + "evals:\n";
  for (int i = 0; i < 30'000; ++i) yaml += "- " + GetParam().line + "\n";
  const auto result = load_text(yaml);
  EXPECT_TRUE(result.found.errors() > 0 || !result.found.empty());
  EXPECT_LE(result.found.all().size(), base::Diagnostics::kMost);
}

INSTANTIATE_TEST_SUITE_P(
    Load, Hostile,
    testing::Values(
        HostileCase{"unknown_keys", "{prompt: p, checks: {match: a}, promptt: 1, zzzzz: 2}"},
        HostileCase{"unknown_checks", "{prompt: p, checks: {nonsense: a}}"},
        HostileCase{"bad_names", "{name: and, prompt: p, checks: {match: a}}"},
        HostileCase{"bad_patterns", "{prompt: p, checks: {regex: a(b}}"},
        HostileCase{"unknown_columns", "{prompt: '{{x}}', cases: [{y: 1}], checks: {match: a}}"},
        HostileCase{"nothing", "{}"}, HostileCase{"text", "x"}),
    [](const auto& row) { return row.param.name; });

}  // namespace

}  // namespace vibe::suite
