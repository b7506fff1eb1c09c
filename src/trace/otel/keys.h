// KeyTable: rows that say what a key means. If several keys have the same meaning, the first row
// wins.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trace/json.h"

namespace vibe::trace {

template <class What>
struct Key {
  std::string_view key;
  What what;
};

template <class What, std::size_t N>
class KeyTable {
 public:
  struct Row {
    std::string_view key;
    What what;
    std::uint8_t rank;  // 0 counts most
  };

  consteval explicit KeyTable(const Key<What> (&keys)[N]) : rows_{} {
    static_assert(N < 255);
    for (std::size_t i = 0; i < N; ++i)
      rows_[i] = {keys[i].key, keys[i].what, static_cast<std::uint8_t>(i)};
    std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.key < b.key; });
  }

  const Row* find(std::string_view key) const {
    const Row* row = at_or_after(key);
    return row != rows_.data() + N && row->key == key ? row : nullptr;
  }
  bool any_begins_with(std::string_view prefix) const {
    const Row* row = at_or_after(prefix);
    return row != rows_.data() + N && row->key.starts_with(prefix);
  }

 private:
  const Row* at_or_after(std::string_view key) const {
    return std::lower_bound(rows_.data(), rows_.data() + N, key,
                            [](const Row& row, std::string_view to) { return row.key < to; });
  }

  std::array<Row, N> rows_;
};

// The value with the best rank for each meaning. Null and empty text do not count as values.
template <class What, std::size_t N>
class BestValues {
 public:
  BestValues() { ranks_.fill(255); }

  Json operator[](What what) const { return values_[static_cast<std::size_t>(what)]; }
  void take(What what, std::uint8_t rank, Json value) {
    std::uint8_t& best = ranks_[static_cast<std::size_t>(what)];
    if (rank >= best || value.is_null() || value.text() == std::string_view()) return;
    best = rank;
    values_[static_cast<std::size_t>(what)] = value;
  }

 private:
  std::array<Json, N> values_;
  std::array<std::uint8_t, N> ranks_;
};

}  // namespace vibe::trace
