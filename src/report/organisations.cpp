#include "report/organisations.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "report/table.h"
#include "score/numbers.h"
#include "wire/json.h"

namespace vibe::report {

using base::JsonWriter;

namespace {

std::string day(store::Millis time) { return base::iso_time(time).substr(0, 10); }

std::string_view status_of(const store::ApiKey& key, store::Millis now) {
  if (key.revoked_at) return "revoked";
  return key.expires_at && *key.expires_at <= now ? "expired" : "active";
}

std::string_view status_of(const store::Invite& invite, store::Millis now) {
  if (invite.used_at) return "used";
  return invite.expires_at <= now ? "expired" : "open";
}

void write_organisation(JsonWriter& json, const store::Organisation& organisation) {
  const store::Limits& limits = organisation.limits;
  json.begin_object().key("id").string(organisation.id);
  json.key("slug").string(organisation.slug).key("name").string(organisation.name);
  json.key("status").string(store::status_of(organisation));
  wire::write_time(json, "created_at", organisation.created_at);
  json.key("max_queued").integer(limits.queued_runs);
  json.key("max_running").integer(limits.running_runs);
  json.key("runs_per_day").known(limits.runs_a_day);
  json.key("requests_per_minute").integer(limits.requests_a_minute);
  json.key("credits").known(limits.credits).key("spent").number(organisation.spent);
  json.end_object();
}

// These two into an object that is open.
void write_row(JsonWriter& json, const KeyRow& row, store::Millis now) {
  const auto& [key, slug] = row;
  json.key("id").string(key.id).key("organisation").string(slug);
  json.key("role").string(store::to_string(key.role)).key("name").string(key.name);
  json.key("status").string(status_of(key, now));
  wire::write_time(json, "created_at", key.created_at);
  wire::write_time(json, "expires_at", key.expires_at);
  wire::write_time(json, "revoked_at", key.revoked_at);
  wire::write_time(json, "last_used_at", key.last_used_at);
}

void write_row(JsonWriter& json, const InviteRow& row, store::Millis now) {
  const auto& [invite, slug] = row;
  json.key("id").string(invite.id).key("organisation").string(slug);
  json.key("role").string(store::to_string(invite.role));
  json.key("status").string(status_of(invite, now));
  wire::write_time(json, "created_at", invite.created_at);
  wire::write_time(json, "expires_at", invite.expires_at);
  wire::write_time(json, "used_at", invite.used_at);
}

template <class Row>
std::string list_json(std::string_view name, std::span<const Row> rows, store::Millis now) {
  auto json = wire::indented_json();
  json.begin_object().key(name).begin_array();
  for (const auto& row : rows) {
    json.begin_object();
    write_row(json, row, now);
    json.end_object();
  }
  json.end_array().end_object();
  return wire::json_document(json);
}

// With the text that is shown once.
template <class Row>
std::string new_json(std::string_view name, std::string_view text, const Row& row,
                     store::Millis now) {
  auto json = wire::indented_json();
  json.begin_object().key(name).string(text);
  write_row(json, row, now);
  json.end_object();
  return wire::json_document(json);
}

}  // namespace

std::string organisation_table(std::span<const store::Organisation> organisations,
                               const TextStyle& style) {
  Table table({{"Slug", Align::left, 8},
               {"Name", Align::left, 8},
               {"Status", Align::left, 0},
               {"Queued", Align::right, 0},
               {"Running", Align::right, 0},
               {"Runs/day", Align::right, 0},
               {"Requests/min", Align::right, 0},
               {"Credits", Align::right, 0},
               {"Spent", Align::right, 0}});
  for (const auto& one : organisations) {
    const store::Limits& limits = one.limits;
    table.add({one.slug, base::printable(one.name), std::string(store::status_of(one)),
               std::to_string(limits.queued_runs), std::to_string(limits.running_runs),
               limits.runs_a_day ? std::to_string(*limits.runs_a_day) : "any",
               std::to_string(limits.requests_a_minute),
               limits.credits ? score::show_cost(*limits.credits) : "any",
               score::show_cost(one.spent)});
  }
  return table.to_text(style.width);
}

std::string organisations_json(std::span<const store::Organisation> organisations) {
  auto json = wire::indented_json();
  json.begin_object().key("organisations").begin_array();
  for (const auto& one : organisations) write_organisation(json, one);
  json.end_array().end_object();
  return wire::json_document(json);
}

std::string organisation_json(const store::Organisation& organisation) {
  auto json = wire::indented_json();
  write_organisation(json, organisation);
  return wire::json_document(json);
}

std::string key_table(std::span<const KeyRow> keys, store::Millis now, const TextStyle& style) {
  Table table({{"Id", Align::left, 0},
               {"Organisation", Align::left, 8},
               {"Role", Align::left, 0},
               {"Status", Align::left, 0},
               {"Created", Align::left, 0},
               {"Expires", Align::left, 0},
               {"Last used", Align::left, 0},
               {"Name", Align::left, 8}});
  for (const auto& [key, slug] : keys)
    table.add(
        {key.id, slug, std::string(store::to_string(key.role)), std::string(status_of(key, now)),
         day(key.created_at), key.expires_at ? day(*key.expires_at) : "never",
         key.last_used_at ? ago(*key.last_used_at, now) : "never", base::printable(key.name)});
  return table.to_text(style.width);
}

std::string keys_json(std::span<const KeyRow> keys, store::Millis now) {
  return list_json("keys", keys, now);
}

std::string new_key_json(const KeyRow& key, std::string_view text, store::Millis now) {
  return new_json("apiKey", text, key, now);
}

std::string invite_table(std::span<const InviteRow> invites, store::Millis now,
                         const TextStyle& style) {
  Table table({{"Id", Align::left, 0},
               {"Organisation", Align::left, 8},
               {"Role", Align::left, 0},
               {"Status", Align::left, 0},
               {"Created", Align::left, 0},
               {"Expires", Align::left, 0},
               {"Used", Align::left, 0}});
  for (const auto& [invite, slug] : invites)
    table.add({invite.id, slug, std::string(store::to_string(invite.role)),
               std::string(status_of(invite, now)), day(invite.created_at), day(invite.expires_at),
               invite.used_at ? ago(*invite.used_at, now) : "never"});
  return table.to_text(style.width);
}

std::string invites_json(std::span<const InviteRow> invites, store::Millis now) {
  return list_json("invites", invites, now);
}

std::string new_invite_json(const InviteRow& invite, std::string_view code, store::Millis now) {
  return new_json("code", code, invite, now);
}

}  // namespace vibe::report
