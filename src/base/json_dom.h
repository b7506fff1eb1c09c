// JsonView and JsonDom: the fast way to read JSON, for files with millions of values. A JsonDom
// parses each document into the same memory, and JsonViews read it there. A view is valid until the
// next parse; a JsonValue (json_value.h) is a tree that can be kept. A missing value, or one of
// another type, is absent. Belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace vibe::base {

enum class JsonType : std::uint8_t { null, boolean, number, text, array, object };

// Why a text is not JSON.
enum class JsonError : std::uint8_t {
  empty,
  not_utf8,
  too_deep,
  open_string,
  bad_escape,
  control_character,  // raw, in a string
  misplaced,          // a comma, colon, quote or bracket; a malformed number or literal
};

class JsonView {
 public:
  JsonView() = default;  // absent

  bool there() const { return there_; }
  JsonType type() const;  // of a value that is there
  bool is_null() const;
  bool is_object() const;
  bool is_array() const;
  std::optional<std::string_view> text() const;
  std::optional<bool> boolean() const;
  std::optional<double> number() const;
  std::optional<std::int64_t> integer() const;  // also for a double without a fraction

  JsonView operator[](std::string_view key) const;  // the last one if a key repeats
  JsonView at(std::size_t index) const;
  std::size_t size() const;  // of an array or object

  // Calls `use(JsonView)` for each element of an array, `use(std::string_view, JsonView)` for each
  // member of an object.
  template <class Use>
  void each(Use use) const {
    Cursor cursor = elements();
    for (JsonView item; next(cursor, item, nullptr);) use(item);
  }
  template <class Use>
  void members(Use use) const {
    Cursor cursor = fields();
    std::string_view key;
    for (JsonView item; next(cursor, item, &key);) use(key, item);
  }

  std::string_view text_of(std::string_view key) const { return (*this)[key].text().value_or(""); }
  bool is_true(std::string_view key) const { return (*this)[key].boolean().value_or(false); }
  std::int64_t count_of(std::string_view key) const;  // 0 to 10^15; 0 if absent

  std::uint64_t hash() const;                // equal for equal values, members in the same order
  std::string dump(std::size_t most) const;  // compact JSON, cut off after `most` bytes

 private:
  friend class JsonDom;
  struct Cursor {
    std::array<std::uint64_t, 4> where{};  // two simdjson iterators: here, and the end
    bool object = false;
  };
  Cursor elements() const;
  Cursor fields() const;
  static bool next(Cursor& cursor, JsonView& item, std::string_view* key);

  std::array<std::uint64_t, 2> where_{};  // a simdjson element
  bool there_ = false;
};

class JsonDom {
 public:
  static constexpr std::size_t kPadding = 64;
  static constexpr std::size_t kMostDepth = 4096;  // of nesting; hash() and dump() recurse

  explicit JsonDom(std::size_t most_depth = kMostDepth);
  JsonDom(JsonDom&&) noexcept;
  JsonDom& operator=(JsonDom&&) noexcept;
  ~JsonDom();

  // One value and nothing after it. `padded`: kPadding bytes after the text are readable.
  tl::expected<JsonView, JsonError> parse(std::string_view text, bool padded = false);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace vibe::base
