// Merger: the tokens of one piece of text, by byte-pair encoding: of all neighbours that together
// form a token, those with the lowest rank are joined, the leftmost first, until there are none.
// Keeps its scratch memory; belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace vibe::tokens {

class Merger {
 public:
  // A longer piece is merged with a heap, in n log n steps.
  static constexpr std::size_t kShort = 64;  // bytes

  // The tokens of a piece that is not empty; valid until the next call.
  std::span<const std::uint32_t> merge(std::string_view piece);

  std::size_t steps() const { return steps_; }  // lookups in the vocabulary and heap steps so far

 private:
  struct Part {
    std::uint32_t token;
    std::uint32_t rank;  // of this part joined with the next
    std::uint32_t begin, next, before;
  };

  void merge_short(std::string_view piece);
  void merge_long(std::string_view piece);
  void rate(std::string_view piece, std::uint32_t index);
  std::uint32_t look_up(std::string_view text);

  std::vector<std::uint32_t> tokens_;
  std::vector<Part> parts_;
  std::vector<std::uint64_t> heap_;  // rank and part; the lowest first
  std::size_t steps_ = 0;
};

}  // namespace vibe::tokens
