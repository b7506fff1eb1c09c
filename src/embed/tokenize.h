// Tokenize: a text → the pieces of words that the encoder knows, as the JavaScript of
// `@energetic-ai/embeddings` takes it apart, its peculiarities included. Pure; safe from any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vibe::embed {

// What is read of a text; what follows it is left out. The encoder knows 128 pieces of at most 16
// characters, so it is far behind what can be of influence, but for runs of unknown characters,
// which are one piece however long they are.
inline constexpr std::size_t kMostBytes = 64u << 10;

// Bytes that are not UTF-8 count as U+FFFD. Only the empty text has none.
std::vector<std::uint16_t> tokenize(std::string_view text);

}  // namespace vibe::embed
