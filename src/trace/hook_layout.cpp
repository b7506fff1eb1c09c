#include "trace/hook_layout.h"

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "base/text.h"

namespace vibe::trace {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }

// Behind a number, `true`, `false` or `null`; null where it is none of these.
const char* scalar_end(const char* at, const char* end) {
  const char* begin = at;
  while (at < end && *at != ',' && *at != '}' && !is_space(*at)) ++at;
  const std::string_view text(begin, static_cast<std::size_t>(at - begin));
  if (text == "null" || text == "true" || text == "false") return at;
  return text.find_first_not_of("0123456789+-.eE") == std::string_view::npos && !text.empty()
             ? at
             : nullptr;
}

}  // namespace

#if defined(__SSE2__)
namespace {

// 64 bytes of a text: a bit for each.
struct Block {
  std::uint64_t quotes = 0, backslashes = 0, controls = 0;
};

// A text while it is walked over.
struct Walk {
  const char* end;
  const char* found = nullptr;
  bool escaped = false;  // the first byte of the next block
  bool has_escapes = false;

  // Takes the bytes that are escaped out of the quotes, from one backslash to the next.
  void leave_out_escaped(Block& block) {
    std::uint64_t rest = block.backslashes;
    if (escaped) {
      block.quotes &= ~std::uint64_t{1};
      rest &= ~std::uint64_t{1};
    }
    escaped = false;
    while (rest != 0) {
      const int place = __builtin_ctzll(rest);
      escaped = place == 63;
      const std::uint64_t both = std::uint64_t{3} << place;
      block.quotes &= ~both;
      rest &= ~both;
    }
  }

  // True once the text has ended, or is broken.
  bool take(Block block, const char* at) {
    const bool was_escaped = escaped;
    if (block.backslashes != 0 || escaped) leave_out_escaped(block);
    const std::uint64_t stops = block.quotes | block.controls;
    const std::uint64_t before = stops == 0 ? ~std::uint64_t{0} : (stops & (~stops + 1)) - 1;
    has_escapes = has_escapes || was_escaped || (block.backslashes & before) != 0;
    if (stops == 0) return false;
    at += __builtin_ctzll(stops);
    found = at < end && *at == '"' ? at : nullptr;
    return true;
  }
};

const char* find_end_plain(const char* begin, const char* end, bool& has_escapes) {
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'),
                last_control = _mm_set1_epi8(0x1F);
  Walk walk{.end = end};
  for (const char* at = begin; at < end; at += 64) {
    Block block;
    for (int i = 0; i < 4; ++i) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
      const auto bits = [&](__m128i equal) {
        return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(equal)))
               << (16 * i);
      };
      block.quotes |= bits(_mm_cmpeq_epi8(bytes, quote));
      block.backslashes |= bits(_mm_cmpeq_epi8(bytes, backslash));
      block.controls |= bits(_mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes));
    }
    if (walk.take(block, at)) break;
  }
  has_escapes = has_escapes || walk.has_escapes;
  return walk.found;
}

[[gnu::target("avx2")]] const char* find_end_avx2(const char* begin, const char* end,
                                                  bool& has_escapes) {
  const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\'),
                last_control = _mm256_set1_epi8(0x1F);
  Walk walk{.end = end};
  for (const char* at = begin; at < end; at += 64) {
    Block block;
    for (int i = 0; i < 2; ++i) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32 * i));
      const int quotes = _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, quote));
      const int backslashes = _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, backslash));
      const int controls =
          _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(bytes, last_control), bytes));
      block.quotes |= std::uint64_t{static_cast<unsigned>(quotes)} << (32 * i);
      block.backslashes |= std::uint64_t{static_cast<unsigned>(backslashes)} << (32 * i);
      block.controls |= std::uint64_t{static_cast<unsigned>(controls)} << (32 * i);
    }
    if (walk.take(block, at)) break;
  }
  has_escapes = has_escapes || walk.has_escapes;
  return walk.found;
}

}  // namespace

