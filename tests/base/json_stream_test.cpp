// Walking JSON that comes in pieces.
#include "base/json_stream.h"

#include <string>

#include <gtest/gtest.h>

namespace vibe::base {

namespace {

// Gives one byte at a time: every place is the end of a piece.
class Drops final : public ByteSource {
 public:
  explicit Drops(std::string text) : text_(std::move(text)) {}
  Result<std::size_t> read(char* to, std::size_t) override {
    if (at_ == text_.size()) return std::size_t{0};
    *to = text_[at_++];
    return std::size_t{1};
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

std::string members(std::string text, std::vector<std::string_view> paths,
                    std::size_t limit = 1000) {
  Drops source(std::move(text));
  JsonStream stream(source);
  std::string out;
  if (!stream.copy_members(paths, out, limit) || stream.next() != 0)
    return "error: " + (stream.failure() ? stream.failure()->message : "more");
  return out;
}

TEST(JsonStream, KeepsTheMembersThatAreWanted) {
  EXPECT_EQ(members(R"( {"a": {"b": 1, "c": [2, {"b": "}\""}]}, "d": "\\", "e": null} )",
                    {"a/c", "d", "x"}),
            R"({"a":{"c":[2,{"b":"}\""}]},"d":"\\"})");
  EXPECT_EQ(members(R"({"a": 1})", {"b"}), "{}");
  EXPECT_EQ(members(R"({"a": 7})", {"a/b"}), R"({"a":7})");
  EXPECT_EQ(members("\xEF\xBB\xBF{\"a\": true}", {"a"}), R"({"a":true})");
  EXPECT_EQ(members(R"({"\u0061": 1})", {"a"}), R"({"\u0061":1})");
}

TEST(JsonStream, TurnsWhatIsNoNumberIntoNull) {
  EXPECT_EQ(members(R"({"a": [NaN, Infinity, -Infinity, "NaN", 1e5]})", {"a"}),
            R"({"a":[null,null,null,"NaN",1e5]})");
}

struct Broken {
  const char *name, *text, *message;
};
class BrokenJson : public testing::TestWithParam<Broken> {};
TEST_P(BrokenJson, IsAFailure) {
  EXPECT_EQ(members(GetParam().text, {"a"}), std::string("error: ") + GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(
    Base, BrokenJson,
    testing::Values(Broken{"cut_off_in_object", R"({"b": 1)",
                           "the input ends where `}` was expected"},
                    Broken{"cut_off_in_string", R"({"b": "tex)", "a string is not closed"},
                    Broken{"cut_off_in_escape", R"({"b": "tex\)", "a string is not closed"},
                    Broken{"cut_off_deep", R"({"b": [1, {"c": 2)", "the input ends inside `{`"},
                    Broken{"brackets", R"({"b": [1}})", "`}` without an opening bracket"},
                    Broken{"no_comma", R"({"b": 1 "a": 2})", "`\"` where `,` or `}` was expected"},
                    Broken{"no_colon", R"({"b" 1})", "`1` where `:` was expected"},
                    Broken{"no_key", R"({1: 2})", "`1` where a member name was expected"},
                    Broken{"no_value", R"({"b": })", "`}` without an opening bracket"},
                    Broken{"two", "{} {}", "more"}),
    [](const auto& row) { return row.param.name; });

TEST(JsonStream, LimitsDepthAndSize) {
  EXPECT_EQ(members(R"({"b": )" + std::string(1000, '['), {"a"}),
            "error: nested more than 256 levels deep");
  EXPECT_EQ(members(R"({"a": ")" + std::string(2000, 'x') + "\"}", {"a"}),
            "error: this value is longer than 1000 bytes");
  EXPECT_EQ(members(R"({"b": ")" + std::string(2000, 'x') + "\"}", {"a"}), "{}");
}

TEST(JsonStream, WalksListsAndCountsLines) {
  Drops source("{\n\"list\": [1,\n {\"x\": [2]},\n \"three\"], \"last\":\n4}\n5 6");
  JsonStream stream(source);
  std::string seen;
  EXPECT_TRUE(stream.object([&](std::string_view key) {
    seen += std::string(key) + " ";
    stream.array([&] {
      seen += std::to_string(stream.line()) + ":";
      stream.copy(seen, 1000);
      seen += " ";
    });
  }));
  EXPECT_EQ(seen, "list 2:1 3:{\"x\":[2]} 4:\"three\" last ");
  EXPECT_EQ(stream.next(), '5');
  EXPECT_EQ(stream.line(), 6u);
  EXPECT_TRUE(stream.skip());
  EXPECT_TRUE(stream.skip());
  EXPECT_EQ(stream.next(), '\0');
  EXPECT_FALSE(stream.failure());
  EXPECT_FALSE(stream.skip());
  EXPECT_EQ(stream.failure()->message, "a value is missing at the end of the input");
}

}  // namespace

}  // namespace vibe::base
