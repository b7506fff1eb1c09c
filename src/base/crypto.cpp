#include "base/crypto.h"

#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <sodium.h>

namespace vibe::base {

namespace {

static_assert(std::tuple_size_v<SealKey> == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
constexpr std::size_t kNonce = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTag = crypto_aead_xchacha20poly1305_ietf_ABYTES;

void start() {
  static const bool ready = sodium_init() >= 0;
  if (!ready) std::abort();  // the system has no random numbers
}

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

using Digest = std::array<unsigned char, 32>;

// Unkeyed if `key` is null.
Digest digest_of(std::string_view text, const SealKey* key) {
  start();
  Digest digest;
  crypto_generichash(digest.data(), digest.size(), bytes(text), text.size(),
                     key ? key->data() : nullptr, key ? key->size() : 0);
  return digest;
}

std::string hex(const Digest& digest) {
  std::string out(2 * digest.size() + 1, '\0');
  sodium_bin2hex(out.data(), out.size(), digest.data(), digest.size());
  out.pop_back();
  return out;
}

constexpr std::string_view kRandomLetters = "0123456789abcdefghjkmnpqrstvwxyz";
static_assert(kRandomLetters.size() == 32);

}  // namespace

std::string hash(std::string_view text) { return hex(digest_of(text, nullptr)); }

std::string keyed_hash(const SealKey& key, std::string_view text) {
  return hex(digest_of(text, &key));
}

SealKey derive_key(const SealKey& key, std::string_view purpose) {
  return digest_of(purpose, &key);
}

std::optional<SealKey> parse_key(std::string_view text) {
  start();
  SealKey key;
  std::size_t size = 0;
  const char* end = nullptr;
  const auto is_all = [&] { return size == key.size() && end == text.data() + text.size(); };
  if (sodium_hex2bin(key.data(), key.size(), text.data(), text.size(), nullptr, &size, &end) == 0 &&
      is_all())
    return key;
  for (const int variant :
       {sodium_base64_VARIANT_ORIGINAL, sodium_base64_VARIANT_ORIGINAL_NO_PADDING,
        sodium_base64_VARIANT_URLSAFE, sodium_base64_VARIANT_URLSAFE_NO_PADDING})
    if (sodium_base642bin(key.data(), key.size(), text.data(), text.size(), nullptr, &size, &end,
                          variant) == 0 &&
        is_all())
      return key;
  return std::nullopt;
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string random_text(std::size_t characters) {
  start();
  std::string out(characters, '\0');
  randombytes_buf(out.data(), out.size());
  for (char& c : out) c = kRandomLetters[static_cast<unsigned char>(c) % kRandomLetters.size()];
  return out;
}

bool is_random_text(std::string_view text) {
  return text.find_first_not_of(kRandomLetters) == std::string_view::npos;
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (kForm[i] == '-' ? c != '-' : !is_digit) return false;
  }
  return true;
}

std::string uuid7(std::int64_t millis) {
  start();
  std::array<unsigned char, 16> id;
  randombytes_buf(id.data(), id.size());
  for (std::size_t i = 0; i < 6; ++i) id[i] = static_cast<unsigned char>(millis >> (8 * (5 - i)));
  id[6] = static_cast<unsigned char>(0x70U | (id[6] & 0x0fU));
  id[8] = static_cast<unsigned char>(0x80U | (id[8] & 0x3fU));
  std::string out;
  for (std::size_t i = 0; i < id.size(); ++i)
    out += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
  return out;
}

SealKey random_key() {
  start();
  SealKey key;
  randombytes_buf(key.data(), key.size());
  return key;
}

std::string seal(const SealKey& key, std::string_view text, std::string_view context) {
  start();
  std::string out(kNonce + text.size() + kTag, '\0');
  randombytes_buf(out.data(), kNonce);
  crypto_aead_xchacha20poly1305_ietf_encrypt(bytes(out) + kNonce, nullptr, bytes(text), text.size(),
                                             bytes(context), context.size(), nullptr, bytes(out),
                                             key.data());
  return out;
}

std::optional<std::string> unseal(const SealKey& key, std::string_view sealed,
                                  std::string_view context) {
  start();
  if (sealed.size() < kNonce + kTag) return std::nullopt;
  std::string out(sealed.size() - kNonce - kTag, '\0');
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(
          bytes(out), nullptr, nullptr, bytes(sealed) + kNonce, sealed.size() - kNonce,
          bytes(context), context.size(), bytes(sealed), key.data()) != 0)
    return std::nullopt;
  return out;
}

}  // namespace vibe::base
