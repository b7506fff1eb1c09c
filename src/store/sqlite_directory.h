// The directory of a server in one SQLite file, `FOLDER/server.db` (mode 600), in WAL mode. What
// is written is on the disk before a call returns: a key that was shown, or revoked, stays so.
#pragma once

#include <memory>
#include <string>

#include "store/directory.h"

namespace vibe::store {

// Whether there is one in this folder.
bool has_directory(const std::string& folder);

// Makes the folder and the file if they are missing.
base::Result<std::unique_ptr<Directory>> open_directory(const std::string& folder);

}  // namespace vibe::store
