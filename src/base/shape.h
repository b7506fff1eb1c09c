// Shape: the members of a plain struct, listed once in a table with a row for each: its column in
// the store and its key in the API's JSON. Code that stores, sends or prints the struct loops over
// the rows, so a new member is one row. A static_assert next to the table (has_row_for_each) fails
// for a member without a row. A member of a member has its own row if it is stored or sent like the
// others: Row<&Execution::tokens, &Tokens::input>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace vibe::base {

// How a value is written in the API's JSON.
enum class Wire : std::uint8_t {
  value,     // as it is
  known,     // null if it is unknown or an empty text; an unknown name is not an error
  given,     // omitted if it is unknown, an empty text or list, or false
  text,      // a number as text; null if it is unknown
  flag,      // false if it is unknown
  time,      // milliseconds since 1970 as ISO 8601; null if unknown
  micros,    // microseconds, likewise
  from_one,  // counted from 0 here, and from 1 in JSON
  json,      // JSON text, inserted as a value; null if it is empty
  own,       // by its own functions (Own in shape_json.h)
};

// How a store keeps text.
enum class Kept : std::uint8_t {
  bytes,  // any bytes
  text,   // UTF-8 without zeros: ids, names, hashes
};

// The position of the column in CSV, from 1; 0: not in CSV.
struct Csv {
  std::uint8_t place = 0;
  std::string_view name = {};  // in the head; empty: the key
};

namespace shape_detail {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <auto Member>
struct Pointed;
template <class Owner, class Member, Member Owner::* Pointer>
struct Pointed<Pointer> {
  using Object = Owner;
  using Value = Member;
};

// The member at the end of a path. Null: an optional one on the way is empty; `Makes` fills it.
template <bool Makes, auto First, auto... Rest>
constexpr auto* reach(auto& object) {
  auto& member = object.*First;
  if constexpr (sizeof...(Rest) == 0) {
    return std::addressof(member);
  } else if constexpr (kIsOptional<std::remove_cvref_t<decltype(member)>>) {
    if constexpr (Makes)
      if (!member) member.emplace();
    return member ? reach<Makes, Rest...>(*member) : nullptr;
  } else {
    return reach<Makes, Rest...>(member);
  }
}

template <auto First, auto... Rest>
consteval bool leads_through_optional() {
  if constexpr (sizeof...(Rest) == 0)
    return false;
  else
    return kIsOptional<typename Pointed<First>::Value> || leads_through_optional<Rest...>();
}

}  // namespace shape_detail

namespace shape_detail {

template <std::size_t Place, class Row>
struct PlacedRow {
  Row row;
};

template <class Places, class... Row>
struct PlacedRows;
template <std::size_t... Place, class... Row>
struct PlacedRows<std::index_sequence<Place...>, Row...> : PlacedRow<Place, Row>... {
  // Calls `visit` with all of them.
  template <class Visit>
  constexpr decltype(auto) with_all(Visit&& visit) const {
    return visit(PlacedRow<Place, Row>::row...);
  }
};

template <std::size_t Place, class Row>
constexpr const Row& row_at(const PlacedRow<Place, Row>& placed) {
  return placed.row;
}

}  // namespace shape_detail

// Rows of different types, in order. A std::tuple of forty takes a second to compile in each file.
template <class... Row>
struct Rows : shape_detail::PlacedRows<std::index_sequence_for<Row...>, Row...> {
  static constexpr std::size_t kCount = sizeof...(Row);

  explicit constexpr Rows(const Row&... row)
      : shape_detail::PlacedRows<std::index_sequence_for<Row...>, Row...>{{row}...} {}

  template <std::size_t Place>
  constexpr const auto& at() const {
    return shape_detail::row_at<Place>(*this);
  }
};

// The rows of the first table, then those of the others.
template <class... Row>
constexpr Rows<Row...> join(const Rows<Row...>& rows) {
  return rows;
}
template <class... Row, class... Next, class... Table>
constexpr auto join(const Rows<Row...>& rows, const Rows<Next...>& next, const Table&... others) {
  const auto both = rows.with_all([&](const auto&... row) {
    return next.with_all(
        [&](const auto&... more) { return Rows<Row..., Next...>(row..., more...); });
  });
  return join(both, others...);
}

// A member, or by a path of several what is inside one.
template <auto First, auto... Rest>
struct Row {
  using Object = typename shape_detail::Pointed<First>::Object;
  using Value = std::remove_pointer_t<decltype(shape_detail::reach<false, First, Rest...>(
      std::declval<Object&>()))>;

  std::string_view column = {};  // in the store; empty: stored elsewhere, or not at all
  std::string_view key = {};     // in the API's JSON, and the CSV head; empty: in neither
  Wire wire = Wire::value;
  Csv csv = {};
  Kept kept = Kept::bytes;
  bool is_detail = false;  // only in the JSON of a single object, not in lists
  bool decides = false;    // the optional struct around it is present if this is

  static constexpr bool kIsMember = true;
  static constexpr bool kIsInOptional = shape_detail::leads_through_optional<First, Rest...>();

  static constexpr Value& of(Object& object)
    requires(!kIsInOptional)
  {
    return *shape_detail::reach<false, First, Rest...>(object);
  }
  static constexpr const Value& of(const Object& object)
    requires(!kIsInOptional)
  {
    return *shape_detail::reach<false, First, Rest...>(object);
  }
  static constexpr std::optional<Value> of(const Object& object)
    requires kIsInOptional
  {
    const Value* member = shape_detail::reach<false, First, Rest...>(object);
    return member ? std::optional(*member) : std::nullopt;
  }

