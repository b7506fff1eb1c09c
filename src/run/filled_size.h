// Filled size: how large the texts of a run are once their templates are filled, worked out from
// the sizes of the values. Fills nothing, so that a small suite cannot make a large text. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "run/fill.h"

namespace vibe::run {

struct FillLimits {                           // bytes
  std::size_t prompt = std::size_t{4} << 20;  // of one sample: prompts, and checks with templates
  std::size_t plan = std::size_t{1} << 30;    // of all samples of a run together
};

// One text, or several together, with the columns of any table. A size that does not fit stays at
// the largest number.
class FilledSize {
 public:
  explicit FilledSize(const Filler& filler) : filler_(filler) {}

  void add(std::string_view text);
  std::uint64_t of(CaseRow row = {}) const;

 private:
  struct Uses {
    std::uint64_t plain = 0, quoted = 0;  // the latter as `\Q{{column}}\E`
    std::uint64_t unfilled = 0;           // bytes, where a table does not have the column
  };
  const Filler& filler_;
  std::uint64_t fixed_ = 0;                        // what no column changes
  std::unordered_map<std::string, Uses> columns_;  // how often each is filled in
};

std::uint64_t add_sizes(std::uint64_t a, std::uint64_t b);
std::uint64_t multiply_sizes(std::uint64_t a, std::uint64_t b);

}  // namespace vibe::run
