// The master key of a server: what its secrets are sealed with, and what the hashes of keys and
// invitations are made with. It comes from the variable VIBECHECK_MASTER_KEY of the environment,
// or from the file `HOME/secret.key`.
#pragma once

#include <optional>
#include <string>

#include "base/crypto.h"
#include "base/diagnostic.h"
#include "store/backend.h"

namespace vibe::app {

// Of the environment alone, not of `.env`: 64 hex digits, or base64 of 32 bytes. None: it is not
// set. Code::store_key: it is no key.
base::Result<std::optional<base::SealKey>> environment_key();

// So that programs that are started later do not have it. Before there are other threads.
void forget_environment_key();

// The key of the server in this folder. Where there is none, and nothing was sealed or hashed yet,
// the file is made. Code::store_key: there is none, or it is not the one that was used before.
base::Result<base::SealKey> open_master_key(const std::string& home, store::Directory& directory);

// Where it comes from, to be shown: `VIBECHECK_MASTER_KEY`, or the path of the file.
std::string master_key_place(const std::string& home);

// Whether the key that it was opened with opens all secrets of a store.
base::Result<bool> opens_secrets(store::Store& store);

}  // namespace vibe::app
