// Filter: the conditions of a query with numbered parameters, and their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "store/archive.h"
#include "store/database.h"

namespace vibe::store {

inline constexpr std::size_t kMostListed = 1'000'000;

struct Bytes {  // a blob
  std::string bytes;
};

class Filter {
 public:
  using Value = std::variant<std::int64_t, double, std::string, Bytes>;

  // Adds a value; returns the number of its parameter.
  std::size_t value(Value value) {
    values_.push_back(std::move(value));
    return values_.size();
  }
  void add(std::string_view condition, Value with) {
    conditions_ += fmt::format(" AND {} ?{}", condition, value(std::move(with)));
  }
  void add_condition(std::string_view condition) {
    conditions_ += fmt::format(" AND ({})", condition);
  }
  void add(std::string_view column, const Bounds& bounds) {
    if (bounds.least) add(fmt::format("{} >=", column), *bounds.least);
    if (bounds.most) add(fmt::format("{} <=", column), *bounds.most);
  }
  void add(std::string_view column, const TimeRange& range) {
    if (range.from) add(fmt::format("{} >=", column), *range.from);
    if (range.to) add(fmt::format("{} <=", column), *range.to);
  }
  const std::string& conditions() const { return conditions_; }  // each with ` AND ` before it
  void bind(Query& query) const {
    for (const Value& each : values_) {
      if (const auto* integer = std::get_if<std::int64_t>(&each)) query.integer(*integer);
      if (const auto* real = std::get_if<double>(&each)) query.real(*real);
      if (const auto* text = std::get_if<std::string>(&each)) query.text(*text);
      if (const auto* blob = std::get_if<Bytes>(&each)) query.blob(blob->bytes);
    }
  }

 private:
  std::string conditions_;
  std::vector<Value> values_;
};

}  // namespace vibe::store