const char* find_text_end(const char* begin, const char* end, bool& has_escapes) {
  static const auto find = __builtin_cpu_supports("avx2") != 0 ? find_end_avx2 : find_end_plain;
  return find(begin, end, has_escapes);
}
#else
const char* find_text_end(const char* begin, const char* end, bool& has_escapes) {
  for (const char* at = begin; at < end; ++at) {
    if (*at == '"') return at;
    if (static_cast<unsigned char>(*at) < 0x20) return nullptr;
    if (*at == '\\') {
      has_escapes = true;
      ++at;
    }
  }
  return nullptr;
}
#endif

inline bool HookLayout::is_at(const char* at, const Lead& lead) {
#if defined(__SSE2__)
  unsigned different = 0;
  for (const std::size_t half : {std::size_t{0}, std::size_t{16}}) {
    const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + half));
    const __m128i want = _mm_load_si128(reinterpret_cast<const __m128i*>(lead.bytes.data() + half));
    different |= (~static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(here, want))) & 0xFFFFu)
                 << half;
    if (lead.size <= 16) break;
  }
  return (different & ((std::uint64_t{1} << lead.size) - 1)) == 0;
#else
  return std::memcmp(at, lead.bytes.data(), lead.size) == 0;
#endif
}

std::size_t HookLayout::split(std::string_view text, Values& values) const {
  const char* at = text.data();
  const char* const end = at + text.size();
  if (leads_.empty()) return 0;
  values.escaped = 0;
  for (std::size_t i = 0; i < leads_.size(); ++i) {
    const Lead& lead = leads_[i];
    if (static_cast<std::size_t>(end - at) <= lead.size || !is_at(at, lead)) return 0;
    at += lead.size;
    const char* const begin = at;
    if (*at == '"') {
      bool has_escapes = false;
      at = find_text_end(at + 1, end, has_escapes);
      if (!at) return 0;
      ++at;
      if (has_escapes) values.escaped |= std::uint32_t{1} << i;
    } else {
      at = scalar_end(at, end);
      if (!at) return 0;
    }
    values.raw[i] = {begin, static_cast<std::size_t>(at - begin)};
  }
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  if (!rest.starts_with(tail_)) return 0;
  if (rest.size() > tail_.size() && rest[tail_.size()] != '\n') return 0;
  return text.size() - rest.size() + tail_.size();
}

void HookLayout::learn(std::string_view line) {
  leads_.clear();
  keys_.clear();
  const std::string padded = std::string(line) + std::string(kPadding, ' ');
  const char* at = padded.data();
  const char* const end = at + line.size();
  std::vector<Lead> leads;
  std::vector<std::string> keys;
  const char* lead_begin = at;
  const auto skip = [&](std::string_view characters) {
    while (at < end && characters.find(*at) != std::string_view::npos) ++at;
  };
  for (skip(" \t{"); at < end && *at == '"'; skip(" \t,")) {
    const char* const key = at + 1;
    bool has_escapes = false;
    at = find_text_end(key, end, has_escapes);
    if (!at || has_escapes) return;
    keys.emplace_back(key, at);
    ++at;
    skip(" \t:");
    Lead lead{.size = static_cast<std::size_t>(at - lead_begin)};
    if (lead.size > lead.bytes.size() || leads.size() == kMostValues || at >= end) return;
    std::memcpy(lead.bytes.data(), lead_begin, lead.size);
    leads.push_back(lead);
    if (*at == '"') {
      at = find_text_end(at + 1, end, has_escapes);
      if (at) ++at;
    } else {
      at = scalar_end(at, end);
    }
    if (!at) return;
    lead_begin = at;
  }
  leads_ = std::move(leads);
  keys_ = std::move(keys);
  tail_.assign(lead_begin, end);
}

}  // namespace vibe::trace
