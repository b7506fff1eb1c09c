// The master key of a server: seals its secrets, and makes the hashes of keys and invitations. It
// comes from the environment variable VIBECHECK_MASTER_KEY, or from the file `HOME/secret.key`.
#pragma once

#include <optional>
#include <string>

#include "base/crypto.h"
#include "base/diagnostic.h"
#include "store/backend.h"

namespace vibe::app {

// Only from the environment, not from `.env`: 64 hex digits, or base64 of 32 bytes. None: not set.
// Code::store_key: it is not a key.
base::Result<std::optional<base::SealKey>> environment_key();

// So that child programs do not get it. Call it before there are other threads.
void forget_environment_key();

// The key of the server in this folder. If there is none, and nothing was sealed or hashed yet,
// creates the file. Code::store_key: there is none, or it is not the one that was used before.
base::Result<base::SealKey> open_master_key(const std::string& home, store::Directory& directory);

// Where it comes from, for messages: `VIBECHECK_MASTER_KEY`, or the path of the file.
std::string master_key_place(const std::string& home);

// Whether the store's key opens all its secrets.
base::Result<bool> opens_secrets(store::Store& store);

}  // namespace vibe::app
