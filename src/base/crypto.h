// Crypto: hashes, random bytes, sealed texts. The only part that knows libsodium.
// Safe from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vibe::base {

std::string hash(std::string_view text);  // BLAKE2b, 256 bits, as 64 hex digits

// A UUID of version 7: sorted by time. `millis` since 1970.
std::string uuid7(std::int64_t millis);

using SealKey = std::array<unsigned char, 32>;
SealKey random_key();
// XChaCha20-Poly1305. `context` is not kept in the result; it must be the same to open it.
std::string seal(const SealKey& key, std::string_view text, std::string_view context);
std::optional<std::string> unseal(const SealKey& key, std::string_view sealed,
                                  std::string_view context);  // none: wrong key, or damaged

}  // namespace vibe::base
