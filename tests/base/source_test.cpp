#include "base/source.h"

#include <string>

#include <gtest/gtest.h>

namespace vibe::base {
namespace {

TEST(Source, PositionsCountCodePoints) {
  const Source source("x", "ab\ncdé\r\n日本x\rend");
  const auto check = [&](std::size_t offset, std::uint32_t line, std::uint32_t column) {
    const Position got = source.position(static_cast<std::uint32_t>(offset));
    EXPECT_EQ(got.line, line) << offset;
    EXPECT_EQ(got.column, column) << offset;
  };
  const std::string_view text = source.text();
  check(0, 1, 1);
  check(2, 1, 3);
  check(3, 2, 1);
  check(text.find("é"), 2, 3);
  check(text.find("é") + 1, 2, 3);  // within a character
  check(text.find("日"), 3, 1);
  check(text.find("x"), 3, 3);
  check(text.find("end"), 4, 1);
  check(text.size(), 4, 4);
  check(text.size() + 100, 4, 4);
}

TEST(Source, LinesComeWithoutTheirBreak) {
  const Source source("x", "ab\r\n\ncd\n");
  EXPECT_EQ(source.line_at(1), "ab");
  EXPECT_EQ(source.line_at(3), "ab");
  EXPECT_EQ(source.line_at(4), "");
  EXPECT_EQ(source.line_at(6), "cd");
  EXPECT_EQ(source.line_at(8), "");
  EXPECT_EQ(source.line_begin(6), 5u);
}

TEST(Source, FirstLineShiftsTheNumbers) {
  EXPECT_EQ(Source("x", "a\nb", 41).position(2).line, 42u);
}

TEST(Source, ColumnsOfAVeryLongLine) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += i % 3 == 0 ? "é" : "a";
  const Source source("x", "first\n" + text);
  std::uint32_t column = 1;
  for (std::uint32_t offset = 6; offset < source.text().size(); ++offset) {
    if ((static_cast<unsigned char>(source.text()[offset]) & 0xC0) == 0x80) continue;
    if (offset % 97 == 0) {
      ASSERT_EQ(source.position(offset).column, column);
    }
    ++column;
  }
}

TEST(Passage, LocatesByOffsets) {
  const auto source = make_source("x", "a: \"b\\nc\"");
  EXPECT_EQ(whole(source).locate({3, 5}), (Span{3, 5}));
  const Passage passage{"b\nc", source, {4, 5, 7, 8}};
  EXPECT_EQ(passage.locate({0, 1}), (Span{4, 5}));
  EXPECT_EQ(passage.locate({1, 2}), (Span{5, 7}));
  EXPECT_EQ(passage.locate({0, 3}), (Span{4, 8}));
  EXPECT_EQ(passage.locate({3, 3}), (Span{8, 8}));
  EXPECT_EQ(passage.locate({90, 91}), (Span{8, 8}));
}

}  // namespace
}  // namespace vibe::base
