// CSV: a table for spreadsheets, by the rows of a struct's table (base/shape.h). Pure.
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/shape.h"
#include "base/time.h"

namespace vibe::wire {

// A row of a CSV file (RFC 4180), with its line break. Text that a spreadsheet would take for a
// formula gets a quote in front.
std::string csv_row(const std::vector<std::string>& cells);
// A number for programs; empty: unknown.
std::string csv_number(const std::optional<double>& value);
template <std::integral Whole>
std::string csv_number(const std::optional<Whole>& value) {
  return value ? std::to_string(*value) : "";
}

template <class Value>
std::string csv_cell(base::Wire form, const Value& value) {
  if constexpr (std::same_as<Value, std::string>) {
    return value;
  } else if constexpr (std::is_enum_v<Value>) {
    return std::string(to_string(value));
  } else if constexpr (std::same_as<Value, bool>) {
    return value ? "true" : "false";
  } else {
    if constexpr (std::convertible_to<Value, std::optional<std::int64_t>>)
      if (form == base::Wire::time) {
        const std::optional<std::int64_t> time = value;
        return time ? base::iso_time(*time) : "";
      }
    if constexpr (std::integral<Value>)
      return std::to_string(form == base::Wire::from_one ? value + 1 : value);
    else if constexpr (std::convertible_to<Value, std::optional<double>>)
      return csv_number(value);
    else
      return {};
  }
}

// The number of columns, if their positions are 1, 2, …, each once; 0: they are not.
template <class Item>
consteval std::size_t csv_columns() {
  std::size_t columns = 0, sum = 0, highest = 0;
  base::for_each_row(base::kRows<Item>, [&](const auto& row) {
    columns += row.csv.place > 0 ? 1 : 0;
    sum += row.csv.place;
    highest = std::max<std::size_t>(highest, row.csv.place);
  });
  std::size_t found = 0;
  for (std::size_t place = 1; place <= columns; ++place)
    base::for_each_row(base::kRows<Item>,
                       [&](const auto& row) { found += row.csv.place == place ? 1 : 0; });
  return found == columns && highest == columns ? columns : 0;
}

// A header line, and a line for each item: the rows that have a CSV position, in that order.
template <class Item>
std::string csv_of(std::span<const Item> items) {
  constexpr std::size_t kColumns = csv_columns<Item>();
  static_assert(kColumns > 0, "two rows have the same place in CSV, or none has one");
  std::vector<std::string> cells(kColumns);
  const auto put = [&](const auto& text_of) {
    base::for_each_row(base::kRows<Item>, [&](const auto& row) {
      if (row.csv.place > 0) cells[row.csv.place - 1u] = text_of(row);
    });
    return csv_row(cells);
  };
  std::string out = put(
      [](const auto& row) { return std::string(row.csv.name.empty() ? row.key : row.csv.name); });
  for (const Item& item : items)
    out += put([&](const auto& row) { return csv_cell(row.wire, row.of(item)); });
  return out;
}

}  // namespace vibe::wire
