// Table: rows of cells, aligned by their width on a terminal. Pure.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::report {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string_view title;
  Align align = Align::left;
  std::size_t least = 0;  // minimum width when narrowed; 0: never narrowed
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  // Lines of at most `width` columns, if narrowing columns is enough for that; each ends with a
  // line break.
  std::string to_text(std::size_t width) const;

 private:
  std::vector<std::size_t> widths(std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// The text in at most `width` columns, with `…` if it was cut.
std::string fit(std::string_view text, std::size_t width);

// `▁▃█`: one bar per value, a space for a missing one.
std::string sparkline(const std::vector<std::optional<double>>& values);

}  // namespace vibe::report
