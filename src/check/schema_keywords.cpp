#include "check/schema_keywords.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "base/json_pointer.h"
#include "base/text.h"
#include "check/check.h"
#include "check/json_compare.h"
#include "check/reading.h"
#include "check/schema_node.h"

namespace vibe::check {

using base::JsonValue;

namespace {

constexpr std::string_view kDraft = "https://json-schema.org/draft/2020-12/schema";

constexpr std::array kKeywords{
    Keyword{"$anchor", Takes::name},
    Keyword{"$comment", Takes::text},
    Keyword{"$defs", Takes::schema_map},
    Keyword{"$dynamicAnchor", Takes::name},
    Keyword{"$dynamicRef", Takes::text},
    Keyword{"$id", Takes::uri},
    Keyword{"$ref", Takes::text},
    Keyword{"$schema", Takes::draft},
    Keyword{"additionalProperties", Takes::schema},
    Keyword{"allOf", Takes::schemas},
    Keyword{"anyOf", Takes::schemas},
    Keyword{"const", Takes::anything},
    Keyword{"contains", Takes::schema},
    Keyword{"contentEncoding", Takes::text},
    Keyword{"contentMediaType", Takes::text},
    Keyword{"contentSchema", Takes::schema},
    Keyword{"default", Takes::anything},
    Keyword{"definitions", Takes::schema_map},
    Keyword{"dependentRequired", Takes::texts_map},
    Keyword{"dependentSchemas", Takes::schema_map},
    Keyword{"deprecated", Takes::boolean},
    Keyword{"description", Takes::text},
    Keyword{"else", Takes::schema},
    Keyword{"enum", Takes::list},
    Keyword{"examples", Takes::list},
    Keyword{"exclusiveMaximum", Takes::number},
    Keyword{"exclusiveMinimum", Takes::number},
    Keyword{"format", Takes::text},
    Keyword{"if", Takes::schema},
    Keyword{"items", Takes::schema},
    Keyword{"maxContains", Takes::count},
    Keyword{"maxItems", Takes::count},
    Keyword{"maxLength", Takes::count},
    Keyword{"maxProperties", Takes::count},
    Keyword{"maximum", Takes::number},
    Keyword{"minContains", Takes::count},
    Keyword{"minItems", Takes::count},
    Keyword{"minLength", Takes::count},
    Keyword{"minProperties", Takes::count},
    Keyword{"minimum", Takes::number},
    Keyword{"multipleOf", Takes::over_zero},
    Keyword{"not", Takes::schema},
    Keyword{"oneOf", Takes::schemas},
    Keyword{"pattern", Takes::text},
    Keyword{"patternProperties", Takes::schema_map},
    Keyword{"prefixItems", Takes::schemas},
    Keyword{"properties", Takes::schema_map},
    Keyword{"propertyNames", Takes::schema},
    Keyword{"readOnly", Takes::boolean},
    Keyword{"required", Takes::texts},
    Keyword{"then", Takes::schema},
    Keyword{"title", Takes::text},
    Keyword{"type", Takes::type},
    Keyword{"unevaluatedItems", Takes::schema},
    Keyword{"unevaluatedProperties", Takes::schema},
    Keyword{"uniqueItems", Takes::boolean},
    Keyword{"writeOnly", Takes::boolean},
};

static_assert(sorted_by_name(kKeywords), "keep the keywords sorted by name");

// Keywords of other drafts and of OpenAPI.
struct OtherWord {
  std::string_view name, hint;
};

constexpr OtherWord kOtherWords[] = {
    {"$recursiveAnchor", "write `$dynamicAnchor`"},
    {"$recursiveRef", "write `$dynamicRef`"},
    {"additionalItems", "write `items`, next to `prefixItems`"},
    {"dependencies", "write `dependentRequired` or `dependentSchemas`"},
    {"disallow", "write `not`"},
    {"divisibleBy", "write `multipleOf`"},
    {"example", "write `examples`, a list"},
    {"extends", "write `allOf`"},
    {"id", "write `$id`"},
    {"nullable", "write, for example, `type: [string, \"null\"]`"},
};

bool is_count(const JsonValue& value) {
  const auto number = value.number();
  return number && is_whole(value) && *number >= 0;
}

bool is_schema(const JsonValue& value) { return value.object() || value.boolean(); }

bool is_anchor(const JsonValue& value) {
  const auto* text = value.text();
  if (!text || text->empty()) return false;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return is_letter(text->front()) && std::all_of(text->begin(), text->end(), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
         });
}

bool is_type(const JsonValue& value) {
  const auto* name = value.text();
  return name && std::any_of(std::begin(kJsonTypes), std::end(kJsonTypes),
                             [&](const JsonType& type) { return type.name == *name; });
}

ShapeProblem wrong(const Keyword& keyword, const JsonValue& value, std::string_view expected,
                   std::string hint = {}) {
  return {"", fmt::format("`{}` is {}, expected {}", keyword.name, described(value), expected),
          std::move(hint)};
}

std::optional<ShapeProblem> texts_problem(const Keyword& keyword, const JsonValue& value,
                                          const std::string& pointer) {
  const auto* items = value.array();
  if (!items)
    return ShapeProblem{
        pointer,
        fmt::format("`{}` {} {}, expected a list of strings", keyword.name,
                    pointer.empty() ? "is" : "holds", described(value)),
        keyword.name == "required" && value.boolean()
            ? "list the required properties in the object's own schema: `required: [name]`"
            : ""};
  for (std::size_t i = 0; i < items->size(); ++i)
    if (!(*items)[i].text())
      return ShapeProblem{
          fmt::format("{}/{}", pointer, i),
          fmt::format("`{}` contains {}, expected a string", keyword.name, described((*items)[i])),
          (*items)[i].is_null() || (*items)[i].boolean() || (*items)[i].number()
              ? "write it in quotes"
              : ""};
  if (const auto twice = first_repeated(*items))
    return ShapeProblem{
        fmt::format("{}/{}", pointer, twice->second),
        fmt::format("`{}` has {} twice", keyword.name, quoted(*(*items)[twice->second].text())),
        ""};
  return std::nullopt;
}

std::optional<ShapeProblem> type_problem(const Keyword& keyword, const JsonValue& value) {
  const auto problem = [&](const JsonValue& one, std::string pointer) {
    std::vector<std::string_view> names;
    for (const auto& type : kJsonTypes) names.push_back(type.name);
    std::string hint;
    if (one.is_null()) hint = "write `\"null\"`, in quotes";
    if (one.text()) hint = base::did_you_mean(base::nearest(*one.text(), names));
    if (hint.empty()) hint = fmt::format("the types are {}", fmt::join(names, ", "));
    return ShapeProblem{std::move(pointer),
                        fmt::format("`{}` is {}, expected a type", keyword.name, described(one)),
                        std::move(hint)};
  };
  const auto* items = value.array();
  if (!items) {
    if (is_type(value)) return std::nullopt;
    return problem(value, {});
  }
  if (items->empty()) return ShapeProblem{{}, "`type` is an empty list", "every value would fail"};
  for (std::size_t i = 0; i < items->size(); ++i)
    if (!is_type((*items)[i])) return problem((*items)[i], fmt::format("/{}", i));
  return texts_problem(keyword, value, {});
}

std::optional<ShapeProblem> schemas_problem(const Keyword& keyword, const JsonValue& value) {
  const auto* items = value.array();
  if (!items) return wrong(keyword, value, "a list of schemas");
  if (items->empty())
    return ShapeProblem{{}, fmt::format("`{}` is an empty list", keyword.name), ""};
  return std::nullopt;
}

std::string_view without_fragment_mark(std::string_view uri) {
  if (uri.ends_with('#')) uri.remove_suffix(1);
  return uri;
}

}  // namespace

