#include "base/json_reader.h"

#include <string>

#include <gtest/gtest.h>

namespace vibe::base {

namespace {

struct GoodCase {
  const char* name;
  std::string text;
  const char* json;  // written back
};

class GoodJson : public testing::TestWithParam<GoodCase> {};

TEST_P(GoodJson, IsRead) {
  const auto document = read_json_document(GetParam().text);
  ASSERT_TRUE(document.has_value()) << document.error().message;
  EXPECT_EQ(to_text(document->root), GetParam().json);
  EXPECT_FALSE(document->repeated_key.has_value());
}

INSTANTIATE_TEST_SUITE_P(
    JsonReader, GoodJson,
    testing::Values(GoodCase{"object", R"( {"a" : [1, -2.5e1, true, false, null, "x"], "b":{} } )",
                             R"({"a":[1,-25,true,false,null,"x"],"b":{}})"},
                    GoodCase{"byte_order_mark", "\xEF\xBB\xBF[]", "[]"},
                    GoodCase{"escapes", R"("\"\\\/\b\f\n\r\t\u00e9\ud83d\ude42")",
                             "\"\\\"\\\\/\\b\\f\\n\\r\\t\xC3\xA9\xF0\x9F\x99\x82\""},
                    GoodCase{"half_a_surrogate_pair", R"("\ud83dx\ude42")",
                             "\"\xEF\xBF\xBDx\xEF\xBF\xBD\""},
                    GoodCase{"zero_escaped", R"("\u0000")", R"("\u0000")"},
                    GoodCase{"large_integer", "9223372036854775807", "9223372036854775807"},
                    GoodCase{"beyond_64_bits", "1180591620717411303424", "1180591620717411303424"},
                    GoodCase{"nearly_nothing", "1e-400", "0"}, GoodCase{"scalar", " 0 ", "0"}),
    [](const auto& row) { return row.param.name; });

struct BadCase {
  const char* name;
  std::string text;
  const char* message;
  std::size_t offset;
};

class BadJson : public testing::TestWithParam<BadCase> {};

TEST_P(BadJson, IsRefusedAtItsPlace) {
  const auto document = read_json_document(GetParam().text);
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error().message, GetParam().message);
  EXPECT_EQ(document.error().offset, GetParam().offset);
}

INSTANTIATE_TEST_SUITE_P(
    JsonReader, BadJson,
    testing::Values(
        BadCase{"empty", "  ", "the text is empty", 2},
        BadCase{"prose", "Here you are", "`H` where a value was expected", 0},
        BadCase{"rest", "{} {}", "`{` after the end of the value", 3},
        BadCase{"trailing_comma", "[1,]", "`]` where a value was expected", 3},
        BadCase{"trailing_comma_of_object", R"({"a":1,})",
                "`}` where a key in double quotes was expected", 7},
        BadCase{"single_quotes", "{'a':1}", "`'` where a key in double quotes was expected", 1},
        BadCase{"no_comma", "[1 2]", "`2` where `,` or `]` was expected", 3},
        BadCase{"no_colon", R"({"a" 1})", "`1` where `:` was expected", 5},
        BadCase{"cut_off", R"({"a": [1, 2)", "the end where `,` or `]` was expected", 11},
        BadCase{"string_cut_off", R"(["ab)", "a string that is not closed", 1},
        BadCase{"line_break", "\"a\nb\"", "unescaped U+000A in a string", 2},
        BadCase{"nul", std::string("[\0]", 3), "U+0000 where a value was expected", 1},
        BadCase{"nul_at_the_end", std::string("[]\0", 3), "U+0000 after the end of the value", 2},
        BadCase{"bad_escape", R"("\x")", "an unknown escape", 1},
        BadCase{"bad_unicode_escape", R"("\u12g4")", "`\\u` without four hexadecimal digits", 1},
        BadCase{"leading_zero", "[01]", "a number that begins with 0", 1},
        BadCase{"no_fraction", "1.", "the end where a digit was expected", 2},
        BadCase{"plus", "+1", "`+` where a value was expected", 0},
        BadCase{"not_a_number", "NaN", "`N` where a value was expected", 0},
        BadCase{"half_a_word", "[tru]", "`t` where a value was expected", 1},
        BadCase{"too_large", "[1, -1e400]", "the number `-1e400` is too large for a double", 4},
        BadCase{"not_utf8", "[\"\xFF\"]", "the byte 0xFF is not UTF-8", 2},
        BadCase{"latin1", "[\"caf\xE9\"]", "the byte 0xE9 is not UTF-8", 5}),
    [](const auto& row) { return row.param.name; });

TEST(JsonReader, LimitsTheDepth) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(read_json_document(nested(kMaxJsonDepth)).has_value());
  for (const std::size_t depth : {kMaxJsonDepth + 1, std::size_t{10'000}, std::size_t{1'000'000}}) {
    const auto document = read_json_document(nested(depth));
    ASSERT_FALSE(document.has_value());
    EXPECT_EQ(document.error().message, "nested more than 256 levels deep");
    EXPECT_EQ(document.error().offset, kMaxJsonDepth);
  }
}

TEST(JsonReader, OfEqualKeysTheLastCounts) {
  const auto document = read_json_document(R"({"a":1,"b":2,"a":3})");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(to_text(document->root), R"({"a":3,"b":2})");
  EXPECT_EQ(document->repeated_key, "a");
}

TEST(JsonReader, FindsARepeatedKeyAmongMany) {
  std::string text = "{";
  for (int i = 0; i < 50'000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  const auto document = read_json_document(text + "\"k777\":1}");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->repeated_key, "k777");
  EXPECT_EQ(document->root.object()->size(), 50'000u);
  EXPECT_EQ(document->root.integer_of("k777"), 1);
}

}  // namespace

}  // namespace vibe::base
