// `json`: the response, or its only fenced block, parses as JSON, and fits a JSON Schema if one is
// given.
#include <charconv>

#include <fmt/format.h>

#include "base/json_pointer.h"
#include "base/json_reader.h"
#include "check/check.h"
#include "check/judging.h"
#include "check/schema.h"
#include "check/yaml_json.h"

namespace vibe::check {

using base::Code;
using base::YamlNode;

namespace {

constexpr std::size_t kMostSchemaBytes = 4u << 20;  // of a schema, as JSON

// The YAML node that a JSON pointer refers to, in the YAML that the JSON was made from.
struct Found {
  const YamlNode* key = nullptr;
  const YamlNode* value = nullptr;
};

Found find(const YamlNode& root, std::string_view pointer) {
  Found out{nullptr, &root};
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    const YamlNode& from = *out.value;
    std::size_t index = 0;
    if (from.kind == YamlNode::Kind::list) {
      std::from_chars(token.data(), token.data() + token.size(), index);
      if (index >= from.items.size()) return out;
      out = {nullptr, from.items[index]};
      continue;
    }
    while (index < from.entries.size() && base::escape_key(from.entries[index].key->text) != token)
      ++index;
    if (index == from.entries.size()) return out;
    out = {from.entries[index].key, from.entries[index].value};
  }
  return out;
}

// Whether the schema is usable. What depends on templates is checked later, by the run.
bool examine(const YamlNode& schema, const YamlAsJson& written, Reading& reading) {
  if (written.text().size() > kMostSchemaBytes) {
    reading.add(Code::schema_limit, first_key(schema),
                fmt::format("the schema takes more than {} MiB", kMostSchemaBytes >> 20));
    return false;
  }
  const auto document = base::read_json_document(written.text());
  if (!document) return false;
  const auto compiled = Schema::compile(document->root, {.regexes = &reading.regexes});
  if (compiled) return true;
  bool good = true;
  for (const auto& problem : compiled.error()) {
    const Found found = find(schema, problem.pointer);
    const YamlNode& place = problem.at_key && found.key ? *found.key : *found.value;
    if (problem.of_text && written.has_template(place)) continue;
    good = false;
    const bool whole_table = place.kind == YamlNode::Kind::map;
    reading.add(problem.code, whole_table ? first_key(place) : place.span, problem.message,
                problem.hint);
  }
  return good;
}

}  // namespace

std::optional<Arguments> read_json(const CheckKind& kind, const YamlNode& value, Reading& reading) {
  if (value.as_bool() == true) return Json{};
  if (value.kind != YamlNode::Kind::map) {
    report_type(quoted(kind.name), value, "`true` or a table", reading,
                fmt::format("write `json: true`, or `{}`", kind.example));
    return std::nullopt;
  }
  const Fields fields(kJsonSection, value, first_key(value), reading);
  const YamlNode* schema = fields.find("schema");
  if (!schema) return Json{};
  YamlAsJson written(reading);
  if (!written.write(*schema)) return std::nullopt;
  if (!reading.good_schemas.contains(written.text())) {
    if (!examine(*schema, written, reading)) return std::nullopt;
    reading.good_schemas.insert(written.text());
  }
  return Json{written.text()};
}

Finding judge_json(const Check& check, Judging& judging) {
  const std::string& text = std::get<Json>(check.arguments).schema;
  const Schemas::Compiled* schema = text.empty() ? nullptr : &judging.schemas().find(text);
  if (schema && !*schema)
    return finding(Verdict::error,
                   fmt::format("the schema cannot be used: {}", judging.masked(schema->error())));
  const auto& json = judging.json();
  if (!json) return finding(Verdict::fail, json.error());
  const std::string remark = json->repeated_key
                                 ? fmt::format(" (the key {} occurs twice; the last one counts)",
                                               quoted(judging.masked(*json->repeated_key)))
                                 : "";
  if (!schema) return finding(Verdict::pass, "Response is JSON" + remark);
  if (const auto mismatch = (*schema)->mismatch(json->root, judging.mask()))
    return finding(mismatch->undecided ? Verdict::error : Verdict::fail, mismatch->text() + remark);
  return finding(Verdict::pass, "JSON matches the schema" + remark);
}

}  // namespace vibe::check
