// The keywords of JSON Schema (draft 2020-12), one row each, and what each takes. Pure; safe from
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_value.h"
#include "check/schema.h"

namespace vibe::check {

enum class Takes : std::uint8_t {
  anything,
  boolean,
  count,  // a whole number, at least 0
  draft,  // the address of the draft
  list,
  name,  // of an anchor
  number,
  over_zero,
  schema,
  schemas,
  schema_map,
  text,
  texts,      // a list of unique strings
  texts_map,  // a map of such lists
  type,
  uri,  // without a fragment
};

struct Keyword {
  std::string_view name;
  Takes takes;
};

std::span<const Keyword> keywords();  // sorted by name
const Keyword* find_keyword(std::string_view name);

bool is_about_text(Takes takes);  // whether another string could fix a problem

// What to write instead of an unknown keyword.
std::string keyword_hint(std::string_view name);

struct ShapeProblem {
  std::string pointer;  // relative to the keyword's value
  std::string message, hint;
};
std::optional<ShapeProblem> shape_problem(const Keyword& keyword, const base::JsonValue& value);

std::string described(const base::JsonValue& value);  // `the number 5`, `an array`: for messages

// The problems found so far, at most Schema::kMostProblems.
struct SchemaProblems {
  std::vector<SchemaProblem> all;
  void add(SchemaProblem problem);
};

}  // namespace vibe::check
