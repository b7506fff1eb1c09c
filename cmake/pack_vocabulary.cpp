// Build tool: reads o200k_base.tiktoken (a line for each token: its bytes in base64, its rank) and
// writes a tokens::Vocabulary with its memory layout.
// Usage: pack_vocabulary DATA OUTPUT
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <utf8proc.h>

#include "tokens/vocabulary.h"

namespace {

using namespace vibe::tokens;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "pack_vocabulary: %s; `scripts/setup.sh build` fetches the data\n",
               what.c_str());
  std::exit(1);
}

std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0, held = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char digit : text) {
    const auto value = kDigits.find(digit);
    if (value == kDigits.npos) return std::nullopt;
    bits = bits << 6 | static_cast<unsigned>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>(static_cast<unsigned char>(bits >> held));
    }
  }
  return out;
}

void add_token(Vocabulary& out, std::uint32_t token, const std::string& bytes) {
  const std::uint32_t begin = out.begins[token];
  if (bytes.empty() || bytes.size() > Vocabulary::kMostLength ||
      bytes.size() > Vocabulary::kBytes - begin)
    fail("token " + std::to_string(token) + " is too long");
  if (out.find(bytes) != Vocabulary::kNone)
    fail("token " + std::to_string(token) + " is there twice");
  std::memcpy(out.bytes + begin, bytes.data(), bytes.size());
  out.begins[token + 1] = begin + static_cast<std::uint32_t>(bytes.size());
  if (bytes.size() == 1) out.byte_tokens[static_cast<unsigned char>(bytes[0])] = token;
  const std::uint64_t hash = hash_of(bytes);
  std::size_t slot = Vocabulary::slot_of(hash);
  while (out.slots[slot] != Vocabulary::kNone) slot = (slot + 1) % std::size(out.slots);
  out.slots[slot] = token << Vocabulary::kTagBits | Vocabulary::tag_of(hash);
}

void read_tokens(const char* path, Vocabulary& out) {
  std::memset(out.slots, 0xFF, sizeof out.slots);
  std::memset(out.byte_tokens, 0xFF, sizeof out.byte_tokens);
  std::ifstream in(path);
  if (!in) fail(std::string("cannot read ") + path);
  std::uint32_t token = 0;
  for (std::string line; std::getline(in, line); ++token) {
    const auto space = line.find(' ');
    const auto bytes = from_base64(std::string_view(line).substr(0, space));
    if (token == Vocabulary::kTokens || space == line.npos || !bytes ||
        line.substr(space + 1) != std::to_string(token))
      fail("line " + std::to_string(token + 1) + " is not token " + std::to_string(token) +
           " of o200k_base");
    add_token(out, token, *bytes);
  }
  if (token != Vocabulary::kTokens || out.begins[token] != Vocabulary::kBytes)
    fail("there are " + std::to_string(token) + " tokens of " + std::to_string(out.begins[token]) +
         " bytes, not those of o200k_base");
  for (const std::uint32_t byte_token : out.byte_tokens)
    if (byte_token == Vocabulary::kNone) fail("a byte has no token");
}

