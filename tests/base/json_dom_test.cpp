#include "base/json_dom.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace vibe::base {
namespace {

struct ErrorCase {
  const char* name;
  std::string text;
  JsonError want;
};

class JsonDomError : public testing::TestWithParam<ErrorCase> {};

TEST_P(JsonDomError, IsTold) {
  JsonDom dom;
  const auto parsed = dom.parse(GetParam().text);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error(), GetParam().want);
  EXPECT_TRUE(dom.parse("1"));  // and the next text is read
}

INSTANTIATE_TEST_SUITE_P(
    Json, JsonDomError,
    testing::Values(ErrorCase{"empty", "", JsonError::empty},
                    ErrorCase{"not_utf8", "\"\xff\"", JsonError::not_utf8},
                    ErrorCase{"too_deep", std::string(5000, '[') + std::string(5000, ']'),
                              JsonError::too_deep},
                    ErrorCase{"open_string", R"({"a": "b)", JsonError::open_string},
                    ErrorCase{"bad_escape", R"("\x")", JsonError::bad_escape},
                    ErrorCase{"control_character", "\"a\nb\"", JsonError::control_character},
                    ErrorCase{"no_comma", "[1 2]", JsonError::misplaced},
                    ErrorCase{"open_bracket", "[1", JsonError::misplaced},
                    ErrorCase{"two_values", "{} {}", JsonError::misplaced},
                    ErrorCase{"number", "1.", JsonError::misplaced},
                    ErrorCase{"word", "nul", JsonError::misplaced}),
    [](const auto& one) { return one.param.name; });

TEST(JsonDom, LooksAtValuesOfEveryType) {
  JsonDom dom;
  const auto root = dom.parse(
      R"({"n": null, "b": true, "i": 4.0, "u": 18446744073709551615, "t": "x", "a": [1]})");
  ASSERT_TRUE(root);
  std::vector<std::string> keys;
  std::vector<JsonType> types;
  root->members([&](std::string_view key, const JsonView& value) {
    keys.emplace_back(key);
    types.push_back(value.type());
  });
  EXPECT_EQ(keys, (std::vector<std::string>{"n", "b", "i", "u", "t", "a"}));
  EXPECT_EQ(types, (std::vector{JsonType::null, JsonType::boolean, JsonType::number,
                                JsonType::number, JsonType::text, JsonType::array}));
  EXPECT_EQ((*root)["i"].integer(), 4);
  EXPECT_EQ((*root)["u"].number(), 18446744073709551615.0);
  EXPECT_EQ((*root)["a"].at(0).integer(), 1);
  EXPECT_FALSE((*root)["a"].text());
  EXPECT_FALSE((*root)["missing"].there());
}

TEST(JsonDom, TheLastOfEqualKeysCounts) {
  JsonDom dom;
  EXPECT_EQ((*dom.parse(R"({"a": 1, "a": 2})"))["a"].integer(), 2);
}

TEST(JsonDom, ReadsTextInPlaceIfBytesAfterItAreReadable) {
  const std::string text = R"({"a": "b"})" + std::string(JsonDom::kPadding, '#');
  JsonDom dom;
  const auto root =
      dom.parse(std::string_view(text).substr(0, text.size() - JsonDom::kPadding), true);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->text_of("a"), "b");
}

TEST(JsonDom, LimitsTheDepth) {
  JsonDom dom(2);
  EXPECT_TRUE(dom.parse("[[]]"));
  EXPECT_EQ(dom.parse("[[[[]]]]").error(), JsonError::too_deep);
}

}  // namespace
}  // namespace vibe::base
