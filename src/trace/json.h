// Json: one JSON value, parsed, as the readers of logs look at it: what is not there, or of
// another type, is absent. A view into a JsonParser, valid until its next parse.
//
// Logs hold what JSON does not allow: halves of surrogate pairs, `NaN`, bytes that are not UTF-8,
// control characters. The parser mends these; text that is broken otherwise is no value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace vibe::trace {

class Json {
 public:
  Json() = default;  // absent

  bool there() const { return there_; }
  bool is_null() const;
  bool is_object() const;
  bool is_array() const;
  std::optional<std::string_view> text() const;
  std::optional<bool> boolean() const;
  std::optional<double> number() const;
  std::optional<std::int64_t> integer() const;  // also of a double that is whole

  Json operator[](std::string_view key) const;  // of equal keys the last
  Json at(std::size_t index) const;
  std::size_t size() const;  // of an array or object

  // Calls `use(Json)` for each element of an array, `use(std::string_view, Json)` for each member
  // of an object.
  template <class Use>
  void each(Use use) const {
    Cursor cursor = elements();
    for (Json item; next(cursor, item, nullptr);) use(item);
  }
  template <class Use>
  void members(Use use) const {
    Cursor cursor = fields();
    std::string_view key;
    for (Json item; next(cursor, item, &key);) use(key, item);
  }

  std::string_view text_of(std::string_view key) const { return (*this)[key].text().value_or(""); }
  bool is_true(std::string_view key) const { return (*this)[key].boolean().value_or(false); }
  std::int64_t count_of(std::string_view key) const;  // 0 to 10^15; 0 where it is not there

  std::uint64_t hash() const;                // equal for equal values, members in the same order
  std::string dump(std::size_t most) const;  // compact JSON, cut off after so many bytes

 private:
  friend class JsonParser;
  struct Cursor {
    std::array<std::uint64_t, 4> where{};  // two simdjson iterators: here, and the end
    bool object = false;
  };
  Cursor elements() const;
  Cursor fields() const;
  static bool next(Cursor& cursor, Json& item, std::string_view* key);

  std::array<std::uint64_t, 2> where_{};  // a simdjson element
  bool there_ = false;
};

class JsonParser {
 public:
  static constexpr std::size_t kPadding = 64;
  static constexpr std::size_t kMostDepth = 4096;  // values in values; hash() and dump() recurse

  JsonParser();
  JsonParser(JsonParser&&) noexcept;
  JsonParser& operator=(JsonParser&&) noexcept;
  ~JsonParser();

  // Absent where the text is not one JSON value. `padded`: kPadding bytes can be read behind it.
  Json parse(std::string_view text, bool padded = false);
  bool was_utf8() const { return was_utf8_; }  // else the last text was mended in that, too

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
  bool was_utf8_ = true;
};

// The text with what can be mended in it mended; what is broken stays as it is.
std::string mend_json(std::string_view text);

}  // namespace vibe::trace
