#include "tokens/tokens.h"

#include <string>

#include "base/text.h"
#include "tokens/merge.h"
#include "tokens/split.h"

namespace vibe::tokens {

namespace {

template <class Take>
void for_each_piece(std::string_view text, Take take) {
  std::string repaired;
  if (base::first_invalid(text)) {
    repaired = base::replace_invalid(text);
    text = repaired;
  }
  Splitter splitter(text);
  Merger merger;
  for (auto piece = splitter.next(); !piece.empty(); piece = splitter.next())
    take(merger.merge(piece));
}

}  // namespace

std::size_t count(std::string_view text) {
  std::size_t out = 0;
  for_each_piece(text, [&](std::span<const std::uint32_t> tokens) { out += tokens.size(); });
  return out;
}

std::vector<std::uint32_t> encode(std::string_view text) {
  std::vector<std::uint32_t> out;
  for_each_piece(text, [&](std::span<const std::uint32_t> tokens) {
    out.insert(out.end(), tokens.begin(), tokens.end());
  });
  return out;
}

}  // namespace vibe::tokens
