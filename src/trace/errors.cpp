#include "trace/errors.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "base/text.h"

namespace vibe::trace {

namespace {

bool equal_lower(std::string_view text, std::string_view lower) {
  for (std::size_t i = 0; i < lower.size(); ++i)
    if (base::lower_ascii(text[i]) != lower[i]) return false;
  return true;
}

// How common a character is in prose and program output.
int commonness(char c) {
  constexpr std::string_view kByRank = "zqxjkvbp:(ywgfmcudlhrsnioate ";  // the rarest first
  const std::size_t rank = kByRank.find(c);
  return rank == std::string_view::npos ? 10 : static_cast<int>(rank) + 1;
}

std::uint16_t two_bytes(char first, char second) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(first) << 8 |
                                    static_cast<unsigned char>(second));
}

bool is_inline_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The end of the terminal colour sequence at `at`; `at` itself if there is none.
std::size_t colour_end(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("\x1b[")) return at;
  for (at += 2; at < text.size() && text[at] < '@'; ++at) {
  }
  return at + 1;
}

// The begin of the line's text, after white space and colours.
std::size_t text_begin(std::string_view text, std::size_t line) {
  for (;;) {
    const std::size_t before = line;
    while (line < text.size() && is_inline_space(text[line])) ++line;
    line = std::min(colour_end(text, line), text.size());
    if (line == before) return line;
  }
}

}  // namespace

void ErrorPatterns::Halves::add(char c, std::uint8_t groups) {
  const bool is_letter = c >= 'a' && c <= 'z';
  for (const char one : {c, is_letter ? static_cast<char>(c - 'a' + 'A') : c}) {
    const auto byte = static_cast<unsigned char>(one);
    lower[byte & 15] |= groups;
    upper[byte >> 4] |= groups;
  }
}

ErrorPatterns::ErrorPatterns(std::vector<ErrorPattern> patterns) {
  for (auto& pattern : patterns) {
    if (pattern.text.empty()) continue;
    pattern.text = base::lower_ascii(std::string_view(pattern.text));
    only_decoded_ |= pattern.text.size() < 2;
    for (const char c : pattern.text)
      only_decoded_ |= c == '"' || c == '\\' || c == '/' || static_cast<unsigned char>(c) < 0x20 ||
                       static_cast<unsigned char>(c) >= 0x7F;
    patterns_.push_back(std::move(pattern));
  }
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    const std::string& text = patterns_[i].text;
    if (text.size() < 2) continue;
    std::size_t best = 0;
    for (std::size_t at = 0; at + 1 < text.size(); ++at)
      if (commonness(text[at]) * commonness(text[at + 1]) <
          commonness(text[best]) * commonness(text[best + 1]))
        best = at;
    anchors_.push_back({two_bytes(text[best], text[best + 1]), i, best});
  }
  make_groups();
}

// Similar anchors share a group, so that few other bytes match one by accident.
void ErrorPatterns::make_groups() {
  constexpr std::size_t kGroups = 7;
  first_.add('\\', 1);
  second_.add('u', 1);
  std::set<std::uint16_t> different;
  for (const Anchor& anchor : anchors_) different.insert(anchor.bytes);
  std::size_t number = 0;
  for (const std::uint16_t bytes : different) {
    const auto group = static_cast<std::uint8_t>(2 << number++ * kGroups / different.size());
    first_.add(static_cast<char>(bytes >> 8), group);
    second_.add(static_cast<char>(bytes & 0xFF), group);
  }
}

#if defined(__SSE2__)
[[gnu::target("avx2")]] static __m256i both_lanes(const std::array<std::uint8_t, 16>& bytes) {
  return _mm256_broadcastsi128_si256(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data())));
}

