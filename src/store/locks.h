// Locks: which process works on a run, as locks on bytes of a file; the byte is the run's number.
// The kernel releases them when their process ends, however it ends. Two locks also exclude each
// other within one process. Child programs do not inherit them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "store/journal.h"

namespace vibe::store {

// Null: it is already held.
base::Result<std::unique_ptr<RunLock>> try_lock(const std::string& path, std::int64_t number);

// Creates the file, with mode 600, if it is missing.
base::Result<void> make_lock_file(const std::string& path);

}  // namespace vibe::store
