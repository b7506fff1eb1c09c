// Crypto: hashes, random bytes, sealed texts. The only part that uses libsodium. Safe from any
// thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vibe::base {

std::string hash(std::string_view text);  // BLAKE2b, 256 bits, as 64 hex digits

// A UUID of version 7, which sorts by time. `millis` since 1970.
std::string uuid7(std::int64_t millis);
bool is_uuid(std::string_view text);  // any version, in lower case

// Lower-case letters and digits, 5 bits each, without those that look alike (`i`, `l`, `o`, `u`).
std::string random_text(std::size_t characters);
bool is_random_text(std::string_view text);  // only such letters and digits

// Compares in constant time: it does not reveal where the texts differ.
bool same_secret(std::string_view a, std::string_view b);

using SealKey = std::array<unsigned char, 32>;
SealKey random_key();
// Reads a key as people write it: 64 hex digits, or 32 bytes in base64. None: it is neither.
std::optional<SealKey> parse_key(std::string_view text);
// A separate key for each purpose. None of them reveals another one, or `key`.
SealKey derive_key(const SealKey& key, std::string_view purpose);
// BLAKE2b with a key, 256 bits, as 64 hex digits.
std::string keyed_hash(const SealKey& key, std::string_view text);
// XChaCha20-Poly1305. `context` is not stored in the result; opening needs the same one.
std::string seal(const SealKey& key, std::string_view text, std::string_view context);
std::optional<std::string> unseal(const SealKey& key, std::string_view sealed,
                                  std::string_view context);  // none: wrong key, or damaged

}  // namespace vibe::base
