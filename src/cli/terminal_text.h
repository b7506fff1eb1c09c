// Terminal text: makes the program's output safe for a terminal. The only place that decides which
// control characters a terminal gets; files and pipes get every byte as it is. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vibe::cli {

// The codes that the program itself may have put into a text.
enum class OwnCodes : std::uint8_t {
  none,     // the text is data
  colors,   // colours of diagnostics and reports
  drawing,  // colours, a return at the beginning and `erase to the end of the line` at the end
};

// Replaces control characters other than line breaks and tabs, characters that reorder the text
// around them, and invalid UTF-8 with U+FFFD.
std::string shown_on_terminal(std::string_view text, OwnCodes own);

}  // namespace vibe::cli
