#include "base/gzip.h"

#include <gtest/gtest.h>

#include "base/crypto.h"
#include "base/unpack.h"

namespace vibe::base {
namespace {

std::string unpacked_text(std::string bytes) {
  auto input = unpack(Input::of("text", std::move(bytes)));
  EXPECT_TRUE(input);
  std::string out;
  char part[4096];
  for (;;) {
    const auto got = input->read(part, sizeof part);
    EXPECT_TRUE(got);
    if (!got || *got == 0) return out;
    out.append(part, *got);
  }
}

TEST(Gzip, CanBeUnpacked) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "line " + std::to_string(i) + "\n";
  const auto packed = gzip(text);
  ASSERT_TRUE(packed);
  EXPECT_LT(packed->size(), text.size() / 3);
  EXPECT_EQ(unpacked_text(*packed), text);
}

TEST(Gzip, IsNoneWhereItWouldBeLarger) {
  EXPECT_FALSE(gzip(""));
  EXPECT_FALSE(gzip("short"));
  const SealKey noise = random_key();
  EXPECT_FALSE(gzip(std::string(noise.begin(), noise.end())));
}

TEST(Gzip, OfPartsCanBeUnpacked) {
  const auto gzip = Gzip::begin();
  ASSERT_TRUE(gzip);
  std::string text, packed;
  for (int i = 0; i < 2000; ++i) {
    std::string part(static_cast<std::size_t>(i % 500), static_cast<char>('a' + i % 26));
    part += std::to_string(i * 7919);
    text += part;
    packed += gzip->add(part);
  }
  EXPECT_FALSE(packed.empty());  // it does not wait for the end
  packed += gzip->end();
  EXPECT_LT(packed.size(), text.size() / 3);
  EXPECT_EQ(unpacked_text(packed), text);
}

TEST(Gzip, OfNothingCanBeUnpacked) { EXPECT_EQ(unpacked_text(Gzip::begin()->end()), ""); }

TEST(Gzip, IsTheSameEachTime) {
  const std::string text(5000, 'a');
  EXPECT_EQ(gzip(text), gzip(text));
}

}  // namespace
}  // namespace vibe::base
