// Fields: reading a YAML mapping by a table of its keys. A section's rows say which keys
// there are, what each takes and its range; unknown, misspelt and missing keys, wrong
// types and numbers outside their range are all reported from the rows, and the tables of
// the documentation are made from them too. Knows no section by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/yaml.h"
#include "base/yaml_reading.h"

namespace vibe::base {

enum class Type : std::uint8_t {
  text,           // any scalar but null, as it is written; not empty
  text_or_empty,  // the same, but `""` will do
  number,
  integer,
  list,
  map,
  any,  // its reader looks closer; the row's `takes` says at what
};

struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above = false;  // `least` itself is outside
  bool below = false;  // `most` itself is outside

  constexpr bool holds(double value) const {
    return (above ? value > least : value >= least) && (below ? value < most : value <= most);
  }
};

std::string to_text(const Range& range);  // "from 1 to 1024", "more than 0"; empty for no limits

struct Field {
  std::string_view name;
  Type type;
  bool required = false;
  Range range = {};                // of a number
  std::string_view fallback = {};  // what holds where the key is not there; empty: nothing
  std::string_view takes = {};     // in words; empty: the type and the range say it
  std::string_view doc = {};
  std::string_view example = {};  // `key: value`, in one line
};

std::string takes(const Field& field);  // "a whole number from 1 to 1024"

struct Section {
  std::string_view name;   // `metadata`, as the documentation calls it
  std::string_view owner;  // who has the keys, in messages: "`metadata`", "the eval"
  std::span<const Field> fields;
};

// The row of a key. One that the section does not have does not compile.
consteval const Field& field(const Section& section, std::string_view name) {
  std::size_t i = 0;
  while (section.fields[i].name != name) ++i;
  return section.fields[i];
}

inline constexpr std::size_t kMaxFields = 16;  // of one section

// The values of a mapping that are what their rows ask for.
class Fields {
 public:
  Fields(const Section& section, const YamlNode& map, Span place, YamlReading& reading);

  const YamlNode* find(std::string_view key) const;  // null: not there, or of no use
  bool has(std::string_view key) const;              // even if misspelt, or of no use
  Span key_span(std::string_view key) const;         // of a key that find() knows
  std::optional<std::string> text(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;

 private:
  std::size_t slot(std::string_view key) const;
  void report_unknown(const YamlNode& key);

  const Section& section_;
  YamlReading& reading_;
  std::array<const YamlEntry*, kMaxFields> entries_{};
  std::array<bool, kMaxFields> present_{};
};

// Whether the value is what the row asks for; if not, says so.
bool fits(const Field& field, const YamlNode& value, YamlReading& reading);

// "`threads` is `many`, expected a whole number": for values that rows alone cannot judge.
void report_type(std::string_view what, const YamlNode& value, std::string_view expected,
                 YamlReading& reading, std::string hint = {});

bool own_key(std::string_view key);   // `x-…`: the user's, never looked at
Span first_key(const YamlNode& map);  // where to point for what a mapping lacks

}  // namespace vibe::base
