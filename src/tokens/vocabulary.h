// Vocabulary: the tokens of o200k_base and the character classes that its pattern distinguishes, as
// one block of read-only data. cmake/pack_vocabulary.cpp makes it during the build; it is used
// directly from the program's file, without preparation. Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace vibe::tokens {

// The classes that the pattern distinguishes; every character is in one.
using CharacterClass = std::uint8_t;
inline constexpr CharacterClass kOther = 1;
inline constexpr CharacterClass kWhite = 2;  // white space except line breaks
inline constexpr CharacterClass kBreak = 4;  // `\r`, `\n`
inline constexpr CharacterClass kNumber = 8;
inline constexpr CharacterClass kUpper = 16;  // includes title case
inline constexpr CharacterClass kLower = 32;
inline constexpr CharacterClass kLetter = 64;  // without case
inline constexpr CharacterClass kMark = 128;

inline std::uint64_t load(const char* bytes, std::size_t size) {
  std::uint64_t out = 0;
  std::memcpy(&out, bytes, size);
  return out;
}

// For texts of at least one byte.
inline std::uint64_t hash_of(std::string_view text) {
  constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15, kSecond = 0xc2b2ae3d27d4eb4f;
  const char* const at = text.data();
  const std::size_t size = text.size();
  std::uint64_t a = 0, b = 0;
  if (size >= 8) {
    a = load(at, 8);
    b = load(at + size - 8, 8);
    for (std::size_t i = 8; i + 8 < size; i += 8) a = (a ^ (a >> 32) ^ load(at + i, 8)) * kSecond;
  } else if (size >= 4) {
    a = load(at, 4);
    b = load(at + size - 4, 4);
  } else {
    a = load(at, 1) | load(at + size / 2, 1) << 8 | load(at + size - 1, 1) << 16;
  }
  std::uint64_t hash = ((a + size) * kFirst) ^ (b * kSecond);
  hash ^= hash >> 32;
  return hash * kFirst;
}

struct Vocabulary {
  static constexpr std::uint32_t kTokens = 199'998, kBytes = 1'397'670, kNone = 0xFFFF'FFFF;
  static constexpr std::size_t kMostLength = 128;  // bytes of a token
  static constexpr unsigned kSlotBits = 19, kTagBits = 14;
  static constexpr std::size_t kClassBlocks = 256, kClassBlockSize = 256;

  std::uint32_t slots[std::size_t{1} << kSlotBits];  // token and tag; kNone: empty
  std::uint32_t begins[kTokens + 1];                 // where each token begins in `bytes`
  std::uint32_t byte_tokens[256];
  std::uint8_t block_of[0x110000 / kClassBlockSize];
  std::uint8_t classes[kClassBlocks][kClassBlockSize];
  char bytes[kBytes];

  static std::size_t slot_of(std::uint64_t hash) { return hash >> (64 - kSlotBits); }
  static std::uint32_t tag_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 16) & ((1u << kTagBits) - 1);
  }

  std::string_view text_of(std::uint32_t token) const {
    return {bytes + begins[token], begins[token + 1] - begins[token]};
  }

  std::uint8_t class_of(char32_t point) const {
    return classes[block_of[point / kClassBlockSize]][point % kClassBlockSize];
  }

  // The token with these bytes, or kNone.
  std::uint32_t find(std::string_view text) const {
    if (text.size() > kMostLength) return kNone;
    const std::uint64_t hash = hash_of(text);
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t slot = slot_of(hash);;
         slot = (slot + 1) & ((std::size_t{1} << kSlotBits) - 1)) {
      const std::uint32_t entry = slots[slot];
      if (entry == kNone) return kNone;
      if ((entry & ((1u << kTagBits) - 1)) == tag && text_of(entry >> kTagBits) == text)
        return entry >> kTagBits;
    }
  }
};
static_assert(Vocabulary::kTokens < 1u << (32 - Vocabulary::kTagBits));

extern "C" const Vocabulary kVocabulary;

}  // namespace vibe::tokens
