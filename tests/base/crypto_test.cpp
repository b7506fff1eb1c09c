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

TEST(Crypto, HashWithAKeyIsBlake2b) {
  SealKey key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<unsigned char>(i);
  // From Python's hashlib.
  EXPECT_EQ(keyed_hash(key, "abc"),
            "d63a32d3e44738d7907f964316c241adaba0abfeabc32349677578a15a203f7f");
  EXPECT_EQ(derive_key(key, "api keys"),
            parse_key("997fe29bb41012639d268cc601e4efa5f1c201c80d93306b51520a381aee4806"));
  EXPECT_NE(derive_key(key, "api keys"), derive_key(key, "invites"));
  EXPECT_NE(keyed_hash(key, "abc"), keyed_hash(derive_key(key, ""), "abc"));
}

TEST(Crypto, KeysAreReadAsPeopleWriteThem) {
  const SealKey key = parse_key(std::string(62, '0') + "fB").value();
  EXPECT_EQ(key.back(), 0xfbU);
  for (const char* text : {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPs=",
                           "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPs"})
    EXPECT_EQ(parse_key(text), key) << text;
  EXPECT_EQ(parse_key(std::string(42, '_') + "8="), parse_key(std::string(42, '/') + "8="));
  for (const std::string& text : {std::string(), std::string("secret"), std::string(63, '0'),
                                  std::string(65, '0'), std::string(66, '0'), std::string(64, 'g'),
                                  std::string(44, 'A'), std::string(40, 'A') + "===="})
    EXPECT_EQ(parse_key(text), std::nullopt) << text;
}

TEST(Crypto, RandomTextHasNoLettersThatLookAlike) {
  std::set<char> seen;
  std::set<std::string> texts;
  for (int i = 0; i < 200; ++i) {
    const std::string text = random_text(52);
    EXPECT_EQ(text.size(), 52U);
    EXPECT_TRUE(is_random_text(text)) << text;
    seen.insert(text.begin(), text.end());
    texts.insert(text);
  }
  EXPECT_EQ(texts.size(), 200U);
  EXPECT_EQ(std::string(seen.begin(), seen.end()), "0123456789abcdefghjkmnpqrstvwxyz");
  for (const char* other : {"il", "o", "u", "A", "_", " ", "é"})
    EXPECT_FALSE(is_random_text(other));
}

TEST(Crypto, SecretsAreTheSameOrNot) {
  EXPECT_TRUE(same_secret("", ""));
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_FALSE(same_secret("", "a"));
}

TEST(Crypto, OnlyUuidsAreUuids) {
  EXPECT_TRUE(is_uuid(uuid7(1)));
  EXPECT_TRUE(is_uuid("01234567-89ab-7def-8123-456789abcdef"));
  for (const char* text :
       {"", "..", "01234567-89ab-7def-8123-456789abcde", "01234567-89ab-7def-8123-456789abcdef0",
        "01234567-89AB-7def-8123-456789abcdef", "01234567089ab-7def-8123-456789abcdef",
        "0123456/-89ab-7def-8123-456789abcdef", "-1234567-89ab-7def-8123-456789abcdef"})
    EXPECT_FALSE(is_uuid(text)) << text;
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
