// Random: a sequence of numbers that a seed decides, the same on every machine. Not for keys and
// passwords (crypto.h). Pure; one sequence is for one thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vibe::base {

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double uniform();                      // 0 ≤ x < 1, of 53 bits
  std::size_t below(std::size_t count);  // 0 … count - 1, each as likely; count > 0

 private:
  std::uint64_t state_;
};

}  // namespace vibe::base
