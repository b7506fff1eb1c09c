// Terminal text: what the program writes, made safe for a terminal. The one place that decides
// which control characters a terminal gets; files and pipes get every byte as it is. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vibe::cli {

// The codes that the program itself may have put into a text.
enum class OwnCodes : std::uint8_t {
  none,     // the text is data
  colors,   // those of diagnostics and reports
  drawing,  // these, a return at the beginning and `erase to the end of the line` at the end
};

// Control characters but line breaks and tabs, characters that reorder the text around them, and
// what is not UTF-8, as U+FFFD.
std::string shown_on_terminal(std::string_view text, OwnCodes own);

}  // namespace vibe::cli
