#include "price/price.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "price/rules.h"

namespace vibe::price {
namespace {

struct FitCase {
  const char *name, *rules, *model;
  bool fits;
};
class Rule : public testing::TestWithParam<FitCase> {};
TEST_P(Rule, Fits) { EXPECT_EQ(fit(GetParam().rules, GetParam().model) > 0, GetParam().fits); }
INSTANTIATE_TEST_SUITE_P(
    Price, Rule,
    testing::Values(FitCase{"itself", "gpt-4o", "gpt-4o", true},
                    FitCase{"not_more", "gpt-4o", "gpt-4o-mini", false},
                    FitCase{"not_less", "gpt-4o", "gpt-4", false},
                    FitCase{"either_case", "glm-4", "GLM-4", true},
                    FitCase{"prefix", "gpt-4o*", "gpt-4o-mini", true},
                    FitCase{"prefix_itself", "gpt-4o*", "gpt-4o", true},
                    FitCase{"suffix", "*opus-5", "global.opus-5", true},
                    FitCase{"not_suffix", "*opus-5", "opus-5-5", false},
                    FitCase{"contains", "*opus*", "a-opus-b", true},
                    FitCase{"last_of_several", "*a*ab", "aaab", true},
                    FitCase{"digits", "m-####", "m-2024", true},
                    FitCase{"not_digits", "m-####", "m-20x4", false},
                    FitCase{"not_enough_digits", "m-####", "m-202", false},
                    FitCase{"alternative", "a b c*", "cd", true},
                    FitCase{"except", "g-pro*!*-tts!*-tts-*", "g-pro-tts", false},
                    FitCase{"except_within", "g-pro*!*-tts!*-tts-*", "g-pro-tts-1", false},
                    FitCase{"not_excepted", "g-pro*!*-tts!*-tts-*", "g-pro-1", true},
                    FitCase{"no_rule", "", "x", false}, FitCase{"no_name", "a", "", false}),
    [](const auto& test) { return test.param.name; });

TEST(Price, MoreTextFitsBetter) {
  EXPECT_GT(fit("gpt-4o-mini*", "gpt-4o-mini-2"), fit("gpt-4o*", "gpt-4o-mini-2"));
  EXPECT_GT(fit("gpt-4", "gpt-4"), fit("gpt-4*", "gpt-4"));
  EXPECT_GT(fit("gpt-#*", "gpt-4"), fit("gpt-*", "gpt-4"));
}

TEST(Price, StarsDoNotExplode) {
  const std::string name(20000, 'a');
  EXPECT_EQ(fit("*a*a*a*a*a*a*a*a*b", name), 0u);
}

struct CostCase {
  const char* name;
  Price price;
  TokenCounts tokens;
  double input, output;
};
const Price kTiered{1, 2, 0.5, std::nullopt, {{1000, 10, 20, 5, std::nullopt}}};
class CostOf : public testing::TestWithParam<CostCase> {};
TEST_P(CostOf, Tokens) {
  const auto [input, output] = cost(GetParam().price, GetParam().tokens);
  EXPECT_DOUBLE_EQ(input, GetParam().input);
  EXPECT_DOUBLE_EQ(output, GetParam().output);
}
INSTANTIATE_TEST_SUITE_P(
    Price, CostOf,
    testing::Values(
        CostCase{"nothing", {3, 15, {}, {}, {}}, {0, 0, 0, 0}, 0, 0},
        CostCase{"both_kinds", {3, 15, {}, {}, {}}, {1'000'000, 200'000, 0, 0}, 3, 3},
        CostCase{"cached_as_input", {3, 15, {}, {}, {}}, {1'000'000, 0, 400'000, 100'000}, 3, 0},
        CostCase{"cached_at_its_own",
                 {3, 15, 0.3, 3.75, {}},
                 {1'000'000, 0, 400'000, 100'000},
                 0.5 * 3 + 0.4 * 0.3 + 0.1 * 3.75,
                 0},
        CostCase{"more_cached_than_prompt", {3, 15, 1.0, {}, {}}, {10, 0, 1'000'000, 0}, 1, 0},
        CostCase{"at_the_threshold", kTiered, {1000, 100, 0, 0}, 1e-3, 2e-4},
        CostCase{"over_the_threshold", kTiered, {1001, 100, 1, 0}, 0.010005, 2e-3}),
    [](const auto& test) { return test.param.name; });

ModelRow own(std::string id, double input) {
  return {std::move(id), "", {input, 0, {}, {}, {}}, 0};
}

TEST(Price, FindsByNameAndRule) {
  const PriceTable table;
  const auto dated = table.find("openai/gpt-4o-mini-2024-07-18");
  ASSERT_TRUE(dated);
  EXPECT_EQ(dated->input, table.find("openai/gpt-4o-mini")->input);
  EXPECT_NE(dated->input, table.find("openai/gpt-4o")->input);
  EXPECT_TRUE(table.find("anthropic/claude-3-5-sonnet-latest"));
  EXPECT_TRUE(table.find("anthropic/claude-3.5-sonnet"));
  EXPECT_TRUE(table.find("google/gemini-2.0-flash-001"));
  EXPECT_TRUE(table.find("mistralai/mistral-nemo"));
  EXPECT_TRUE(table.find("groq/llama-3.1-8b-instant"));
}

TEST(Price, UnknownIsNone) {
  const PriceTable table;
  for (const auto* model : {"", "/", "gpt-4o", "openai/", "openai/no-such", "nobody/gpt-4o",
                            "exec:./a/gpt-4o", "ollama/llama3"})
    EXPECT_FALSE(table.find(model)) << model;
}

TEST(Price, ASellerAsksItsOwnPrice) {
  const PriceTable table;
  const auto own_price = table.find("deepseek/deepseek-chat", "deepseek");
  const auto routed = table.find("deepseek/deepseek-chat", "openrouter");
  ASSERT_TRUE(own_price && routed);
  EXPECT_NE(own_price->input, routed->input);
  EXPECT_EQ(table.find("deepseek/deepseek-chat")->input, routed->input);
  EXPECT_EQ(table.find("openrouter/deepseek/deepseek-chat")->input, routed->input);
  EXPECT_FALSE(table.find("openai/gpt-4o", "my-own"));
  EXPECT_FALSE(table.find("my-own/gpt-4o", "my-own"));
}

TEST(Price, TheUsersRowsComeFirst) {
  const PriceTable table({own("openai/gpt-4o*", 7), own("openai/gpt-4o-mini", 8), own("my/m", 9)});
  EXPECT_EQ(table.find("openai/gpt-4o")->input, 7);
  EXPECT_EQ(table.find("openai/gpt-4o-mini")->input, 8);
  EXPECT_EQ(table.find("openai/gpt-4o-mini", "openrouter")->input, 8);
  EXPECT_EQ(table.find("my/m", "my")->input, 9);
  EXPECT_NE(table.find("openai/gpt-4.1")->input, 7);
}

TEST(Price, ListsEveryModelOnce) {
  const PriceTable plain, table({own("openai/gpt-4o*", 7), own("my/m", 9)});
  const auto models = table.models();
  EXPECT_EQ(models.size(), plain.models().size() + 1);
  for (std::size_t i = 1; i < models.size(); ++i) EXPECT_LT(models[i - 1].id, models[i].id);
  for (const auto& model : models) {
    const auto found = table.find(model.id);
    ASSERT_TRUE(found) << model.id;
    EXPECT_EQ(found->input, model.price.input) << model.id;
    EXPECT_EQ(found->output, model.price.output) << model.id;
  }
  EXPECT_TRUE(std::ranges::any_of(models, [](const auto& m) { return m.id == "my/m"; }));
  EXPECT_TRUE(std::ranges::none_of(models, [](const auto& m) { return m.id == "openai/gpt-4o*"; }));
}

TEST(Price, ListsNoBeginningsOfIds) {
  for (const auto& model : PriceTable().models()) EXPECT_FALSE(model.id.ends_with('-')) << model.id;
}

TEST(Price, PatternsFitWholeIdsInEitherCase) {
  EXPECT_TRUE(fits("openai/*MINI", "OpenAI/gpt-4o-mini"));
  EXPECT_TRUE(fits("openai/gpt-?o", "openai/gpt-4o"));
  EXPECT_TRUE(fits("*", ""));
  EXPECT_FALSE(fits("openai/gpt", "openai/gpt-4o"));
  EXPECT_FALSE(fits("openai/gpt-#o", "openai/gpt-4o"));
}

TEST(Price, SaysWhereItIsFrom) {
  EXPECT_EQ(PriceTable::origin().find("@pydantic/genai-prices "), 0u);
  ASSERT_EQ(PriceTable::date().size(), 10u);
  EXPECT_EQ(PriceTable::date().substr(0, 2), "20");
}

TEST(PriceTable, KnowsWhoSellsExactlyThat) {
  EXPECT_TRUE(PriceTable::is_sold("anthropic/claude-3-5-sonnet", "anthropic"));
  EXPECT_TRUE(PriceTable::is_sold("Anthropic/claude-3.5-sonnet", "openrouter"));
  EXPECT_FALSE(PriceTable::is_sold("anthropic/claude-3.5-sonnet", "anthropic"));
  EXPECT_FALSE(PriceTable::is_sold("anthropic/claude-3-5-sonnet", "nobody"));
  EXPECT_TRUE(PriceTable::is_sold("anthropic/claude-3.5-sonnet"));
  EXPECT_FALSE(PriceTable::is_sold("anthropic/claude-none"));
}

}  // namespace
}  // namespace vibe::price
