// Shape: the members of a plain struct, written down once: a table with a row for each, which says
// what its column in the store and its key in the API's JSON are. Whatever keeps, sends or prints
// such a struct loops over the rows, so that a new member is one row. A static_assert beside the
// table (has_row_for_each) fails for a member without one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace vibe::base {

// How a value is written in the API's JSON.
enum class Wire : std::uint8_t {
  value,     // as it is
  known,     // null if it is unknown or an empty text
  given,     // left out if it is unknown, an empty text or list, or false
  text,      // a number as a text; null if it is unknown
  time,      // milliseconds since 1970 as ISO 8601; null if they are unknown
  from_one,  // a number that is counted from 0 here, and from 1 there
  json,      // JSON text as the value that it is; null if it is empty
  own,       // by functions of its own (Own of shape_json.h)
};

// How a store keeps a text.
enum class Kept : std::uint8_t {
  bytes,  // any bytes
  text,   // UTF-8 without zeros: ids, names, hashes
};

// The place of a column in CSV, from 1; 0: there is none.
struct Csv {
  std::uint8_t place = 0;
};

template <auto Member>
struct Row;

template <class Object, class Value, Value Object::* Member>
struct Row<Member> {
  std::string_view column = {};  // in the store; empty: it is kept elsewhere, or not at all
  std::string_view key = {};     // in the API's JSON, and the head in CSV; empty: in neither
  Wire wire = Wire::value;
  Csv csv = {};
  Kept kept = Kept::bytes;
  bool is_detail = false;  // only in the JSON of one object, not in that of a list

  static constexpr bool kIsMember = true;
  static constexpr Value& of(Object& object) { return object.*Member; }
  static constexpr const Value& of(const Object& object) { return object.*Member; }
};

// What follows from the members: sent and printed, but not kept or read.
template <auto Function>
struct Derived {
  std::string_view key;
  Wire wire = Wire::value;
  Csv csv = {};
  bool is_detail = false;

  static constexpr bool kIsMember = false;
  static constexpr auto of(const auto& object) { return Function(object); }
};

// The table of a struct, so that others can have one inside. Specialised beside the table.
template <class Object>
inline constexpr auto kRows = nullptr;
template <class Object>
concept Shaped = !std::is_same_v<decltype(kRows<Object>), const std::nullptr_t>;

// Reads the name of an enumerator, as to_string() writes it. Specialised beside the table.
template <class Enum>
inline constexpr auto kReadName = nullptr;

// Calls `visit` with each row, in their order.
template <class Rows, class Visit>
constexpr void for_each_row(const Rows& rows, Visit&& visit) {
  std::apply([&](const auto&... row) { (visit(row), ...); }, rows);
}

namespace shape_detail {

struct AnyMember {
  template <class Value>
  operator Value() const;  // NOLINT(google-explicit-constructor): it stands for any of them
};

template <class Object, class... Members>
consteval std::size_t members_from() {
  if constexpr (requires { Object{Members{}..., AnyMember{}}; })
    return members_from<Object, Members..., AnyMember>();
  else
    return sizeof...(Members);
}

}  // namespace shape_detail

// Of an aggregate; a base class counts as one.
template <class Object>
inline constexpr std::size_t kMembers = shape_detail::members_from<Object>();

// How many of the rows are members, rather than derived from them.
template <class... Row>
consteval std::size_t member_rows(const std::tuple<Row...>&) {
  return (std::size_t{Row::kIsMember} + ... + 0);
}

template <class Object>
consteval bool has_row_for_each() {
  return member_rows(kRows<Object>) == kMembers<Object>;
}

}  // namespace vibe::base
