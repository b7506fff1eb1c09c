#include "base/lines.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vibe::base {
namespace {

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) out.emplace_back(next_line(text));
  return out;
}

TEST(Lines, ComeOffOneByOne) {
  using testing::ElementsAre;
  EXPECT_THAT(lines("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines("a\r\nb\n"), ElementsAre("a\r", "b"));
  EXPECT_THAT(lines("\n"), ElementsAre(""));
  EXPECT_THAT(lines(""), ElementsAre());
}

}  // namespace
}  // namespace vibe::base
