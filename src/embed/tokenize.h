// Tokenize: a text → the word pieces that the encoder knows, split like the JavaScript of
// `@energetic-ai/embeddings`, including its quirks. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vibe::embed {

// How much of a text is read; the rest is ignored. The encoder reads 128 pieces of at most 16
// characters, so text beyond this limit has no influence, except after runs of unknown characters,
// which are one piece of any length.
inline constexpr std::size_t kMostBytes = 64u << 10;

// Bytes that are not UTF-8 count as U+FFFD. Only the empty text has no pieces.
std::vector<std::uint16_t> tokenize(std::string_view text);

}  // namespace vibe::embed
