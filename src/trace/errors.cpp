#include "trace/errors.h"

#include <algorithm>
#include <utility>

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

bool ErrorPatterns::may_hold(std::string_view escaped) const {
  if (escaped.size() < 2) return has_escapable_;
  if (has_escapable_ && escaped.find('\\') != std::string_view::npos) return true;
  for (std::size_t at = 0; at + 1 < escaped.size(); ++at) {
    if (escaped[at] == '\\' && escaped[at + 1] == 'u' && escaped.substr(at + 2, 2) == "00" &&
        at + 4 < escaped.size() && escaped[at + 4] < '8')
      return true;  // of ASCII, so that it may be part of a pattern
    const std::size_t pair = pair_of(escaped[at], escaped[at + 1]);
    if ((pairs_[pair / 64] >> pair % 64 & 1) == 0) continue;
    const std::string_view rest = escaped.substr(at);
    for (const auto& pattern : patterns_)
      if (pattern.text.size() <= rest.size() && equal_lower(rest, pattern.text)) return true;
  }
  return false;
}

}  // namespace vibe::trace
