#include "base/json.h"

#include <limits>

#include <gtest/gtest.h>

namespace vibe::base {
namespace {

JsonWriter sample(JsonWriter::Layout layout) {
  JsonWriter json(layout);
  json.begin_object().key("a").begin_array().integer(1).boolean(true).null().end_array();
  json.key("b").begin_object().end_object().key("c").string("x").end_object();
  return json;
}

TEST(Json, Compact) {
  EXPECT_EQ(sample(JsonWriter::Layout::compact).text(), R"({"a":[1,true,null],"b":{},"c":"x"})");
}

TEST(Json, Indented) {
  EXPECT_EQ(sample(JsonWriter::Layout::indented).text(),
            "{\n  \"a\": [\n    1,\n    true,\n    null\n  ],\n  \"b\": {},\n  \"c\": \"x\"\n}");
}

TEST(Json, WhatIsNotKnownIsNull) {
  JsonWriter json;
  json.begin_array().known("").known("x").known(std::optional<bool>()).known(std::optional(false));
  json.known(std::optional(1)).known(std::optional(0.5)).known(std::optional<double>());
  json.known(std::optional<std::string>("")).end_array();
  EXPECT_EQ(json.text(), R"([null,"x",null,false,1,0.5,null,""])");
}

struct StringCase {
  const char* name;
  std::string_view text, json;
};
class JsonString : public testing::TestWithParam<StringCase> {};
TEST_P(JsonString, IsEscaped) {
  EXPECT_EQ(JsonWriter().string(GetParam().text).text(), GetParam().json);
}
INSTANTIATE_TEST_SUITE_P(Json, JsonString,
                         testing::Values(StringCase{"quotes", "a\"b\\c", R"("a\"b\\c")"},
                                         StringCase{"breaks", "\n\r\t\b\f", R"("\n\r\t\b\f")"},
                                         StringCase{"control", std::string_view("\x1b\0", 2),
                                                    R"("\u001b\u0000")"},
                                         StringCase{"delete", "\x7f", R"("\u007f")"},
                                         StringCase{"utf8", "é日😀", "\"é日😀\""},
                                         StringCase{"invalid", "a\xFF\xC3z", "\"a\uFFFD\uFFFDz\""}),
                         [](const auto& row) { return row.param.name; });

struct JsonNumberCase {
  const char* name;
  double value;
  std::string_view json;
};
class JsonNumber : public testing::TestWithParam<JsonNumberCase> {};
TEST_P(JsonNumber, IsShortest) {
  EXPECT_EQ(JsonWriter().number(GetParam().value).text(), GetParam().json);
}
INSTANTIATE_TEST_SUITE_P(
    Json, JsonNumber,
    testing::Values(JsonNumberCase{"whole", 80, "80"}, JsonNumberCase{"tenth", 0.1, "0.1"},
                    JsonNumberCase{"small", 0.004425, "0.004425"},
                    JsonNumberCase{"large", 1e30, "1e+30"},
                    JsonNumberCase{"minus_zero", -0.0, "-0"},
                    JsonNumberCase{"infinite", std::numeric_limits<double>::infinity(), "null"},
                    JsonNumberCase{"undefined", std::numeric_limits<double>::quiet_NaN(), "null"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace vibe::base
