#include "tokens/merge.h"

#include <algorithm>
#include <array>
#include <functional>

#include "tokens/vocabulary.h"

namespace vibe::tokens {

namespace {

constexpr std::uint32_t kNone = Vocabulary::kNone;

std::uint32_t token_of(char byte) {
  return kVocabulary.byte_tokens[static_cast<unsigned char>(byte)];
}

}  // namespace

std::uint32_t Merger::look_up(std::string_view text) {
  ++steps_;
  return kVocabulary.find(text);
}

std::span<const std::uint32_t> Merger::merge(std::string_view piece) {
  tokens_.clear();
  if (const std::uint32_t whole = look_up(piece); whole != kNone)
    tokens_.push_back(whole);
  else if (piece.size() <= kShort)
    merge_short(piece);
  else
    merge_long(piece);
  return tokens_;
}

// Parts in an array; joining a part with the next one moves the rest up.
void Merger::merge_short(std::string_view piece) {
  std::array<std::uint32_t, kShort> tokens, ranks;
  std::array<std::uint8_t, kShort + 1> begins;
  std::size_t count = piece.size();
  const auto rate_pair = [&](std::size_t i) {
    ranks[i] = i + 1 == count
                   ? kNone
                   : look_up(piece.substr(begins[i], std::size_t{begins[i + 2]} - begins[i]));
  };
  for (std::size_t i = 0; i <= count; ++i) begins[i] = static_cast<std::uint8_t>(i);
  for (std::size_t i = 0; i < count; ++i) {
    tokens[i] = token_of(piece[i]);
    rate_pair(i);
  }
  for (;;) {
    const auto end = ranks.begin() + static_cast<std::ptrdiff_t>(count);
    const auto lowest = std::min_element(ranks.begin(), end);
    if (*lowest == kNone) break;
    const auto i = static_cast<std::size_t>(lowest - ranks.begin());
    tokens[i] = *lowest;
    std::copy(lowest + 2, end, lowest + 1);
    std::copy(tokens.begin() + i + 2, tokens.begin() + count, tokens.begin() + i + 1);
    std::copy(begins.begin() + i + 2, begins.begin() + count + 1, begins.begin() + i + 1);
    --count;
    rate_pair(i);
    if (i > 0) rate_pair(i - 1);
  }
  tokens_.assign(tokens.begin(), tokens.begin() + count);
}

// Looks up the rank of a part joined with the next, and puts it on the heap.
void Merger::rate(std::string_view piece, std::uint32_t index) {
  Part& part = parts_[index];
  part.rank = kNone;
  if (part.next == kNone) return;
  const std::uint32_t after = parts_[part.next].next;
  const std::size_t end = after == kNone ? piece.size() : parts_[after].begin;
  part.rank = look_up(piece.substr(part.begin, end - part.begin));
  if (part.rank == kNone) return;
  heap_.push_back(std::uint64_t{part.rank} << 32 | index);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

// Parts in a list. A heap entry is stale if its part has another rank by now, or none because it
// was joined.
void Merger::merge_long(std::string_view piece) {
  const auto size = static_cast<std::uint32_t>(piece.size());
  parts_.clear();
  heap_.clear();
  for (std::uint32_t i = 0; i < size; ++i)
    parts_.push_back({token_of(piece[i]), kNone, i, i + 1 < size ? i + 1 : kNone, i - 1});
  for (std::uint32_t i = 0; i < size; ++i) rate(piece, i);
  while (!heap_.empty()) {
    ++steps_;
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const auto rank = static_cast<std::uint32_t>(heap_.back() >> 32);
    const auto index = static_cast<std::uint32_t>(heap_.back());
    heap_.pop_back();
    Part& part = parts_[index];
    if (part.rank != rank) continue;
    Part& joined = parts_[part.next];
    part.token = rank;
    part.next = joined.next;
    joined.rank = kNone;
    if (part.next != kNone) parts_[part.next].before = index;
    rate(piece, index);
    if (index > 0) rate(piece, part.before);
  }
  for (std::uint32_t i = 0; i != kNone; i = parts_[i].next) tokens_.push_back(parts_[i].token);
}

}  // namespace vibe::tokens
