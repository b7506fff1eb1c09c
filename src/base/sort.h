// Sorts, and keeps equal elements in their order. (std::stable_sort of libstdc++ 12 calls what
// C++17 deprecates, which clang reports.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace vibe::base {

template <class T, class Less>
void stable_sort(std::vector<T>& items, const Less& less) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (less(items[a], items[b])) return true;
    return !less(items[b], items[a]) && a < b;
  });
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const std::size_t place : order) sorted.push_back(std::move(items[place]));
  items = std::move(sorted);
}

}  // namespace vibe::base
