// Tokens: counts the tokens of a text as the o200k_base encoding makes them. The vocabulary is
// part of the program, laid out so that nothing is prepared at start. Time is linear in the
// text's length (but for a logarithm) whatever the bytes are. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vibe::tokens {

// Text that looks like a special token (`<|endoftext|>`) is text. Bytes that are not UTF-8 count
// as U+FFFD.
std::size_t count(std::string_view text);

std::vector<std::uint32_t> encode(std::string_view text);

}  // namespace vibe::tokens
