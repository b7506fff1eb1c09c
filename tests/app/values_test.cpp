// Sets variables and secrets, and reads them for runs.
#include "app/suites/values.h"

#include <gtest/gtest.h>

#include "app/runs/run_values.h"
#include "app/suites/validate.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

class ValueKinds : public testing::TestWithParam<ValueKind> {
 protected:
  const test::Folder folder;
  const std::unique_ptr<store::Store> store = folder.open();
  store::Variables& values = store->archive().variables();
};

TEST_P(ValueKinds, AreNewOnce) {
  EXPECT_EQ(set_value(values, GetParam(), "a", "1"), true);
  EXPECT_EQ(set_value(values, GetParam(), "a", "2"), false);
  EXPECT_TRUE(delete_value(values, GetParam(), "a"));
  EXPECT_EQ(set_value(values, GetParam(), "a", "3"), true);
}

TEST_P(ValueKinds, RefuseWhatIsNoText) {
  const auto set = set_value(values, GetParam(), "a", "\xff");
  ASSERT_FALSE(set);
  EXPECT_EQ(all_codes(set.error()), Found{Code::bad_usage});
  EXPECT_EQ(all_codes(set_value(values, GetParam(), "no name", "1").error()),
            Found{Code::bad_usage});
  EXPECT_EQ(
      all_codes(
          set_value(values, GetParam(), "a", std::string(store::kMostValueBytes + 1, 'x')).error()),
      Found{Code::bad_usage});
  EXPECT_TRUE(values.list()->empty() && values.secret_names()->empty());
}

TEST_P(ValueKinds, AMissingOneSaysWhatToDoNext) {
  const auto hint = [&](std::string_view name) {
    const auto deleted = delete_value(values, GetParam(), name);
    EXPECT_FALSE(deleted);
    EXPECT_EQ(all_codes(deleted.error()), Found{Code::not_found});
    return first_hint(deleted.error());
  };
  const std::string word(to_string(GetParam()));
  EXPECT_NE(hint("token").find("vibe set " + word), std::string::npos);
  ASSERT_TRUE(set_value(values, GetParam(), "token", "1"));
  EXPECT_NE(hint("tokn").find("`token`"), std::string::npos);
  EXPECT_NE(hint("quite_different").find("vibe get " + word + "s"), std::string::npos);
}

TEST_P(ValueKinds, AreApart) {
  const auto other = GetParam() == ValueKind::secret ? ValueKind::variable : ValueKind::secret;
  ASSERT_TRUE(set_value(values, GetParam(), "a", "1"));
  EXPECT_FALSE(delete_value(values, other, "a"));
  EXPECT_EQ(set_value(values, other, "a", "1"), true);
}

INSTANTIATE_TEST_SUITE_P(Values, ValueKinds,
                         testing::Values(ValueKind::variable, ValueKind::secret),
                         [](const auto& row) { return std::string(to_string(row.param)); });

TEST(VariableValue, IsFoundOrIsNot) {
  const test::Folder folder;
  const auto store = folder.open();
  auto& values = store->archive().variables();
  ASSERT_TRUE(set_value(values, ValueKind::variable, "a", ""));
  EXPECT_EQ(variable_value(values, "a"), "");
  ASSERT_TRUE(set_value(values, ValueKind::secret, "b", "hidden"));
  EXPECT_EQ(all_codes(variable_value(values, "b").error()), Found{Code::not_found});
}

// ---- values of a run

struct ValuedSuite {
  base::SourcePtr source;
  Validated validated;
  test::Folder folder;
  std::unique_ptr<store::Store> store = folder.open();

  explicit ValuedSuite(const std::string& prompt)
      : source(base::make_source("suite.yaml",
                                 "metadata: {name: s, model: openai/gpt-4o-mini}\n"
                                 "evals: [{prompt: \"" +
                                     prompt + "\", checks: [match: a]}]\n")),
        validated(validate(source)) {
    EXPECT_TRUE(validated.suite) << base::render(validated.diagnostics);
  }
  base::Result<run::Filler> find(const ReadValues& read, const ToolsRequest& tools = {},
                                 const run::PlanOptions& plan = {}) {
    return find_values(*validated.suite, source, plan, tools, read);
  }
  ReadValues here() { return values_of(store->archive().variables(), store->vault()); }
};

