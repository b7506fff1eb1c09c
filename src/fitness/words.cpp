#include "fitness/words.h"

#include <utility>

namespace vibe::fitness {

Words::Words(Lists lists, trace::ErrorPatterns errors)
    : lists_(std::move(lists)), errors_(std::move(errors)) {
  finders_.reserve(lists_.size());
  for (const auto& list : lists_) finders_.emplace_back(list);
}

}  // namespace vibe::fitness
