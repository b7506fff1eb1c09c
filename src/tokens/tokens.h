// Tokens: counts the tokens of a text in the o200k_base encoding. The vocabulary is built in, laid
// out so that it needs no preparation at start. Time is linear in the text's length (except for a
// logarithm), whatever the bytes. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vibe::tokens {

// Text that looks like a special token (`<|endoftext|>`) is ordinary text. Bytes that are not UTF-8
// count as U+FFFD.
std::size_t count(std::string_view text);

std::vector<std::uint32_t> encode(std::string_view text);

}  // namespace vibe::tokens
