// Locks: who is at work on a run, as locks on bytes of a file; the byte is the run's number. The
// kernel lets go of them when their process ends, however it ends. Two locks exclude each other
// also within one process. Programs that are started do not inherit them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "store/journal.h"

namespace vibe::store {

// Null: it is held already.
base::Result<std::unique_ptr<RunLock>> try_lock(const std::string& path, std::int64_t number);

// Makes the file, of mode 600, if it is missing.
base::Result<void> make_lock_file(const std::string& path);

}  // namespace vibe::store
