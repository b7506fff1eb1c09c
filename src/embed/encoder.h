// Encoder: a text → a vector for its meaning, by the Universal Sentence Encoder (lite): a small
// transformer for English whose weights are built in. Needs no preparation and no network; reads at
// most 128 word pieces, so that its work is bounded. An Encoder owns scratch memory: use one per
// thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "embed/product.h"

namespace vibe::embed {

inline constexpr std::size_t kDimensions = 512;

struct Scratch;

class Encoder {
 public:
  explicit Encoder(const InstructionSet& set = best_instruction_set());

  // kDimensions numbers; the sum of their squares is 1. The same on every machine.
  std::vector<float> encode(std::string_view text);

 private:
  struct FreeScratch {
    void operator()(Scratch* scratch) const;
  };

  const InstructionSet& set_;
  std::unique_ptr<Scratch, FreeScratch> scratch_;
};

}  // namespace vibe::embed
