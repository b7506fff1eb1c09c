// KeyFile: the key that secrets are sealed with, 32 bytes in a file that nobody else may read.
#pragma once

#include <optional>
#include <string>

#include "base/crypto.h"
#include "base/diagnostic.h"

namespace vibe::store {

// None: there is no such file. Code::store_key: others may read it, or it holds no key.
base::Result<std::optional<base::SealKey>> read_key(const std::string& path);

// A new key, or the one that another was faster to make. It is whole and on the disk when this
// returns, or not there at all.
base::Result<base::SealKey> make_key(const std::string& path);

}  // namespace vibe::store
