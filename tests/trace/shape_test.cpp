#include "trace/shape.h"

#include <gtest/gtest.h>

namespace vibe::trace {
namespace {

TEST(Shape, HasMembersDownToTheThirdLevel) {
  const auto shape =
      *Shapes(R"({"type":"a","m":{"b":{"c":{"d":1}}},"list":[{"x":"y"},{"z":1}],"n":null})").next();
  EXPECT_EQ(shape.text("type"), "a");
  EXPECT_TRUE(shape.has("m.b.c", '{'));
  EXPECT_FALSE(shape.has("m.b.c.d"));
  EXPECT_TRUE(shape.has("list", '['));
  EXPECT_EQ(shape.text("list.x"), "y");
  EXPECT_FALSE(shape.has("list.z"));  // only of the first element
  EXPECT_TRUE(shape.has("n", 'n'));
  EXPECT_TRUE(shape.is_one_of("type", {"b", "a"}));
}

TEST(Shape, IsSeenOfWhatBreaksOff) {
  const std::string whole =
      R"({"type":"user","message":{"role":"user","content":[{"type":"text"}]}})";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto shape = Shapes(std::string_view(whole).substr(0, size)).next();
    EXPECT_EQ(shape.has_value(), size > 0);
    if (size > 20) {
      EXPECT_EQ(shape->text("type"), "user") << size;
    }
  }
}

TEST(Shapes, GoOnBehindWhatIsNoObject) {
  Shapes shapes("\xEF\xBB\xBF// x\n5\n[{\"a\":1},\n{\"b\":\"tor\n{\"c\":1}{\"d\":1}");
  std::string seen;
  for (auto shape = shapes.next(); shape; shape = shapes.next())
    for (const auto& member : shape->members) seen += member.path;
  EXPECT_EQ(seen, "abcd");
}

TEST(Shapes, KeepNoLongTexts) {
  const auto shape = *Shapes("{\"a\":\"" + std::string(100, 'x') + "\",\"b\":\"y\"}").next();
  EXPECT_TRUE(shape.has("a", '"'));
  EXPECT_EQ(shape.text("a"), "");
  EXPECT_EQ(shape.text("b"), "y");
}

}  // namespace
}  // namespace vibe::trace
