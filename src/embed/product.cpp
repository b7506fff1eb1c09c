#include "embed/product.h"

#include <algorithm>

#include "embed/weights.h"

#define VIBE_INLINE [[gnu::always_inline]] inline

namespace vibe::embed {

namespace {

// Some rows of one panel. The sums stay in registers, which limits Rows.
template <std::size_t Lanes, std::size_t Rows>
VIBE_INLINE void multiply_rows(const Product& x, std::size_t row, std::size_t panel) {
  using Vector [[gnu::vector_size(Lanes * sizeof(float)), gnu::aligned(4)]] = float;
  constexpr std::size_t kVectors = kPanel / Lanes;
  const float* left = x.left + row * x.left_stride;
  const float* right = x.panels + panel * x.depth * kPanel;
  Vector sums[Rows][kVectors] = {};
  for (std::size_t k = 0; k < x.depth; ++k, right += kPanel) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
      const Vector column = *reinterpret_cast<const Vector*>(right + v * Lanes);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < Rows; ++r) sums[r][v] += column * left[r * x.left_stride + k];
    }
  }
  for (std::size_t r = 0; r < Rows; ++r)
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t column = panel * kPanel + v * Lanes;
      if (x.bias) sums[r][v] += *reinterpret_cast<const Vector*>(x.bias + column);
      *reinterpret_cast<Vector*>(x.out + (row + r) * x.out_stride + column) = sums[r][v];
    }
}

template <std::size_t Lanes, std::size_t Rows>
VIBE_INLINE void multiply_some(const Product& x, std::size_t row, std::size_t rows,
                               std::size_t panel) {
  if (rows == Rows) return multiply_rows<Lanes, Rows>(x, row, panel);
  if constexpr (Rows > 1) multiply_some<Lanes, Rows - 1>(x, row, rows, panel);
}

// A panel fits into the first-level or second-level cache: all rows are multiplied with it before
// the next one. The rows are divided evenly, since a block of few rows takes as long as a block of
// many.
template <std::size_t Lanes, std::size_t MostRows>
VIBE_INLINE void multiply(const Product& x) {
  const std::size_t blocks = (x.rows + MostRows - 1) / MostRows;
  for (std::size_t panel = 0; panel < x.panel_count; ++panel)
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t begin = block * x.rows / blocks, end = (block + 1) * x.rows / blocks;
      multiply_some<Lanes, MostRows>(x, begin, end - begin, panel);
    }
}

void multiply_plain(const Product& product) { multiply<4, 1>(product); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] void multiply_avx2(const Product& product) { multiply<8, 3>(product); }
[[gnu::target("avx512f")]] void multiply_avx512(const Product& product) {
  multiply<16, 8>(product);
}
#endif

constexpr InstructionSet kInstructionSets[] = {
    {"plain", [] { return true; }, multiply_plain},
#if defined(__x86_64__)
    {"avx2", [] { return __builtin_cpu_supports("avx2") != 0; }, multiply_avx2},
    {"avx512", [] { return __builtin_cpu_supports("avx512f") != 0; }, multiply_avx512},
#endif
};

}  // namespace

std::span<const InstructionSet> instruction_sets() { return kInstructionSets; }

const InstructionSet& best_instruction_set() {
  const auto sets = instruction_sets();
  return *std::find_if(sets.rbegin(), sets.rend(),
                       [](const InstructionSet& set) { return set.supported(); });
}

}  // namespace vibe::embed
