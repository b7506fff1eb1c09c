// Random: the random numbers of draws. Each is a function of seed, draw, stream and place (Philox),
// so draws can be computed in any order and by any number of threads. Weights come from tables of
// bin means that are rounded to multiples of 2^-20: they are the same on every machine. Pure; safe
// from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace vibe::statistics {

enum class Stream : std::uint32_t { weights, copies, answers, shuffles, swaps, orders, gammas };

// In Stream::gammas: pass terms are numbered from 0, the chances of questions and named evals from
// here on.
inline constexpr std::uint32_t kChanceBlocks = 1U << 30, kNamedBlocks = 1U << 31;

using Words = std::array<std::uint32_t, 4>;

// Philox4x32-10.
Words philox(Words counter, std::uint64_t key);

// The random numbers of one draw.
class Random {
 public:
  // `side`: 0 for the base of a comparison or a single run, 1 for the candidate.
  Random(std::uint64_t seed, std::uint32_t draw, std::uint32_t side = 0)
      : seed_(seed), draw_(draw), side_(side) {}

  Words block(Stream stream, std::uint32_t number) const {
    return philox({draw_, number, static_cast<std::uint32_t>(stream), side_}, seed_);
  }

 private:
  std::uint64_t seed_;
  std::uint32_t draw_, side_;
};

inline constexpr std::size_t kBins = 4096;
inline constexpr std::size_t kFields = 10;  // in a block

// The place in a table of a field of a block: five fields of 12 bits in each half.
constexpr std::uint32_t field(const Words& words, std::size_t number) {
  const std::size_t half = number / 5;
  const std::uint64_t bits = words[2 * half] | std::uint64_t{words[2 * half + 1]} << 32;
  return static_cast<std::uint32_t>(bits >> (12 * (number % 5))) & (kBins - 1);
}

// A whole number below `count`.
constexpr std::uint32_t below(std::uint32_t word, std::size_t count) {
  return static_cast<std::uint32_t>((std::uint64_t{word} * count) >> 32);
}

using Table = std::array<double, kBins>;

const Table& exponential_table();  // Exp(1)
const Table& normal_table();       // Normal(0, 1); the middles of the bins
// Gamma(shape), for a shape above 0. Tables are computed once and shared.
std::shared_ptr<const Table> gamma_table(double shape);

}  // namespace vibe::statistics
