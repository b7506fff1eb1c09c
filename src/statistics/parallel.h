// Parallel: how a caller runs the parts of a calculation, perhaps in several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace vibe::statistics {

// Runs `part` for 0 … parts-1, in any order, perhaps several at once.
using Parallel =
    std::function<void(std::size_t parts, const std::function<void(std::size_t)>& part)>;

inline void one_after_the_other(std::size_t parts, const std::function<void(std::size_t)>& part) {
  for (std::size_t i = 0; i < parts; ++i) part(i);
}

}  // namespace vibe::statistics
