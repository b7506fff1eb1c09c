#include "base/random.h"

namespace vibe::base {

__extension__ using Wide = unsigned __int128;

std::uint64_t SplitMix64::next() {
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

double SplitMix64::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

std::size_t SplitMix64::below(std::size_t count) {
  return static_cast<std::size_t>((Wide{next()} * count) >> 64);
}

}  // namespace vibe::base
