#include "check/schema_places.h"

#include <utility>

#include <fmt/format.h>

#include "base/json_pointer.h"
#include "check/fields.h"
#include "check/uri.h"

namespace vibe::check {

using base::Code;
using base::JsonValue;

namespace {

constexpr std::string_view kMetaschema = "https://json-schema.org/draft/2020-12/schema";

std::string without_fragment(std::string_view uri) {
  return std::string(uri.substr(0, uri.find('#')));
}

}  // namespace

void SchemaPlaces::scan(const JsonValue& root) {
  resources_.push_back({"", &root, "", {}, {}});
  by_uri_.emplace("", 0);
  scan(root, {});
}

void SchemaPlaces::scan(const JsonValue& schema, SchemaPlace place) {
  const auto* members = schema.object();
  if (!members) {
    places_.emplace(&schema, std::move(place));
    return;
  }
  if (const auto* id = schema.find("$id"); id && id->text()) {
    std::string uri = without_fragment(resolve_uri(resources_[place.resource].uri, *id->text()));
    if (&schema == resources_[0].root) {
      resources_[0].uri = uri;
    } else {
      place.resource = static_cast<std::uint32_t>(resources_.size());
      resources_.push_back({uri, &schema, place.pointer, {}, {}});
    }
    const auto [known, is_new] = by_uri_.emplace(uri, place.resource);
    if (!is_new && known->second != place.resource)
      problems_.add({.code = Code::bad_schema_reference,
                     .pointer = place.pointer + "/$id",
                     .message = fmt::format("`$id` {} is already taken", quoted(uri)),
                     .of_text = true});
  }
  add_anchor(resources_[place.resource].anchors, schema, "$anchor", place);
  add_anchor(resources_[place.resource].dynamic_anchors, schema, "$dynamicAnchor", place);
  places_.emplace(&schema, place);
  for (const auto& [key, value] : *members) {
    const Keyword* keyword = find_keyword(key);
    if (!keyword) continue;
    const std::string pointer = fmt::format("{}/{}", place.pointer, base::escape_key(key));
    if (keyword->takes == Takes::schema) {
      scan(value, {pointer, place.resource});
    } else if (keyword->takes == Takes::schemas && value.array()) {
      for (std::size_t i = 0; i < value.array()->size(); ++i)
        scan((*value.array())[i], {fmt::format("{}/{}", pointer, i), place.resource});
    } else if (keyword->takes == Takes::schema_map && value.object()) {
      for (const auto& [name, inner] : *value.object())
        scan(inner, {fmt::format("{}/{}", pointer, base::escape_key(name)), place.resource});
    }
  }
}

void SchemaPlaces::add_anchor(Anchors& anchors, const JsonValue& schema, std::string_view keyword,
                              const SchemaPlace& place) {
  const auto* name = schema.find(keyword);
  if (!name || !name->text()) return;
  if (!anchors.emplace(*name->text(), &schema).second)
    problems_.add(
        {.code = Code::bad_schema_reference,
         .pointer = fmt::format("{}/{}", place.pointer, keyword),
         .message = fmt::format("`{}` {} is already taken", keyword, quoted(*name->text())),
         .of_text = true});
}

SchemaPlace SchemaPlaces::of(const JsonValue& schema) const {
  const auto found = places_.find(&schema);
  return found == places_.end() ? SchemaPlace{} : found->second;
}

const SchemaPlaces::Resource* SchemaPlaces::resource_of(std::string_view uri) const {
  const auto found = by_uri_.find(std::string(uri));
  return found == by_uri_.end() ? nullptr : &resources_[found->second];
}

SchemaPlaces::Target SchemaPlaces::find(std::uint32_t resource, std::string_view reference) {
  const std::string resolved = resolve_uri(resources_[resource].uri, reference);
  const UriParts parts = split_uri(resolved);
  const std::string uri = without_fragment(resolved);
  const Resource* from =
      reference.starts_with('#') || reference.empty() ? &resources_[resource] : resource_of(uri);
  Target out;
  if (!from) {
    if (uri == kMetaschema && parts.fragment.empty()) {
      out.is_metaschema = true;
      return out;
    }
    return {
        .message = fmt::format("{} is not in this schema", quoted(reference)),
        .hint =
            "vibe does not fetch schemas: put it into `$defs`, and refer to it as `#/$defs/NAME`"};
  }
  const std::string fragment = decode_percent(parts.fragment);
  if (fragment.empty()) {
    out.schema = from->root;
  } else if (fragment[0] == '/') {
    return follow(*from, fragment, reference);
  } else {
    for (const auto* anchors : {&from->anchors, &from->dynamic_anchors})
      if (const auto anchor = anchors->find(fragment); anchor != anchors->end())
        out.schema = anchor->second;
    if (!out.schema) {
      out.message = fmt::format("there is no anchor {}", quoted(fragment));
      out.hint = fmt::format("for an entry in `$defs`, write `#/$defs/{}`", fragment);
    }
  }
  return out;
}

SchemaPlaces::Target SchemaPlaces::follow(const Resource& from, std::string_view pointer,
                                          std::string_view reference) {
  const JsonValue* value = from.root;
  SchemaPlace place{from.pointer, of(*from.root).resource};
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    const JsonValue* next = base::step(*value, token);
    place.pointer += fmt::format("/{}", token);
    if (!next) {
      Target out;
      out.message = fmt::format("{} points to nothing", quoted(reference));
      out.hint = fmt::format("there is no {}", quoted(place.pointer));
      return out;
    }
    value = next;
    if (const auto known = places_.find(value); known != places_.end()) place = known->second;
  }
  if (!places_.contains(value)) scan(*value, place);  // inside a user's own `x-…` key
  Target out;
  out.schema = value;
  return out;
}

std::string SchemaPlaces::dynamic_name(std::uint32_t resource, std::string_view reference) const {
  const std::string resolved = resolve_uri(resources_[resource].uri, reference);
  const Resource* from =
      reference.starts_with('#') ? &resources_[resource] : resource_of(without_fragment(resolved));
  const std::string fragment = decode_percent(split_uri(resolved).fragment);
  return from && from->dynamic_anchors.contains(fragment) ? fragment : "";
}

}  // namespace vibe::check
