// Product: matrix multiplication, compiled for several instruction sets. Every sum is computed in
// the order of its terms, and each product is rounded before it is added, so that all instruction
// sets give the same result to the last bit. Pure; safe from any thread. Private to embed/ and its
// tests.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace vibe::embed {

struct Product {
  const float* left;  // rows × depth
  std::size_t rows, depth, left_stride;
  const float* panels;  // depth × (kPanel * panel_count): each panel of kPanel columns, row by row
  std::size_t panel_count;
  const float* bias;  // added to every row; null: none
  float* out;         // rows × (kPanel * panel_count)
  std::size_t out_stride;
};

struct InstructionSet {
  std::string_view name;
  bool (*supported)();
  void (*multiply)(const Product& product);
};

std::span<const InstructionSet> instruction_sets();  // the best one last
const InstructionSet& best_instruction_set();        // that this machine supports

}  // namespace vibe::embed