TEST(RunValues, OnlyThoseThatAreNamedAreRead) {
  ValuedSuite world("{{var('a')}} {{secret('b')}}");
  auto& values = world.store->archive().variables();
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_TRUE(values.set(name, std::string("var ") + name));
    ASSERT_TRUE(values.set_secret(name, std::string("secret ") + name));
  }
  const auto filler = world.find(world.here());
  ASSERT_TRUE(filler);
  EXPECT_EQ(filler->variables(), (run::Values{{"a", "var a"}}));
  EXPECT_EQ(filler->secrets(), (run::Values{{"b", "secret b"}}));
}

TEST(RunValues, AllThatAreMissingAreSaidWithTheirPlaces) {
  ValuedSuite world("{{var('a')}} {{secret('a')}}");
  const auto filler = world.find(world.here());
  ASSERT_FALSE(filler);
  EXPECT_EQ(all_codes(filler.error()), Found(2, Code::unknown_name));
  for (const auto& one : filler.error().all())
    EXPECT_NE(base::slice(world.source->text(), one.span).find("'a'"), std::string::npos);
}

TEST(RunValues, WhatIsSaidInsteadOfTheSuiteIsLookedAtToo) {
  ValuedSuite world("plain");
  ToolsRequest tools;
  tools.token = "{{secret('token')}}";
  EXPECT_FALSE(world.find(world.here(), tools));
  run::PlanOptions plan;
  plan.system_prompt = "{{var('tone')}}";
  EXPECT_FALSE(world.find(world.here(), {}, plan));
  ASSERT_TRUE(world.store->archive().variables().set("tone", "kind"));
  const auto filler = world.find(world.here(), {}, plan);
  ASSERT_TRUE(filler);
  EXPECT_EQ(filler->fill("{{var('tone')}}"), "kind");
}

TEST(RunValues, NobodyIsAskedWhereThereIsNoTemplate) {
  ValuedSuite world("plain");
  const auto filler = world.find([](const NamedUses&) -> base::Result<RunValues> {
    return base::fail(Code::store_unusable, {}, "must not be asked");
  });
  EXPECT_TRUE(filler);
}

TEST(RunValues, AStoreThatFailsIsSaid) {
  ValuedSuite world("{{var('a')}}");
  const auto filler = world.find([](const NamedUses&) -> base::Result<RunValues> {
    return base::fail(Code::store_unusable, {}, "full");
  });
  ASSERT_FALSE(filler);
  EXPECT_EQ(all_codes(filler.error()), Found{Code::store_unusable});
}

TEST(RunValues, SecretsOfAServerStayTemplates) {
  ValuedSuite world("{{var('a')}} {{secret('b')}}");
  auto& values = world.store->archive().variables();
  ASSERT_TRUE(values.set("a", "plain"));
  ASSERT_TRUE(values.set_secret("b", "hidden"));
  const auto filler = world.find(values_on_server(values));
  ASSERT_TRUE(filler);
  EXPECT_EQ(filler->fill("{{var('a')}} {{secret('b')}}"), "plain {{secret('b')}}");
}

TEST(RunValues, TheSettingsLimitWhatTemplatesBecome) {
  config::Config config;
  const run::FillLimits usual;
  EXPECT_EQ(fill_limits(config).prompt, usual.prompt);
  EXPECT_EQ(fill_limits(config).plan, usual.plan);
  config.max_prompt_mib = 3;
  config.max_plan_mib = 5;
  EXPECT_EQ(fill_limits(config).prompt, std::size_t{3} << 20);
  EXPECT_EQ(fill_limits(config).plan, std::size_t{5} << 20);
}

}  // namespace
}  // namespace vibe::app
