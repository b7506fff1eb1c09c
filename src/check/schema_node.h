// CompiledSchema: the output of schema_compile.cpp, which schema_validate.cpp applies. Subschemas
// refer to each other by index, so cycles are possible. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json_value.h"
#include "check/format.h"
#include "check/json_compare.h"
#include "check/pattern.h"
#include "check/schema.h"

namespace vibe::check {

using NodeIndex = std::uint32_t;

struct JsonType {
  std::string_view name;
  std::string_view noun;  // for messages
  std::uint8_t bit;
};

inline constexpr std::uint8_t kNumberBit = 32, kIntegerBit = 64, kAnyType = 127;
inline constexpr JsonType kJsonTypes[] = {
    {"null", "null", 1},
    {"boolean", "a boolean", 2},
    {"string", "a string", 4},
    {"array", "an array", 8},
    {"object", "an object", 16},
    {"number", "a number", kNumberBit},
    {"integer", "an integer", kIntegerBit},
};

// The bits of all types of a value: an integer has two.
std::uint8_t types_of(const base::JsonValue& value);

struct NumberRules {
  std::optional<base::JsonValue> minimum, above, maximum, below, multiple_of;
};

struct TextRules {
  std::optional<std::uint64_t> least, most;  // code points
  std::optional<Regex> pattern;
  std::string pattern_text;
  const Format* format = nullptr;
};

struct ArrayRules {
  std::vector<NodeIndex> prefix;
  std::optional<NodeIndex> items, contains, unevaluated;
  std::optional<std::uint64_t> least, most, least_contained, most_contained;
  bool unique = false;
};

struct PatternRule {
  Regex pattern;
  NodeIndex schema;
};

struct ObjectRules {
  std::unordered_map<std::string_view, NodeIndex> properties;  // views into `keys`
  std::vector<std::unique_ptr<const std::string>> keys;
  std::vector<PatternRule> patterns;
  std::optional<NodeIndex> additional, unevaluated, names;
  std::vector<std::string> required;
  std::vector<std::pair<std::string, std::vector<std::string>>> dependent_required;
  std::vector<std::pair<std::string, NodeIndex>> dependent_schemas;
  std::optional<std::uint64_t> least, most;
};

struct DynamicReference {
  std::string name;
  NodeIndex otherwise;  // if nothing in the dynamic scope has the name
};

struct SchemaNode {
  std::string place;  // JSON pointer into the schema
  std::uint32_t resource = 0;
  bool never = false;          // the schema `false`
  bool is_metaschema = false;  // the value must itself be a schema
  std::uint8_t types = kAnyType;
  std::unique_ptr<const JsonSet> values;  // `enum`
  std::unique_ptr<const base::JsonValue> constant;
  std::unique_ptr<NumberRules> numbers;
  std::unique_ptr<TextRules> texts;
  std::unique_ptr<ArrayRules> arrays;
  std::unique_ptr<ObjectRules> objects;
  std::vector<NodeIndex> all;  // `allOf` and `$ref`
  std::vector<NodeIndex> any, one;
  std::optional<NodeIndex> none, condition, consequence, alternative;
  std::unique_ptr<DynamicReference> dynamic;
};

// A part of the document with its own `$id`, or the whole document.
struct SchemaResource {
  std::map<std::string, NodeIndex, std::less<>> dynamic_anchors;
};

struct CompiledSchema {
  std::vector<SchemaNode> nodes;  // the first is the whole schema
  std::vector<SchemaResource> resources;
};

// What is wrong with a schema on its own: no reference is followed, no expression is compiled, and
// unknown keywords are allowed.
std::optional<SchemaProblem> structural_problem(const base::JsonValue& schema);

}  // namespace vibe::check
