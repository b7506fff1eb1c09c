#include "base/crypto.h"

#include <regex>
#include <set>

#include <gtest/gtest.h>

namespace vibe::base {

TEST(Crypto, HashIsBlake2b) {
  // BLAKE2b-256 of nothing and of `abc`, from RFC 7693's reference implementation.
  EXPECT_EQ(hash(""), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(hash("abc"), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST(Crypto, IdsAreUniqueAndSortedByTime) {
  const std::regex form("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  std::set<std::string> seen;
  std::string before;
  for (std::int64_t millis = 1'700'000'000'000; millis < 1'700'000'000'200; ++millis) {
    const std::string id = uuid7(millis);
    EXPECT_TRUE(std::regex_match(id, form)) << id;
    EXPECT_LT(before, id);
    before = id;
    seen.insert(id);
    seen.insert(uuid7(millis));
  }
  EXPECT_EQ(seen.size(), 400U);
  EXPECT_TRUE(uuid7(0x0123456789ab).starts_with("01234567-89ab-7"));
}

TEST(Crypto, SealedTextOpensWithItsKeyAndContextAlone) {
  const SealKey key = random_key();
  const std::string text("s3cret\0more", 11);
  const std::string sealed = seal(key, text, "name");
  EXPECT_EQ(sealed.find("s3cret"), std::string::npos);
  EXPECT_EQ(unseal(key, sealed, "name"), text);
  EXPECT_EQ(unseal(key, sealed, "other"), std::nullopt);
  EXPECT_EQ(unseal(random_key(), sealed, "name"), std::nullopt);
  EXPECT_NE(seal(key, text, "name"), sealed);  // a nonce of its own each time
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string damaged = sealed;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_EQ(unseal(key, damaged, "name"), std::nullopt);
    EXPECT_EQ(unseal(key, sealed.substr(0, i), "name"), std::nullopt);
  }
}

}  // namespace vibe::base