std::span<const Keyword> keywords() { return kKeywords; }

const Keyword* find_keyword(std::string_view name) {
  const auto row = std::lower_bound(
      kKeywords.begin(), kKeywords.end(), name,
      [](const Keyword& keyword, std::string_view key) { return keyword.name < key; });
  return row != kKeywords.end() && row->name == name ? &*row : nullptr;
}

bool is_about_text(Takes takes) {
  switch (takes) {
    case Takes::draft:
    case Takes::name:
    case Takes::text:
    case Takes::texts:
    case Takes::texts_map:
    case Takes::type:
    case Takes::uri: return true;
    case Takes::anything:
    case Takes::boolean:
    case Takes::count:
    case Takes::list:
    case Takes::number:
    case Takes::over_zero:
    case Takes::schema:
    case Takes::schemas:
    case Takes::schema_map: return false;
  }
  std::abort();
}

std::string keyword_hint(std::string_view name) {
  for (const auto& word : kOtherWords)
    if (word.name == name) return std::string(word.hint);
  std::vector<std::string_view> names;
  for (const auto& keyword : kKeywords) names.push_back(keyword.name);
  std::string hint = base::did_you_mean(base::nearest(name, names));
  return hint.empty() ? "property names belong in `properties`; your own keywords start with `x-`"
                      : hint;
}

