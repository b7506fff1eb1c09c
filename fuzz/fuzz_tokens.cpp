// Any bytes as text: the tokens add up to the text, each piece has the tokens that merging by the
// definition gives, and counting gives their number.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "tokens/merge.h"
#include "tokens/split.h"
#include "tokens/tokens.h"
#include "tokens/vocabulary.h"

namespace {

using namespace vibe::tokens;

constexpr std::size_t kMostByDefinition = 300;  // bytes: it takes quadratic time

void require(bool holds) {
  if (!holds) std::abort();
}

// Joins the leftmost pair with the lowest rank, until there is none.
std::vector<std::string> merge_plainly(std::string_view piece) {
  std::vector<std::string> parts;
  for (const char byte : piece) parts.emplace_back(1, byte);
  for (;;) {
    std::uint32_t lowest = Vocabulary::kNone;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const std::uint32_t rank = kVocabulary.find(parts[i] + parts[i + 1]);
      if (rank < lowest) {
        lowest = rank;
        at = i;
      }
    }
    if (lowest == Vocabulary::kNone) return parts;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string text = vibe::base::replace_invalid(bytes);
  const auto tokens = encode(bytes);
  require(count(bytes) == tokens.size());
  std::string joined;
  for (const std::uint32_t token : tokens) joined += kVocabulary.text_of(token);
  require(joined == text);

  Splitter splitter(text);
  Merger merger;
  std::size_t done = 0;
  for (auto piece = splitter.next(); !piece.empty(); piece = splitter.next()) {
    require(piece.data() == text.data() + done);
    done += piece.size();
    if (piece.size() > kMostByDefinition) continue;
    const auto merged = merger.merge(piece);
    const auto wanted = merge_plainly(piece);
    require(merged.size() == wanted.size());
    for (std::size_t i = 0; i < merged.size(); ++i)
      require(kVocabulary.text_of(merged[i]) == wanted[i]);
  }
  require(done == text.size());
  return 0;
}
