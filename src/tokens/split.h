// Splitter: splits a text into the pieces that o200k_base encodes one by one. Its regular
// expression backtracks; this looks at each character at most twice:
//
//   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+CONTRACTION?
//   | [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*CONTRACTION?
//   | \p{N}{1,3} | [ ]?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
//
// CONTRACTION is (?i:'s|'t|'re|'ve|'m|'ll|'d). Belongs to one thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace vibe::tokens {

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}  // UTF-8; must outlive this

  std::string_view next();  // empty at the end

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace vibe::tokens
