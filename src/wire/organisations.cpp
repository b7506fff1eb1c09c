#include "wire/organisations.h"

#include "base/shape_json.h"
#include "store/directory_shape.h"
#include "wire/json.h"

namespace vibe::wire {

using base::JsonWriter;

namespace {

// These two write into an open object.
void write_row(JsonWriter& json, const KeyRow& row, store::Millis now) {
  const auto& [key, slug] = row;
  json.key("id").string(key.id).key("organisation").string(slug);
  json.key("role").string(store::to_string(key.role)).key("name").string(key.name);
  json.key("status").string(store::status_of(key, now));
  write_time(json, "created_at", key.created_at);
  write_time(json, "expires_at", key.expires_at);
  write_time(json, "revoked_at", key.revoked_at);
  write_time(json, "last_used_at", key.last_used_at);
}

void write_row(JsonWriter& json, const InviteRow& row, store::Millis now) {
  const auto& [invite, slug] = row;
  json.key("id").string(invite.id).key("organisation").string(slug);
  json.key("role").string(store::to_string(invite.role));
  json.key("status").string(store::status_of(invite, now));
  write_time(json, "created_at", invite.created_at);
  write_time(json, "expires_at", invite.expires_at);
  write_time(json, "used_at", invite.used_at);
}

template <class Row>
std::string list_json(std::string_view name, std::span<const Row> rows, store::Millis now) {
  auto json = indented_json();
  json.begin_object().key(name).begin_array();
  for (const auto& row : rows) {
    json.begin_object();
    write_row(json, row, now);
    json.end_object();
  }
  json.end_array().end_object();
  return json_document(json);
}

// With the text, which is shown only once.
template <class Row>
std::string new_json(std::string_view name, std::string_view text, const Row& row,
                     store::Millis now) {
  auto json = indented_json();
  json.begin_object().key(name).string(text);
  write_row(json, row, now);
  json.end_object();
  return json_document(json);
}

}  // namespace

std::string organisations_json(std::span<const store::Organisation> organisations) {
  auto json = indented_json();
  json.begin_object().key("organisations").begin_array();
  for (const auto& one : organisations) base::write_value<base::WireJson>(json, one);
  json.end_array().end_object();
  return json_document(json);
}

std::string organisation_json(const store::Organisation& organisation) {
  auto json = indented_json();
  base::write_value<base::WireJson>(json, organisation);
  return json_document(json);
}

std::string keys_json(std::span<const KeyRow> keys, store::Millis now) {
  return list_json("keys", keys, now);
}

std::string new_key_json(const KeyRow& key, std::string_view text, store::Millis now) {
  return new_json("apiKey", text, key, now);
}

std::string invites_json(std::span<const InviteRow> invites, store::Millis now) {
  return list_json("invites", invites, now);
}

std::string new_invite_json(const InviteRow& invite, std::string_view code, store::Millis now) {
  return new_json("code", code, invite, now);
}

}  // namespace vibe::wire
