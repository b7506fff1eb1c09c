// Organisations of a server, their keys and invitations, in JSON. Hashes are not shown. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "store/directory.h"

namespace vibe::wire {

std::string organisations_json(std::span<const store::Organisation> organisations);
std::string organisation_json(const store::Organisation& organisation);

// With the slug of their organisation.
struct KeyRow {
  store::ApiKey key;
  std::string slug;
};
struct InviteRow {
  store::Invite invite;
  std::string slug;
};

std::string keys_json(std::span<const KeyRow> keys, store::Millis now);
// A new one, with its text, which is shown only now.
std::string new_key_json(const KeyRow& key, std::string_view text, store::Millis now);

std::string invites_json(std::span<const InviteRow> invites, store::Millis now);
std::string new_invite_json(const InviteRow& invite, std::string_view code, store::Millis now);

}  // namespace vibe::wire
