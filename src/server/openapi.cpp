#include "server/openapi.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "server/route.h"

namespace vibe::server {

using base::JsonWriter;

namespace {

// `/api/runs/:id` → `/api/runs/{id}`, and the names of its parameters.
struct Path {
  std::string text;
  std::vector<std::string> parameters;
};

Path path_of(std::string_view path) {
  Path out;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(part.size());
    if (!part.starts_with(':')) {
      out.text += fmt::format("/{}", part);
      continue;
    }
    out.parameters.emplace_back(part.substr(1));
    out.text += fmt::format("/{{{}}}", part.substr(1));
  }
  return out;
}

void write_parameter(JsonWriter& json, std::string_view name, std::string_view in,
                     std::string_view type, std::string_view doc) {
  json.begin_object().key("name").string(name).key("in").string(in);
  json.key("required").boolean(in == "path");
  if (!doc.empty()) json.key("description").string(doc);
  json.key("schema").begin_object().key("type").string(type).end_object().end_object();
}

std::string_view schema_type(base::Type type) {
  switch (type) {
    case base::Type::text:
    case base::Type::text_or_empty: return "string";
    case base::Type::number: return "number";
    case base::Type::integer: return "integer";
    case base::Type::boolean: return "boolean";
    case base::Type::list: return "array";
    case base::Type::map: return "object";
    case base::Type::any: return {};  // its description says what it takes
  }
  std::abort();
}

void write_bounds(JsonWriter& json, const base::Range& range) {
  if (std::isfinite(range.least))
    json.key(range.above ? "exclusiveMinimum" : "minimum").number(range.least);
  if (std::isfinite(range.most))
    json.key(range.below ? "exclusiveMaximum" : "maximum").number(range.most);
}

void write_keys(JsonWriter& json, const base::Section& section);

void write_key(JsonWriter& json, const base::Field& field) {
  json.key(field.name).begin_object();
  if (const auto type = schema_type(field.type); !type.empty()) {
    json.key("description").string(field.doc).key("type").string(type);
  } else {
    json.key("description").string(fmt::format("{}: {}", takes_json(field), field.doc));
  }
  write_bounds(json, field.range);
  if (field.section) {
    write_keys(json, *field.section);
    json.key("additionalProperties").boolean(false);
  }
  json.end_object();
}

// The schema of an object with these keys, without its braces.
void write_keys(JsonWriter& json, const base::Section& section) {
  json.key("properties").begin_object();
  for (const auto& field : section.fields) write_key(json, field);
  json.end_object().key("required").begin_array();
  for (const auto& field : section.fields)
    if (field.required) json.string(field.name);
  json.end_array();
}

void write_content(JsonWriter& json, std::string_view type, std::string_view example,
                   const base::Section* keys = nullptr) {
  json.key("content").begin_object().key(type).begin_object();
  if (keys) {
    json.key("schema").begin_object().key("type").string("object");
    write_keys(json, *keys);
    json.end_object();
  }
  if (type == "application/json" && !example.empty())
    json.key("example").raw(example);
  else if (!example.empty())
    json.key("example").string(example);
  json.end_object().end_object();
}

void write_answers(JsonWriter& json, const Route& route) {
  json.key("responses").begin_object();
  json.key("200").begin_object().key("description").string(route.summary);
  write_content(json, route.response_type, route.response);
  json.end_object();
  json.key("default").begin_object().key("description").string("what was wrong");
  write_content(json, "application/json", R"({"error": "one sentence"})");
  json.end_object().end_object();
}

void write_route(JsonWriter& json, const Route& route, const Path& path) {
  json.key(base::lower_ascii(route.method)).begin_object();
  json.key("summary").string(route.summary);
  std::string details(route.details);
  if (route.role)
    details += fmt::format("{}Needs a key with the role `{}`.", details.empty() ? "" : " ",
                           to_string(*route.role));
  if (!details.empty()) json.key("description").string(details);
  if (!path.parameters.empty() || !route.query.empty()) {
    json.key("parameters").begin_array();
    for (const auto& name : path.parameters) write_parameter(json, name, "path", "string", "");
    for (const auto& one : route.query) write_parameter(json, one.name, "query", one.type, one.doc);
    json.end_array();
  }
  if (!route.request.empty()) {
    json.key("requestBody").begin_object().key("required").boolean(true);
    write_content(json, route.takes_file ? "application/octet-stream" : "application/json",
                  route.request, route.body);
    json.end_object();
  }
  write_answers(json, route);
  if (!route.role) json.key("security").begin_array().end_array();
  json.end_object();
}

}  // namespace

std::string openapi_json(std::string_view version) {
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object().key("openapi").string("3.1.0");
  json.key("info").begin_object().key("title").string("vibecheck");
  json.key("description").string("A team's suites, runs and scores, and agent executions.");
  json.key("version").string(version).end_object();
  json.key("security").begin_array();
  for (const auto scheme : {"key", "bearer"})
    json.begin_object().key(scheme).begin_array().end_array().end_object();
  json.end_array().key("components").begin_object().key("securitySchemes").begin_object();
  json.key("key").begin_object().key("type").string("apiKey").key("in").string("header");
  json.key("name").string("X-API-KEY").end_object();
  json.key("bearer").begin_object().key("type").string("http").key("scheme").string("bearer");
  json.end_object().end_object().end_object();

  json.key("paths").begin_object();
  const auto all = routes();
  for (auto first = all.begin(); first != all.end(); ++first) {
    const auto same = [&](const Route& other) { return other.path == first->path; };
    if (std::any_of(all.begin(), first, same)) continue;  // done with the first route of its path
    const Path path = path_of(first->path);
    json.key(path.text).begin_object();
    for (auto route = first; route != all.end(); ++route)
      if (same(*route)) write_route(json, *route, path);
    json.end_object();
  }
  return json.end_object().end_object().text();
}

}  // namespace vibe::server
