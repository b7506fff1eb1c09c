// Organisations: who may use a server. Creates organisations, keys and invitations, and finds the
// owner of a key. The texts of keys and codes are shown once; only keyed hashes are stored.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/diagnostic.h"
#include "store/directory.h"

namespace vibe::app {

// The key of a request and its organisation.
struct Caller {
  store::ApiKey key;
  store::Organisation organisation;
};

struct NewKey {
  store::ApiKey key;
  std::string text;  // `vibe_ID_SECRET`
};

struct NewInvite {
  store::Invite invite;
  std::string code;
};

// `name` is shown; the slug is made from it if none is given. Code::conflict, Code::bad_usage
base::Result<store::Organisation> create_organisation(store::Directory& directory,
                                                      std::string_view name, std::string_view slug,
                                                      const store::Limits& limits,
                                                      store::Millis now);
// The first start of a server: if there is no organisation, creates `default` with an admin key.
// None: there is one.
base::Result<std::optional<NewKey>> begin_server(store::Directory& directory,
                                                 const base::SealKey& master, store::Millis now);
// By id or slug; Code::not_found with the nearest one.
base::Result<store::Organisation> find_organisation(store::Directory& directory,
                                                    std::string_view id_or_slug);

base::Result<NewKey> create_key(store::Directory& directory, const base::SealKey& master,
                                const store::Organisation& organisation, store::Role role,
                                std::string_view name, std::optional<store::Millis> expires_at,
                                store::Millis now);
// Code::not_found: there is no such key.
base::Result<void> revoke_key(store::Directory& directory, std::string_view id, store::Millis now);
// None: no such key, or it was revoked or has expired, or its organisation is not active. The time
// this takes does not reveal how much of a key was right. Records the use of the key, at most once
// a minute.
base::Result<std::optional<Caller>> check_key(store::Directory& directory,
                                              const base::SealKey& master, std::string_view text,
                                              store::Millis now);

base::Result<NewInvite> create_invite(store::Directory& directory, const base::SealKey& master,
                                      const store::Organisation& organisation, store::Role role,
                                      store::Millis expires_at, store::Millis now);
struct Redeemed {
  NewKey key;
  store::Organisation organisation;
};
// Code::not_found; Code::bad_usage, with `expired` or `already been used` in the message.
base::Result<Redeemed> redeem_invite(store::Directory& directory, const base::SealKey& master,
                                     std::string_view code, store::Millis now);

}  // namespace vibe::app
