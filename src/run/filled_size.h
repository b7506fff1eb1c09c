// Filled size: the size of a run's texts after filling, computed from the sizes of the values.
// Fills nothing, so that a small suite cannot make a large text. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "run/fill.h"

namespace vibe::run {

struct FillLimits {                           // bytes
  std::size_t prompt = std::size_t{4} << 20;  // for one sample: prompts, and checks with templates
  std::size_t plan = std::size_t{1} << 30;    // for all samples of a run together
};

// The size of one or more texts, with the columns of any table. A size that overflows stays at the
// largest number.
class FilledSize {
 public:
  explicit FilledSize(const Filler& filler) : filler_(filler) {}

  void add(std::string_view text);
  std::uint64_t of(CaseRow row = {}) const;

 private:
  struct Uses {
    std::uint64_t plain = 0, quoted = 0;  // `{{column}}`, `\Q{{column}}\E`
    std::uint64_t unfilled = 0;           // bytes if the table does not have the column
  };
  const Filler& filler_;
  std::uint64_t fixed_ = 0;                        // independent of columns
  std::unordered_map<std::string, Uses> columns_;  // how often each is filled in
};

std::uint64_t add_sizes(std::uint64_t a, std::uint64_t b);
std::uint64_t multiply_sizes(std::uint64_t a, std::uint64_t b);

}  // namespace vibe::run
