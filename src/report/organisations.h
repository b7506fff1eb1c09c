// Organisations of a server, their keys and invitations, as people and programs read them. Hashes
// are not shown. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "report/run.h"
#include "store/directory.h"

namespace vibe::report {

std::string organisation_table(std::span<const store::Organisation> organisations,
                               const TextStyle& style);
std::string organisations_json(std::span<const store::Organisation> organisations);
std::string organisation_json(const store::Organisation& organisation);

// With the slug of whose they are.
struct KeyRow {
  store::ApiKey key;
  std::string slug;
};
struct InviteRow {
  store::Invite invite;
  std::string slug;
};

std::string key_table(std::span<const KeyRow> keys, store::Millis now, const TextStyle& style);
std::string keys_json(std::span<const KeyRow> keys, store::Millis now);
// One that was just made, with its text.
std::string new_key_json(const KeyRow& key, std::string_view text, store::Millis now);

std::string invite_table(std::span<const InviteRow> invites, store::Millis now,
                         const TextStyle& style);
std::string invites_json(std::span<const InviteRow> invites, store::Millis now);
std::string new_invite_json(const InviteRow& invite, std::string_view code, store::Millis now);

}  // namespace vibe::report
