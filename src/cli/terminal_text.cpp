#include "cli/terminal_text.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace vibe::cli {

namespace {

constexpr std::string_view kErase = "\x1b[K";

// The length of the colour code at the beginning of the text, or 0. Only codes that the program
// uses: others hide text.
std::size_t color_length(std::string_view text) {
  constexpr std::array<std::string_view, 9> kColors{"\x1b[0m",    "\x1b[1m",    "\x1b[2m",
                                                    "\x1b[31m",   "\x1b[32m",   "\x1b[33m",
                                                    "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;36m"};
  for (const auto color : kColors)
    if (text.starts_with(color)) return color.size();
  return 0;
}

// The length of any allowed code there, or 0.
std::size_t own_length(std::string_view text, std::size_t at, OwnCodes own) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("\r\n")) return 2;
  if (own == OwnCodes::none) return 0;
  if (own == OwnCodes::drawing && at == 0 && rest.starts_with('\r')) return 1;
  if (own == OwnCodes::drawing && rest == kErase) return kErase.size();
  return color_length(rest);
}

}  // namespace

std::string shown_on_terminal(std::string_view text, OwnCodes own) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t length = own_length(text, at, own)) {
      out.append(text, at, length);
      at += length;
      continue;
    }
    const base::CodePoint next = base::decode(text, at);
    const bool is_plain =
        next.valid && (next.value == '\n' || next.value == '\t' || base::is_printable(next.value));
    if (is_plain)
      out.append(text, at, next.length);
    else
      base::append_utf8(out, 0xFFFD);
    at += next.length;
  }
  return out;
}

}  // namespace vibe::cli