// Unicode's White_Space; no character was added to it since 2013.
bool is_white(char32_t point) {
  return (point >= 0x9 && point <= 0xD) || point == 0x20 || point == 0x85 || point == 0xA0 ||
         point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
         point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

// tiktoken uses Unicode 16, Debian's utf8proc 15: these characters were added in between.
struct Newer {
  char32_t first, last;
  CharacterClass is;
};
constexpr Newer kNewer[] = {
    {0x897, 0x897, kMark},       {0x1C89, 0x1C89, kUpper},    {0x1C8A, 0x1C8A, kLower},
    {0xA7CB, 0xA7CC, kUpper},    {0xA7CD, 0xA7CD, kLower},    {0xA7DA, 0xA7DA, kUpper},
    {0xA7DB, 0xA7DB, kLower},    {0xA7DC, 0xA7DC, kUpper},    {0x105C0, 0x105F3, kLetter},
    {0x10D40, 0x10D49, kNumber}, {0x10D4A, 0x10D4F, kLetter}, {0x10D50, 0x10D65, kUpper},
    {0x10D69, 0x10D6D, kMark},   {0x10D6F, 0x10D6F, kLetter}, {0x10D70, 0x10D85, kLower},
    {0x10EC2, 0x10EC4, kLetter}, {0x10EFC, 0x10EFC, kMark},   {0x11380, 0x11389, kLetter},
    {0x1138B, 0x1138B, kLetter}, {0x1138E, 0x1138E, kLetter}, {0x11390, 0x113B5, kLetter},
    {0x113B7, 0x113B7, kLetter}, {0x113B8, 0x113C0, kMark},   {0x113C2, 0x113C2, kMark},
    {0x113C5, 0x113C5, kMark},   {0x113C7, 0x113CA, kMark},   {0x113CC, 0x113D0, kMark},
    {0x113D1, 0x113D1, kLetter}, {0x113D2, 0x113D2, kMark},   {0x113D3, 0x113D3, kLetter},
    {0x113E1, 0x113E2, kMark},   {0x116D0, 0x116E3, kNumber}, {0x11BC0, 0x11BE0, kLetter},
    {0x11BF0, 0x11BF9, kNumber}, {0x11F5A, 0x11F5A, kMark},   {0x13460, 0x143FA, kLetter},
    {0x16100, 0x1611D, kLetter}, {0x1611E, 0x1612F, kMark},   {0x16130, 0x16139, kNumber},
    {0x16D40, 0x16D6C, kLetter}, {0x16D70, 0x16D79, kNumber}, {0x18CFF, 0x18CFF, kLetter},
    {0x1CCF0, 0x1CCF9, kNumber}, {0x1E5D0, 0x1E5ED, kLetter}, {0x1E5EE, 0x1E5EF, kMark},
    {0x1E5F0, 0x1E5F0, kLetter}, {0x1E5F1, 0x1E5FA, kNumber}, {0x2EBF0, 0x2EE5D, kLetter},
};

CharacterClass class_of(char32_t point) {
  if (point == '\r' || point == '\n') return kBreak;
  if (is_white(point)) return kWhite;
  for (const Newer& newer : kNewer)
    if (point >= newer.first && point <= newer.last) return newer.is;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT: return kUpper;
    case UTF8PROC_CATEGORY_LL: return kLower;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return kLetter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return kMark;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return kNumber;
    default: return kOther;
  }
}

// Blocks of characters; equal blocks are stored once.
void classify(Vocabulary& out) {
  std::size_t blocks = 0;
  for (std::size_t i = 0; i < std::size(out.block_of); ++i) {
    std::array<std::uint8_t, Vocabulary::kClassBlockSize> block{};
    for (std::size_t j = 0; j < block.size(); ++j)
      block[j] = class_of(static_cast<char32_t>(i * block.size() + j));
    std::size_t same = 0;
    while (same < blocks && std::memcmp(out.classes[same], block.data(), block.size()) != 0) ++same;
    if (same == Vocabulary::kClassBlocks)
      fail("the characters have more classes than there is room for");
    if (same == blocks) std::memcpy(out.classes[blocks++], block.data(), block.size());
    out.block_of[i] = static_cast<std::uint8_t>(same);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: pack_vocabulary DATA OUTPUT\n", stderr);
    return 2;
  }
  const auto out = std::make_unique<Vocabulary>();
  read_tokens(argv[1], *out);
  classify(*out);
  std::ofstream file(argv[2], std::ios::binary);
  file.write(reinterpret_cast<const char*>(out.get()), sizeof *out);
  if (!file.flush()) {
    std::fprintf(stderr, "pack_vocabulary: cannot write %s\n", argv[2]);
    return 1;
  }
}
