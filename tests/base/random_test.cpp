#include "base/random.h"

#include <vector>

#include <gtest/gtest.h>

namespace vibe::base {
namespace {

TEST(SplitMix64, GivesTheNumbersOfItsAuthors) {
  EXPECT_EQ(SplitMix64(0).next(), 0xE220A8397B1DCDAFu);
  SplitMix64 random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(SplitMix64, StaysInItsRange) {
  SplitMix64 random(7);
  std::vector<std::size_t> seen(7);
  for (int i = 0; i < 7000; ++i) {
    const double share = random.uniform();
    EXPECT_TRUE(share >= 0 && share < 1);
    ++seen[random.below(7)];
  }
  for (const std::size_t count : seen) EXPECT_NEAR(static_cast<double>(count), 1000, 150);
}

}  // namespace
}  // namespace vibe::base
