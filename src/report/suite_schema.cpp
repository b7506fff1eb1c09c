#include "report/suite_schema.h"

#include <cmath>

#include <fmt/format.h>

#include "base/json.h"
#include "check/check.h"
#include "check/checks.h"
#include "suite/schema.h"

namespace vibe::report {

using base::JsonWriter;
using check::CheckType;
using check::Field;
using check::Section;
using check::Type;

namespace {

class SchemaWriter {
 public:
  std::string write() {
    json_.begin_object();
    text("$schema", "https://json-schema.org/draft/2020-12/schema");
    text("title", "vibecheck suite");
    section_body(suite::kSuiteSection);
    json_.key("$defs").begin_object();
    for (const auto* part :
         {&suite::kMetadataSection, &suite::kMcpServerSection, &suite::kDefaultsSection,
          &suite::kEvalSection, &suite::kScoreSection, &check::kFollowUpSection}) {
      json_.key(part->name).begin_object();
      section_body(*part);
      json_.end_object();
    }
    json_.key("check");
    check_schema();
    json_.key("checks");
    checks_schema();
    json_.end_object().end_object();
    return json_.text() + "\n";
  }

 private:
  void text(std::string_view key, std::string_view value) { json_.key(key).string(value); }
  void reference(std::string_view name) { text("$ref", fmt::format("#/$defs/{}", name)); }
  void type(std::initializer_list<std::string_view> names) {
    json_.key("type");
    if (names.size() == 1) {
      json_.string(*names.begin());
      return;
    }
    json_.begin_array();
    for (const auto name : names) json_.string(name);
    json_.end_array();
  }
  void scalar() { type({"string", "number", "boolean"}); }

  void section_body(const Section& section) {
    type({"object"});
    json_.key("properties").begin_object();
    for (const auto& field : section.fields) {
      json_.key(field.name).begin_object();
      if (!field.doc.empty()) text("description", field.doc);
      value(section, field);
      json_.end_object();
    }
    json_.end_object();
    json_.key("required").begin_array();
    for (const auto& field : section.fields)
      if (field.required) json_.string(field.name);
    json_.end_array();
    json_.key("patternProperties").begin_object().key("^x-").boolean(true).end_object();
    json_.key("additionalProperties").boolean(false);
  }

  void range(const check::Range& range) {
    if (std::isfinite(range.least))
      json_.key(range.above ? "exclusiveMinimum" : "minimum").number(range.least);
    if (std::isfinite(range.most))
      json_.key(range.below ? "exclusiveMaximum" : "maximum").number(range.most);
  }

  void value(const Section& section, const Field& field) {
    switch (field.type) {
      case Type::text:
      case Type::text_or_empty: return scalar();
      case Type::number: type({"number"}); return range(field.range);
      case Type::integer: type({"integer"}); return range(field.range);
      case Type::boolean: return type({"boolean"});
      case Type::list:
        type({"array"});
        if (&section == &suite::kSuiteSection) {
          json_.key("minItems").integer(1).key("items").begin_object();
          reference(suite::kEvalSection.name);
          json_.end_object();
        }
        return;
      case Type::map: return map_value(field);
      case Type::any: return any_value(field);
    }
  }

  void map_value(const Field& field) {
    for (const Section* part : suite::kSections)
      if (part->name == field.name) return reference(part->name);
    type({"object"});
    if (field.name == "metrics") {
      json_.key("additionalProperties").begin_object();
      scalar();
      json_.end_object();
    }
  }

  // Fields whose rows describe the type only in words.
  void any_value(const Field& field) {
    if (field.name == "checks") return reference("checks");
    if (field.name == "tags") return one_or_many();
    if (field.name == "cases") return type({"string", "array"});
    if (field.name == "name") text("pattern", "^[a-zA-Z0-9_-]+$");
    scalar();
  }

  void one_or_many() {
    json_.key("anyOf").begin_array().begin_object();
    scalar();
    json_.end_object().begin_object();
    type({"array"});
    json_.key("minItems").integer(1).key("items").begin_object();
    scalar();
    json_.end_object().end_object().end_array();
  }

  void check_value(const check::CheckKind& kind) {
    switch (kind.type) {
      case CheckType::equals:
      case CheckType::regex: return scalar();
      case CheckType::glob:
      case CheckType::match:
      case CheckType::not_match: return one_or_many();
      case CheckType::min_tokens:
      case CheckType::max_tokens: type({"integer"}); return range({.least = 0});
      case CheckType::max_cost: type({"number"}); return range({.least = 0});
      case CheckType::max_latency: type({"number"}); return range({.least = 0, .above = true});
      case CheckType::or_:
        type({"array"});
        json_.key("minItems").integer(1).key("items").begin_object();
        reference("check");
        json_.end_object();
        return;
      case CheckType::exec: return section_body(check::kExecSection);
      case CheckType::llm_judge: return section_body(check::kLlmJudgeSection);
      case CheckType::semantic: return section_body(check::kSemanticSection);
      case CheckType::tool_called: return section_body(check::kToolCalledSection);
      case CheckType::json:
        json_.key("anyOf").begin_array();
        json_.begin_object().key("const").boolean(true).end_object();
        json_.begin_object();
        section_body(check::kJsonSection);
        json_.end_object().end_array();
        return;
    }
  }

  void check_schema() {
    json_.begin_object();
    type({"object"});
    json_.key("minProperties").integer(1);
    json_.key("properties").begin_object();
    for (const auto& kind : check::kCheckKinds) {
      json_.key(kind.name).begin_object();
      text("description", kind.summary);
      check_value(kind);
      json_.end_object();
    }
    json_.end_object();
    json_.key("patternProperties").begin_object().key("^x-").boolean(true).end_object();
    json_.key("additionalProperties").boolean(false).end_object();
  }

  // A mapping of checks, or a list of checks that may include a follow-up.
  void checks_schema() {
    json_.begin_object().key("anyOf").begin_array().begin_object();
    reference("check");
    json_.end_object().begin_object();
    type({"array"});
    json_.key("minItems").integer(1).key("items").begin_object().key("anyOf").begin_array();
    for (const std::string_view name : {std::string_view("check"), check::kFollowUpSection.name}) {
      json_.begin_object();
      reference(name);
      json_.end_object();
    }
    json_.end_array().end_object().end_object().end_array().end_object();
  }

  JsonWriter json_{JsonWriter::Layout::indented};
};

}  // namespace

std::string suite_schema() { return SchemaWriter().write(); }

}  // namespace vibe::report
