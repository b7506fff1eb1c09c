#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/hook/layout.h"

namespace vibe::trace {
namespace {

using testing::ElementsAre;

struct Split {
  std::size_t length;
  HookLayout::Values values;
};

Split split(const HookLayout& layout, std::string_view lines) {
  static std::string bytes;  // as long as the values are looked at
  bytes = std::string(lines) + std::string(TextMarks::kPadding, 'x');
  TextMarks marks;
  const std::string_view text = std::string_view(bytes).substr(0, lines.size());
  marks.find(text);
  Split out{};
  out.length = layout.split(text, marks, out.values);
  return out;
}

TEST(HookLayout, SplitsLinesThatAreWrittenAlike) {
  HookLayout layout;
  layout.learn("{\"a\": \"x\",\t\"b\": 1, \"c\":null}");
  EXPECT_THAT(layout.keys(), ElementsAre("a", "b", "c"));
  const std::string line = "{\"a\": \"l\\\"onger\",\t\"b\": -2.5e3, \"c\":true}";
  const auto [length, values] = split(layout, line + "\n{\"a\": ");
  EXPECT_EQ(length, line.size());
  EXPECT_EQ(values[0], R"("l\"onger")");
  EXPECT_EQ(values[1], "-2.5e3");
  EXPECT_EQ(values[2], "true");
}

TEST(HookLayout, SplitsOneLineAfterTheOther) {
  HookLayout layout;
  layout.learn(R"({"a":"x","b":"y"})");
  const std::string_view line = R"({"a":"\\","b":"\""})";
  std::string bytes;
  for (int i = 0; i < 20; ++i) bytes.append(line).append("\n");
  const std::size_t size = bytes.size();
  bytes.append(TextMarks::kPadding, '"');
  const std::string_view lines = std::string_view(bytes).substr(0, size);
  TextMarks marks;
  marks.find(lines);
  for (std::size_t at = 0; at < size; at += line.size() + 1) {
    HookLayout::Values values;
    ASSERT_EQ(layout.split(lines.substr(at), marks, values), line.size());
    EXPECT_EQ(values[1], R"("\"")");
  }
}

TEST(HookLayout, LeavesWhatIsWrittenOtherwise) {
  HookLayout layout;
  layout.learn(R"({"a":"x","b":1})");
  for (const char* line :
       {"", "{", R"({"a":"x","c":1})", R"({"a":"x","b":[1]})", R"({"a":"x","b":1}})",
        R"({"a":"x","b":1} )", R"({"a":"x","b":yes})", R"({"a":"x","b":})", R"({"a":"x)",
        "{\"a\":\"x\ny\",\"b\":1}", R"({"a":"x","b":1,"c":2})", R"({"a":"x\","b":1})"})
    EXPECT_EQ(split(layout, line).length, 0u) << line;
}

TEST(HookLayout, LearnsNothingOfListsAndObjects) {
  for (const char* line : {R"({"a":[1]})", R"({"a":{"b":1}})", R"({"k\u0065y":1})", "[]", ""}) {
    HookLayout layout;
    layout.learn(line);
    EXPECT_TRUE(layout.keys().empty()) << line;
  }
}

}  // namespace
}  // namespace vibe::trace
