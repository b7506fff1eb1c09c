// KeyFile: the key that seals secrets, 32 bytes in a file that only its owner may read.
#pragma once

#include <optional>
#include <string>

#include "base/crypto.h"
#include "base/diagnostic.h"

namespace vibe::store {

// None: the file does not exist. Code::store_key: others may read it, or it is not a key.
base::Result<std::optional<base::SealKey>> read_key(const std::string& path);

// Creates a key, or returns the one that another process created first. When this returns, the file
// is complete and on disk, or does not exist.
base::Result<base::SealKey> make_key(const std::string& path);

}  // namespace vibe::store
