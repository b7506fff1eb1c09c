// Fields: reads a YAML mapping by a table of its keys. The rows of a section say which keys exist,
// what each takes and its range. Unknown, misspelt and missing keys, wrong types and numbers out of
// range are all reported from the rows; the documentation tables are generated from them as well.
// Knows no section by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.h"
#include "base/yaml_reading.h"

namespace vibe::base {

enum class Type : std::uint8_t {
  text,           // any scalar except null, as written; not empty
  text_or_empty,  // the same, but may be `""`
  number,
  integer,
  boolean,
  list,
  map,
  any,  // its reader checks it; the row's `takes` describes it
};

struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above = false;  // `least` itself is excluded
  bool below = false;  // `most` itself is excluded

  constexpr bool holds(double value) const {
    return (above ? value > least : value >= least) && (below ? value < most : value <= most);
  }
};

std::string to_text(const Range& range);  // "from 1 to 1024", "more than 0"; empty for no limits

struct Section;

struct Field {
  std::string_view name;
  Type type;
  bool required = false;
  Range range = {};                // for a number
  std::string_view fallback = {};  // the value if the key is missing; empty: none
  std::string_view takes = {};     // in words; empty: type and range say it
  std::string_view doc = {};
  std::string_view example = {};     // `key: value`, on one line
  const Section* section = nullptr;  // the keys of a map, if its reader reads them by rows
};

std::string_view noun(Type type);                              // "a whole number"
std::string takes(const Field& field);                         // "a whole number from 1 to 1024"
std::string takes(const Field& field, std::string_view type);  // with other words for its type

struct Section {
  std::string_view name;   // as the documentation calls it: `metadata`
  std::string_view owner;  // the owner of the keys in messages: "`metadata`", "the eval"
  std::span<const Field> fields;
};

// The row of a key. A key that the section does not have is a compile error.
consteval const Field& field(const Section& section, std::string_view name) {
  std::size_t i = 0;
  while (section.fields[i].name != name) ++i;
  return section.fields[i];
}

inline constexpr std::size_t kMaxFields = 16;  // per section

// The keys of a section that an unknown one is a misspelling of: the nearest, within two edits.
std::vector<std::string_view> near_keys(const Section& section, std::string_view key);

// The values of a mapping that fit their rows.
class Fields {
 public:
  Fields(const Section& section, const YamlNode& map, Span place, YamlReading& reading);

  const YamlNode* find(std::string_view key) const;  // null: missing or invalid
  bool has(std::string_view key) const;              // even if misspelt or invalid
  Span key_span(std::string_view key) const;         // for a key that find() knows
  std::optional<std::string> text(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;

 private:
  std::size_t slot(std::string_view key) const;
  void report_unknown(const YamlNode& key);

  const Section& section_;
  YamlReading& reading_;
  std::array<const YamlEntry*, kMaxFields> entries_{};
  std::array<bool, kMaxFields> present_{};
};

// Whether the value fits the row; reports it if not.
bool fits(const Field& field, const YamlNode& value, YamlReading& reading);

// "`threads` is `many`, expected a whole number": for values that need more than a row.
void report_type(std::string_view what, const YamlNode& value, std::string_view expected,
                 YamlReading& reading, std::string hint = {});

bool own_key(std::string_view key);   // `x-…`: the user's own, ignored
Span first_key(const YamlNode& map);  // where to point if a mapping lacks a key

}  // namespace vibe::base
