// Rows of SQLite tables, bound and read by the table of their struct (base/shape.h).
#pragma once

#include <concepts>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/shape.h"
#include "store/database.h"
#include "store/json.h"

namespace vibe::store {

// Calls `visit` with each row that has a column; for others it need not compile.
template <class Object, class Visit>
void for_each_column(Visit&& visit) {
  const auto visit_at = [&]<std::size_t Place>() {
    constexpr auto kRow = base::kRows<Object>.template at<Place>();
    if constexpr (std::decay_t<decltype(kRow)>::kIsMember)
      if constexpr (!kRow.column.empty()) visit(kRow);
  };
  [&]<std::size_t... Place>(std::index_sequence<Place...>) {
    (visit_at.template operator()<Place>(), ...);
  }(std::make_index_sequence<decltype(base::kRows<Object>)::kCount>());
}

// `a, b, c`, in the order of binding and reading.
template <class Object>
std::string columns_of() {
  std::string out;
  for_each_column<Object>([&](const auto& row) {
    if (!out.empty()) out += ", ";
    out += row.column;
  });
  return out;
}

// `?, ?, ?`, one for each column.
template <class Object>
std::string parameters_of() {
  std::string out;
  for_each_column<Object>([&](const auto&) { out += out.empty() ? "?" : ", ?"; });
  return out;
}

// Texts that a query refers to until it has run.
using BoundTexts = std::deque<std::string>;

template <class Value>
void bind_value(Query& query, const Value& value, base::Kept kept, BoundTexts& texts) {
  if constexpr (std::is_enum_v<Value>)
    query.text(to_string(value));
  else if constexpr (std::same_as<Value, std::string>)
    kept == base::Kept::text ? query.text(value) : query.blob(value);
  else if constexpr (std::same_as<Value, double> || std::same_as<Value, std::optional<double>>)
    query.real(value);
  else if constexpr (std::is_integral_v<Value>)
    query.integer(static_cast<std::int64_t>(value));
  else if constexpr (requires { to_json(value); })
    query.text(texts.emplace_back(to_json(value)));
  else
    query.integer(value);
}

// False: it is damaged.
template <class Value>
bool read_value(Query& row, Value& out) {
  if constexpr (std::is_enum_v<Value>) {
    const auto found = base::kReadName<Value>(row.read_view());
    if (found) out = *found;
    return found.has_value();
  } else if constexpr (std::same_as<Value, std::string>) {
    out = row.read_view();
  } else if constexpr (std::same_as<Value, bool>) {
    out = row.read_integer() != 0;
  } else if constexpr (std::is_integral_v<Value>) {
    out = static_cast<Value>(row.read_integer());
  } else if constexpr (std::same_as<Value, double>) {
    out = row.read_real();
  } else if constexpr (std::same_as<Value, std::optional<double>>) {
    out = row.read_optional_real();
  } else if constexpr (std::same_as<Value, std::optional<std::int64_t>>) {
    out = row.read_optional_integer();
  } else if constexpr (std::same_as<Value, std::optional<bool>>) {
    const auto value = row.read_optional_integer();
    out = value ? std::optional(*value != 0) : std::nullopt;
  } else {
    return read_json(row.read_view(), out);
  }
  return true;
}

// Binds the columns of an object, from the query's next parameter on. `texts` must live until it
// has run.
template <class Object>
void bind_row(Query& query, const Object& object, BoundTexts& texts) {
  for_each_column<Object>(
      [&](const auto& row) { bind_value(query, row.of(object), row.kept, texts); });
}

// Reads from the row's next column on. False: it is damaged.
template <class Object>
bool read_row(Query& row, Object& out) {
  bool is_whole = true;
  for_each_column<Object>([&](const auto& member) {
    is_whole &= member.fill(out, [&](auto& value) { return read_value(row, value); });
  });
  return is_whole;
}

}  // namespace vibe::store
