#include "embed/tokenize.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "embed/weights.h"

namespace vibe::embed {

namespace {

constexpr char32_t kSpace = 0x2581;  // `▁`, which replaces a space, and precedes the first word
constexpr std::uint16_t kUnknown = 0;

const PieceNode* child_of(const PieceNode& node, char32_t character) {
  const PieceNode* const begin = kWeights.nodes + node.first_child;
  const PieceNode* const end = begin + node.children;
  const PieceNode* const found = std::lower_bound(
      begin, end, character,
      [](const PieceNode& each, char32_t value) { return each.character < value; });
  return found != end && found->character == character ? found : nullptr;
}

std::u32string prepare(std::string_view text) {
  if (text.size() > kMostBytes) {
    std::size_t end = kMostBytes;  // not inside a character, which has at most 4 bytes
    for (int i = 0; i < 3 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80; ++i) --end;
    text = text.substr(0, end);
  }
  std::u32string out = base::to_nfkc(text);
  if (out.empty()) return out;
  std::replace(out.begin(), out.end(), U' ', kSpace);
  out.insert(out.begin(), kSpace);
  return out;
}

// The best path to each position in the text, and its last piece.
struct Place {
  double score = 0;
  std::uint16_t piece = kUnknown;
};

// Like the original: 0 is the score of a position that has no path yet, and a path can still lead
// through it, by an unknown character.
void reach(Place& place, double score, std::uint16_t piece) {
  if (place.score == 0 || score >= place.score) place = {score, piece};
}

}  // namespace

std::vector<std::uint16_t> tokenize(std::string_view text) {
  const std::u32string symbols = prepare(text);
  std::vector<Place> places(symbols.size() + 1);
  for (std::size_t begin = 0; begin < symbols.size(); ++begin) {
    const double score = places[begin].score;
    const PieceNode* node = kWeights.nodes;
    bool is_known = false;
    for (std::size_t end = begin; end < symbols.size(); ++end) {
      node = child_of(*node, symbols[end]);
      if (!node) break;
      if (node->piece == 0) continue;
      is_known = true;
      reach(places[end + 1], node->score + score, node->piece);
    }
    if (!is_known) reach(places[begin + 1], score, kUnknown);
  }

  std::vector<std::uint16_t> out;
  for (std::size_t at = symbols.size(); at > 0;) {
    const std::uint16_t piece = places[at].piece;
    if (piece != kUnknown || out.empty() || out.back() != kUnknown) out.push_back(piece);
    at -= kWeights.piece_lengths[piece];
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace vibe::embed
