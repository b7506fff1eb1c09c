#include "trace/hook_layout.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vibe::trace {
namespace {

using testing::ElementsAre;

std::string padded(std::string text) { return text + std::string(HookLayout::kPadding, 'x'); }

// One byte after the other.
const char* slow_text_end(const char* begin, const char* end, bool& has_escapes) {
  for (const char* at = begin; at < end; ++at) {
    if (*at == '"') return at;
    if (static_cast<unsigned char>(*at) < 0x20) return nullptr;
    if (*at != '\\') continue;
    has_escapes = true;
    ++at;
    if (at < end && static_cast<unsigned char>(*at) < 0x20) return nullptr;
  }
  return nullptr;
}

TEST(HookLayout, FindsTheEndOfATextAsOneByteAfterTheOtherDoes) {
  std::mt19937 random(7);
  const std::string characters = "ab\"\\\\\\\n\xC3";
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 200, 'a');
    for (char& c : text)
      if (random() % (1 + random() % 40) == 0) c = characters[random() % characters.size()];
    const std::string bytes = padded(text);
    bool escapes = false, slow_escapes = false;
    const char* const end = bytes.data() + text.size();
    const char* found = find_text_end(bytes.data(), end, escapes);
    const char* want = slow_text_end(bytes.data(), end, slow_escapes);
    ASSERT_EQ(found, want) << text;
    if (want) {
      ASSERT_EQ(escapes, slow_escapes) << text;
    }
  }
}

TEST(HookLayout, SplitsLinesThatAreWrittenAlike) {
  HookLayout layout;
  layout.learn(R"({"a": "x", "b": 1, "c":null})");
  EXPECT_THAT(layout.keys(), ElementsAre("a", "b", "c"));
  const std::string line = R"({"a": "l\"onger", "b": -2.5e3, "c":true})";
  const std::string bytes = padded(line + "\n{\"a\": ");
  HookLayout::Values values;
  EXPECT_EQ(layout.split(std::string_view(bytes).substr(0, line.size() + 1), values), line.size());
  EXPECT_EQ(values.raw[0], R"("l\"onger")");
  EXPECT_EQ(values.raw[1], "-2.5e3");
  EXPECT_EQ(values.raw[2], "true");
  EXPECT_EQ(values.escaped, 1u);
}

TEST(HookLayout, LeavesWhatIsWrittenOtherwise) {
  HookLayout layout;
  layout.learn(R"({"a":"x","b":1})");
  HookLayout::Values values;
  for (const char* line :
       {"", "{", R"({"a":"x","c":1})", R"({"a":"x","b":[1]})", R"({"a":"x","b":1}})",
        R"({"a":"x","b":1} )", R"({"a":"x","b":yes})", R"({"a":"x","b":})", R"({"a":"x)",
        "{\"a\":\"x\ny\",\"b\":1}", R"({"a":"x","b":1,"c":2})"}) {
    const std::string bytes = padded(line);
    EXPECT_EQ(
        layout.split(std::string_view(bytes).substr(0, std::string_view(line).size()), values), 0u)
        << line;
  }
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