  // Lets `read` fill it in, which gets the member, or an optional of it if it is inside of one.
  template <class Read>
  constexpr bool fill(Object& object, Read&& read) const {
    if constexpr (kIsInOptional) {
      std::optional<Value> value;
      const bool is_whole = read(value);
      Value* member = value && decides ? shape_detail::reach<true, First, Rest...>(object)
                                       : shape_detail::reach<false, First, Rest...>(object);
      if (member && value) *member = *std::move(value);
      return is_whole;
    } else {
      return read(of(object));
    }
  }
};

// A value derived from the members, or from the member at the path: sent and printed, but not
// stored or read.
template <auto Function, auto... Path>
struct Derived {
  std::string_view key;
  Wire wire = Wire::value;
  Csv csv = {};
  bool is_detail = false;

  static constexpr bool kIsMember = false;
  static constexpr auto of(const auto& object) {
    if constexpr (sizeof...(Path) == 0)
      return Function(object);
    else
      return Function(*shape_detail::reach<false, Path...>(object));
  }
};

// The rows of a struct, as rows of a struct that has it as a member.
template <auto Member, auto... Path>
constexpr auto within(const Row<Path...>& row) {
  return Row<Member, Path...>{row.column, row.key,       row.wire,   row.csv,
                              row.kept,   row.is_detail, row.decides};
}
template <auto Member, auto Function, auto... Path>
constexpr auto within(const Derived<Function, Path...>& row) {
  return Derived<Function, Member, Path...>{row.key, row.wire, row.csv, row.is_detail};
}
template <auto Member, class... Row>
constexpr auto within(const Rows<Row...>& rows) {
  return rows.with_all([](const auto&... row) { return Rows{within<Member>(row)...}; });
}

// The table of a struct, for structs inside others. Specialise it next to the table.
template <class Object>
inline constexpr auto kRows = nullptr;
template <class Object>
concept Shaped = !std::is_same_v<decltype(kRows<Object>), const std::nullptr_t>;

// Parses the name of an enumerator that to_string() writes. Specialise it next to the table.
template <class Enum>
inline constexpr auto kReadName = nullptr;

// Calls `visit` with each row, in order.
template <class... Row, class Visit>
constexpr void for_each_row(const Rows<Row...>& rows, Visit&& visit) {
  rows.with_all([&](const auto&... row) { (visit(row), ...); });
}

namespace shape_detail {

struct AnyMember {
  template <class Value>
  operator Value() const;  // converts to any type
};

template <class Object, std::size_t... Place>
consteval bool takes(std::index_sequence<Place...>) {
  return requires { Object{(static_cast<void>(Place), AnyMember{})...}; };
}

// At least `Few`, and less than `Many`.
template <class Object, std::size_t Few, std::size_t Many>
consteval std::size_t members_between() {
  if constexpr (Many - Few == 1) {
    return Few;
  } else {
    constexpr std::size_t kMiddle = (Few + Many) / 2;
    if constexpr (takes<Object>(std::make_index_sequence<kMiddle>()))
      return members_between<Object, kMiddle, Many>();
    else
      return members_between<Object, Few, kMiddle>();
  }
}

inline constexpr std::size_t kMostMembers = 127;

}  // namespace shape_detail

// The number of members of an aggregate; a base class counts as one.
template <class Object>
inline constexpr std::size_t kMembers =
    shape_detail::members_between<Object, 0, shape_detail::kMostMembers + 1>();

// How many rows are members, and not derived.
template <class... Row>
consteval std::size_t member_rows(const Rows<Row...>&) {
  return (std::size_t{Row::kIsMember} + ... + 0);
}

namespace shape_detail {

// The address of each is that of a path.
template <auto... Path>
inline constexpr char kPlace = 0;

// A member that rows lead to or through, and how many there are beside it, with it.
struct Step {
  const char *from = nullptr, *to = nullptr;
  std::size_t members = 0;
};

template <auto... Before>
struct StepsAfter {
  template <auto First, auto... Rest>
  static constexpr void add(std::vector<Step>& out) {
    const Step step{&kPlace<Before...>, &kPlace<Before..., First>,
                    kMembers<typename Pointed<First>::Object>};
    bool is_new = true;
    for (const Step& other : out) is_new = is_new && other.to != step.to;
    if (is_new) out.push_back(step);
    if constexpr (sizeof...(Rest) > 0) StepsAfter<Before..., First>::template add<Rest...>(out);
  }
};

template <auto... Path>
constexpr void add_steps(const Row<Path...>&, std::vector<Step>& out) {
  StepsAfter<>::add<Path...>(out);
}
template <auto Function, auto... Path>
constexpr void add_steps(const Derived<Function, Path...>&, std::vector<Step>&) {}

}  // namespace shape_detail

// Also within each member that has rows for what is inside it.
template <class Object>
consteval bool has_row_for_each() {
  std::vector<shape_detail::Step> steps;
  for_each_row(kRows<Object>, [&](const auto& row) { shape_detail::add_steps(row, steps); });
  for (const auto& step : steps) {
    std::size_t beside = 0;
    for (const auto& other : steps) beside += other.from == step.from ? 1 : 0;
    if (beside != step.members) return false;
  }
  return !steps.empty();
}

}  // namespace vibe::base