std::optional<ShapeProblem> shape_problem(const Keyword& keyword, const JsonValue& value) {
  switch (keyword.takes) {
    case Takes::anything: return std::nullopt;
    case Takes::boolean:
      if (value.boolean()) return std::nullopt;
      return wrong(keyword, value, "`true` or `false`");
    case Takes::count:
      if (is_count(value)) return std::nullopt;
      return wrong(keyword, value, "a whole number, at least 0",
                   value.text() ? "remove the quotes" : "");
    case Takes::draft:
      if (value.text() && without_fragment_mark(*value.text()) == kDraft) return std::nullopt;
      return wrong(keyword, value, fmt::format("`{}`", kDraft),
                   "schemas are read as draft 2020-12; omit `$schema` if that is what you want");
    case Takes::list:
      if (value.array()) return std::nullopt;
      return wrong(keyword, value, "a list");
    case Takes::name:
      if (is_anchor(value)) return std::nullopt;
      return wrong(keyword, value, "a name of letters, digits, `-`, `_` and `.`");
    case Takes::number:
      if (value.number()) return std::nullopt;
      return wrong(keyword, value, "a number",
                   value.text()      ? "remove the quotes"
                   : value.boolean() ? "write the bound itself, without `minimum` or `maximum`"
                                     : "");
    case Takes::over_zero:
      if (value.number() && *value.number() > 0) return std::nullopt;
      return wrong(keyword, value, "a number, more than 0",
                   value.text() ? "remove the quotes" : "");
    case Takes::schema:
      if (is_schema(value)) return std::nullopt;
      return wrong(keyword, value, "a schema",
                   keyword.name == "items" && value.array()
                       ? "write `prefixItems` for a schema per item"
                       : "");
    case Takes::schemas: return schemas_problem(keyword, value);
    case Takes::schema_map:
      if (value.object()) return std::nullopt;
      return wrong(keyword, value, "an object of schemas");
    case Takes::text:
      if (value.text()) return std::nullopt;
      return wrong(keyword, value, "a string",
                   value.array() || value.object() ? "" : "write it in quotes");
    case Takes::texts: return texts_problem(keyword, value, {});
    case Takes::texts_map:
      if (!value.object()) return wrong(keyword, value, "an object of lists of strings");
      for (const auto& [key, names] : *value.object())
        if (auto problem = texts_problem(keyword, names, "/" + base::escape_key(key)))
          return problem;
      return std::nullopt;
    case Takes::type: return type_problem(keyword, value);
    case Takes::uri: {
      const auto* text = value.text();
      const auto hash = text ? text->find('#') : std::string::npos;
      if (text && (hash == std::string::npos || hash + 1 == text->size())) return std::nullopt;
      return wrong(keyword, value, "an address without a fragment",
                   text ? "write `$anchor` for a name within the schema" : "");
    }
  }
  std::abort();
}

std::string described(const JsonValue& value) {
  if (value.array()) return "an array";
  if (value.object()) return "an object";
  if (value.is_null()) return "null";
  if (const auto* text = value.text()) return fmt::format("the string {}", quoted(*text));
  return fmt::format("`{}`", base::to_text(value));
}

void SchemaProblems::add(SchemaProblem problem) {
  if (all.size() < Schema::kMostProblems) all.push_back(std::move(problem));
}

}  // namespace vibe::check
