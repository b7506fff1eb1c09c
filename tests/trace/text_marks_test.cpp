#include "trace/hook/text_marks.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace vibe::trace {
namespace {

// One byte after the other.
std::vector<std::size_t> slow_marks(std::string_view lines) {
  std::vector<std::size_t> out;
  bool escaped = false;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const bool control = static_cast<unsigned char>(lines[at]) < 0x20;
    if (control || (lines[at] == '"' && !escaped)) out.push_back(at);
    escaped = lines[at] == '\\' && !escaped;
  }
  return out;
}

TEST(TextMarks, AreWhereOneByteAfterTheOtherFindsThem) {
  std::mt19937 random(7);
  const std::string characters = "ab\"\"\\\\\\\n\x1f \xC3";
  TextMarks marks;
  for (int round = 0; round < 5'000; ++round) {
    std::string text(random() % 300, 'a');
    const std::size_t rare = 1 + random() % 40;
    for (char& c : text)
      if (random() % rare == 0) c = characters[random() % characters.size()];
    const std::string bytes = text + std::string(TextMarks::kPadding, '"');
    const std::string_view lines = std::string_view(bytes).substr(0, text.size());
    marks.find(lines);
    TextMarks::Mark mark = marks.from(lines.data());
    for (const std::size_t want : slow_marks(lines)) ASSERT_EQ(*mark++, want) << text;
    ASSERT_EQ(*mark, text.size());
    if (text.empty()) continue;
    const std::size_t begin = random() % text.size();
    const std::string_view part = lines.substr(begin, 1 + random() % 150);
    ASSERT_EQ(marks.has_backslash(part), part.find('\\') != std::string_view::npos) << text;
  }
}

TEST(TextMarks, AreAskedForInTheirOrder) {
  const std::string bytes = "\"a\" \"b\"\n" + std::string(TextMarks::kPadding, ' ');
  TextMarks marks;
  marks.find(std::string_view(bytes).substr(0, 8));
  const TextMarks::Mark second = marks.from(bytes.data() + 1);
  EXPECT_EQ(marks.place(second), bytes.data() + 2);
  marks.move_to(second + 2);
  EXPECT_EQ(*marks.from(bytes.data()), 6u);
}

}  // namespace
}  // namespace vibe::trace
