// Random: a reproducible sequence of numbers from a seed, the same on every machine. Not for keys
// and passwords (crypto.h). Pure; use a sequence on one thread only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vibe::base {

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double uniform();                      // 0 ≤ x < 1, with 53 bits
  std::size_t below(std::size_t count);  // 0 … count - 1, equally likely; count > 0

 private:
  std::uint64_t state_;
};

}  // namespace vibe::base