template <class Use>
[[gnu::target("avx2")]] bool ErrorPatterns::any_place_avx2(std::string_view text, Use use) const {
  const __m256i first_lower = both_lanes(first_.lower), first_upper = both_lanes(first_.upper),
                second_lower = both_lanes(second_.lower), second_upper = both_lanes(second_.upper),
                low_bits = _mm256_set1_epi8(15);
  const std::size_t last = text.size() - kLeastAvx2;
  for (std::size_t wanted = 0; wanted < text.size() - 1; wanted += 32) {
    const std::size_t at = std::min(wanted, last);  // the last block overlaps the one before
    const auto* from = reinterpret_cast<const __m256i*>(text.data() + at);
    const auto* behind = reinterpret_cast<const __m256i*>(text.data() + at + 1);
    const __m256i here = _mm256_loadu_si256(from), next = _mm256_loadu_si256(behind);
    const __m256i here_upper = _mm256_and_si256(_mm256_srli_epi16(here, 4), low_bits),
                  next_upper = _mm256_and_si256(_mm256_srli_epi16(next, 4), low_bits);
    // A shuffle gives 0 for bytes of 0x80 and above, which no anchor contains.
    const __m256i groups =
        _mm256_and_si256(_mm256_and_si256(_mm256_shuffle_epi8(first_lower, here),
                                          _mm256_shuffle_epi8(first_upper, here_upper)),
                         _mm256_and_si256(_mm256_shuffle_epi8(second_lower, next),
                                          _mm256_shuffle_epi8(second_upper, next_upper)));
    const __m256i none = _mm256_cmpeq_epi8(groups, _mm256_setzero_si256());
    unsigned bits = ~static_cast<unsigned>(_mm256_movemask_epi8(none));
    for (bits &= ~0U << (wanted - at); bits != 0; bits &= bits - 1)
      if (use(at + static_cast<std::size_t>(std::countr_zero(bits)))) return true;
  }
  return false;
}
#endif

template <class Use>
bool ErrorPatterns::any_place(std::string_view text, Use use) const {
#if defined(__SSE2__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2 && text.size() >= kLeastAvx2) return any_place_avx2(text, use);
#endif
  for (std::size_t at = 0; at + 1 < text.size(); ++at)
    if ((first_.groups(text[at]) & second_.groups(text[at + 1])) != 0 && use(at)) return true;
  return false;
}

// Calls `use(pattern, begin)` for each pattern whose anchor is at the place, until it returns true.
template <class Use>
bool ErrorPatterns::any_pattern_at(std::string_view text, std::size_t place, Use use) const {
  const std::uint16_t bytes =
      two_bytes(base::lower_ascii(text[place]), base::lower_ascii(text[place + 1]));
  for (const Anchor& anchor : anchors_) {
    if (bytes != anchor.bytes || place < anchor.offset) continue;
    const ErrorPattern& pattern = patterns_[anchor.pattern];
    const std::string_view rest = text.substr(place - anchor.offset);
    if (rest.size() >= pattern.text.size() && equal_lower(rest, pattern.text) &&
        use(pattern, place - anchor.offset))
      return true;
  }
  return false;
}

const ErrorPattern* ErrorPatterns::find(std::string_view text) const {
  if (only_decoded_) return find_slowly(text);
  const ErrorPattern* found = nullptr;
  std::size_t line = 0, begin = text_begin(text, 0);  // of the line that was checked last
  any_place(text, [&](std::size_t place) {
    return any_pattern_at(text, place, [&](const ErrorPattern& pattern, std::size_t at) {
      if (found && &pattern >= found) return false;
      if (pattern.at_line_start) {
        const std::string_view since(text.data() + line, at - std::min(line, at));
        if (const std::size_t end = since.rfind('\n'); end != std::string_view::npos)
          begin = text_begin(text, line + end + 1);
        line = std::max(line, at);
      }
      if (!pattern.at_line_start || at == begin) found = &pattern;
      return found == patterns_.data();
    });
  });
  return found;
}

// Checks every pattern, byte by byte.
const ErrorPattern* ErrorPatterns::find_slowly(std::string_view text) const {
  const ErrorPattern* found = nullptr;
  std::size_t begin = text_begin(text, 0);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') begin = text_begin(text, at + 1);
    for (const auto& pattern : patterns_) {
      if (found && &pattern >= found) break;
      if (pattern.at_line_start && at != begin) continue;
      if (pattern.text.size() <= text.size() - at && equal_lower(text.substr(at), pattern.text))
        found = &pattern;
    }
  }
  return found;
}

bool ErrorPatterns::may_hold(std::string_view escaped) const {
  if (only_decoded_) return true;
  return any_place(escaped, [&](std::size_t place) {
    if (escaped[place] == '\\')  // an escaped ASCII character, which may be part of a pattern
      return escaped.substr(place + 2, 2) == "00" && place + 4 < escaped.size() &&
             escaped[place + 4] < '8';
    return any_pattern_at(escaped, place, [](const ErrorPattern&, std::size_t) { return true; });
  });
}

}  // namespace vibe::trace
