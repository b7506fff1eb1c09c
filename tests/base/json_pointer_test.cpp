#include "base/json_pointer.h"

#include <gtest/gtest.h>

namespace vibe::base {
namespace {

TEST(JsonPointer, EscapesKeys) {
  EXPECT_EQ(escape_key("a/b~c"), "a~1b~0c");
  EXPECT_EQ(unescape_key("a~1b~0c"), "a/b~c");
  EXPECT_EQ(unescape_key("~01"), "~1");
  EXPECT_EQ(unescape_key("~2~"), "~2~");  // no escapes
}

TEST(JsonPointer, HasASyntax) {
  for (const char* sound : {"", "/", "/a/0", "/a~1b/~0"}) EXPECT_TRUE(is_json_pointer(sound));
  for (const char* wrong : {"a", "/a~", "/~2"}) EXPECT_FALSE(is_json_pointer(wrong));
}

TEST(JsonPointer, TakesAStep) {
  const auto value = parse_json(R"({"a/b": [1, 2], "0": 3})");
  ASSERT_TRUE(value);
  const JsonValue* list = step(*value, "a~1b");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(step(*list, "1")->integer(), 2);
  EXPECT_EQ(step(*list, "2"), nullptr);
  EXPECT_EQ(step(*list, "1x"), nullptr);
  EXPECT_EQ(step(*value, "0")->integer(), 3);
  EXPECT_EQ(step(*step(*value, "0"), "0"), nullptr);  // a number has no members
}

}  // namespace
}  // namespace vibe::base
