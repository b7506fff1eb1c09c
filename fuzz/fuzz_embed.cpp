// Any bytes as text: all pieces are known ones, no two unknown pieces are adjacent, and the vector
// has length 1 and the same bits on every instruction set.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "embed/encoder.h"
#include "embed/tokenize.h"
#include "embed/weights.h"

namespace {

using namespace vibe::embed;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto pieces = tokenize(text);
  require(pieces.empty() == text.empty());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    require(pieces[i] < Weights::kPieces);
    require(i == 0 || pieces[i] != 0 || pieces[i - 1] != 0);
  }

  const auto vector = Encoder().encode(text);
  require(vector.size() == kDimensions);
  double squares = 0;
  for (const float number : vector) squares += double{number} * number;
  require(std::abs(squares - 1) < 1e-4);
  require(vector == Encoder(instruction_sets()[0]).encode(text));
  return 0;
}
