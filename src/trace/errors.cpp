#include "trace/errors.h"

#include <algorithm>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/text.h"

namespace vibe::trace {

namespace {

std::vector<ErrorPattern> built_in() {
  return {
      {"traceback (most recent call last)", true},
      {"error:", true},
      {"fatal:", true},
      {"panic:", true},
      {"fatal error:", true},
      {"exception in thread", true},
      {"unhandled exception", true},
      {"uncaught exception", true},
      {"segmentation fault", true},
      {"command not found", false},
      {"no such file or directory", false},
      {"permission denied", false},
  };
}

bool equal_lower(std::string_view text, std::string_view lower) {
  for (std::size_t i = 0; i < lower.size(); ++i)
    if (base::lower_ascii(text[i]) != lower[i]) return false;
  return true;
}

// Of a character in text and in what programs print.
int commonness(char c) {
  constexpr std::string_view kByRank = "zqxjkvbp:(ywgfmcudlhrsnioate ";  // the rarest first
  const std::size_t rank = kByRank.find(c);
  return rank == std::string_view::npos ? 10 : static_cast<int>(rank) + 1;
}

std::size_t pair_of(char first, char second) {
  return static_cast<std::size_t>(static_cast<unsigned char>(base::lower_ascii(first))) << 8 |
         static_cast<unsigned char>(base::lower_ascii(second));
}

}  // namespace

ErrorPatterns::ErrorPatterns() : ErrorPatterns(built_in()) {}

ErrorPatterns::ErrorPatterns(std::vector<ErrorPattern> patterns) : pairs_(65536 / 64) {
  for (auto& pattern : patterns) {
    if (pattern.text.empty()) continue;
    pattern.text = base::lower_ascii(std::string_view(pattern.text));
    has_escapable_ |= pattern.text.size() < 2;
    for (const char c : pattern.text)
      has_escapable_ |= c == '"' || c == '\\' || c == '/' || static_cast<unsigned char>(c) < 0x20 ||
                        static_cast<unsigned char>(c) >= 0x7F;
    patterns_.push_back(std::move(pattern));
  }
  for (std::size_t i = 0; i < patterns_.size(); ++i)
    if (const std::string& text = patterns_[i].text; text.size() >= 2) {
      std::size_t best = 0;
      for (std::size_t at = 0; at + 1 < text.size(); ++at)
        if (commonness(text[at]) * commonness(text[at + 1]) <
            commonness(text[best]) * commonness(text[best + 1]))
          best = at;
      anchors_.push_back({text[best], text[best + 1], i, best});
    }
  for (const auto& pattern : patterns_) {
    if (pattern.text.size() < 2) continue;
    const std::size_t pair = pair_of(pattern.text[0], pattern.text[1]);
    pairs_[pair / 64] |= std::uint64_t{1} << pair % 64;
  }
}

const ErrorPattern* ErrorPatterns::find(std::string_view text) const {
  const ErrorPattern* found = nullptr;
  const auto try_at = [&](std::size_t at, bool line_start) {
    for (const auto& pattern : patterns_) {
      if (found && &pattern >= found) return;
      if (pattern.at_line_start && !line_start) continue;
      if (pattern.text.size() <= text.size() - at && equal_lower(text.substr(at), pattern.text))
        found = &pattern;
    }
  };
  bool line_start = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (line_start && (c == ' ' || c == '\t' || c == '\r')) continue;
    if (c == '\x1b' && at + 1 < text.size() && text[at + 1] == '[') {  // a colour
      while (at + 1 < text.size() && (text[at + 1] < '@' || text[at + 1] == '[')) ++at;
      ++at;
      continue;
    }
    const std::size_t pair = pair_of(c, at + 1 < text.size() ? text[at + 1] : '\0');
    if (has_escapable_ || (pairs_[pair / 64] >> pair % 64 & 1) != 0) try_at(at, line_start);
    line_start = c == '\n';
  }
  return found;
}

// Whether a pattern, or an escape that may be part of one, has its rare bytes here.
bool ErrorPatterns::holds_at(std::string_view text, std::size_t at) const {
  if (text[at] == '\\')
    return text.substr(at + 1, 3) == "u00" && at + 4 < text.size() && text[at + 4] < '8';
  for (const Anchor& anchor : anchors_) {
    if (base::lower_ascii(text[at]) != anchor.first || at < anchor.offset) continue;
    const std::string_view pattern = patterns_[anchor.pattern].text;
    const std::string_view rest = text.substr(at - anchor.offset);
    if (rest.size() >= pattern.size() && equal_lower(rest, pattern)) return true;
  }
  return false;
}

bool ErrorPatterns::may_hold(std::string_view escaped) const {
  if (escaped.size() < 2) return has_escapable_;
  if (has_escapable_ && escaped.find('\\') != std::string_view::npos) return true;
  std::size_t at = 0;
#if defined(__SSE2__)
  // Bit 5 tells upper from lower case; what else is the same without it is told apart later.
  const __m128i case_bit = _mm_set1_epi8(0x20), backslash = _mm_set1_epi8('\\'),
                u = _mm_set1_epi8('u');
  for (; at + 17 <= escaped.size(); at += 16) {
    const auto load = [&](std::size_t from) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(escaped.data() + from));
    };
    const __m128i here = load(at), next = load(at + 1);
    const __m128i lower = _mm_or_si128(here, case_bit), next_lower = _mm_or_si128(next, case_bit);
    __m128i hits = _mm_and_si128(_mm_cmpeq_epi8(here, backslash), _mm_cmpeq_epi8(next, u));
    for (const Anchor& anchor : anchors_) {
      const __m128i first = _mm_set1_epi8(static_cast<char>(anchor.first | 0x20)),
                    second = _mm_set1_epi8(static_cast<char>(anchor.second | 0x20));
      hits = _mm_or_si128(
          hits, _mm_and_si128(_mm_cmpeq_epi8(lower, first), _mm_cmpeq_epi8(next_lower, second)));
    }
    for (auto bits = static_cast<unsigned>(_mm_movemask_epi8(hits)); bits != 0; bits &= bits - 1)
      if (holds_at(escaped, at + static_cast<std::size_t>(__builtin_ctz(bits)))) return true;
  }
#endif
  for (; at < escaped.size(); ++at)
    if (holds_at(escaped, at)) return true;
  return false;
}

}  // namespace vibe::trace
