#include "base/json_value.h"

#include <gtest/gtest.h>

namespace vibe::base {

namespace {

JsonValue parsed(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << value.error();
  return value ? *std::move(value) : JsonValue();
}

}  // namespace

TEST(JsonValue, ReadsEveryKind) {
  const auto root = parsed(R"({"a": [1, -2.5, "x\u0000\u00e9", true, null], "b": {"c": 1e3}})");
  EXPECT_EQ(root.pointer("/a/0")->integer(), 1);
  EXPECT_EQ(root.pointer("/a/1")->number(), -2.5);
  EXPECT_EQ(root.pointer("/a/1")->integer(), std::nullopt);
  EXPECT_EQ(*root.pointer("/a/2")->text(), std::string("x\0é", 4));
  EXPECT_EQ(root.pointer("/a/3")->boolean(), true);
  EXPECT_TRUE(root.pointer("/a/4")->is_null());
  EXPECT_EQ(root.pointer("/b/c")->integer(), 1000);  // whole, though written otherwise
  EXPECT_EQ(root.find("a")->array()->size(), 5U);
}

TEST(JsonValue, PointersFollowTheStandard) {
  const auto root = parsed(R"({"a/b": 1, "m~n": 2, "": 3, "list": [[7]]})");
  EXPECT_EQ(root.pointer("/a~1b")->integer(), 1);
  EXPECT_EQ(root.pointer("/m~0n")->integer(), 2);
  EXPECT_EQ(root.pointer("/")->integer(), 3);
  EXPECT_EQ(root.pointer("/list/0/0")->integer(), 7);
  EXPECT_EQ(root.pointer(""), &root);
  for (const char* nowhere : {"/none", "/list/1", "/list/x", "/list/-1", "list", "/list/0/0/0"})
    EXPECT_EQ(root.pointer(nowhere), nullptr) << nowhere;
}

TEST(JsonValue, MembersOfAnotherTypeAreNotThere) {
  const auto root = parsed(R"({"n": "5", "t": 5, "big": 1e300})");
  EXPECT_EQ(root.integer_of("n"), std::nullopt);
  EXPECT_EQ(root.text_of("t"), "");
  EXPECT_EQ(root.integer_of("big"), std::nullopt);
  EXPECT_EQ(root.number_of("big"), 1e300);
  EXPECT_EQ(root.find("x"), nullptr);
  EXPECT_EQ(JsonValue().find("x"), nullptr);
}

TEST(JsonValue, OfEqualKeysTheLastCounts) {
  EXPECT_EQ(parsed(R"({"a": 1, "a": 2})").integer_of("a"), 2);
}

TEST(JsonValue, RefusesWhatIsNone) {
  for (const std::string& bad :
       {std::string(), std::string("{"), std::string("{\"a\": 1} x"), std::string("\"\xff\""),
        std::string("[1,]"), std::string("nul"), std::string("\"a\nb\""), std::string(100'000, '['),
        std::string("{\"a\":1") + '\0' + "}"})
    EXPECT_FALSE(parse_json(bad)) << bad.substr(0, 20);
}

TEST(JsonValue, IsWrittenAsItWasRead) {
  const std::string text = R"({"a":[1,-2.5,"x\n\"",true,null],"b":{},"c":[]})";
  EXPECT_EQ(to_text(parsed(text)), text);
}

}  // namespace vibe::base
