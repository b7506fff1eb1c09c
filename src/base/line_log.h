// LineLog: appends lines to a file that many processes append to at once. A line is written
// completely or not at all: the writer holds a lock, truncates what a full disk cut short, and
// starts a new line after one that a killed process left incomplete. Only the owner can access the
// files and folders it creates.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace vibe::base {

// Creates missing parent folders as well; only the owner can access them (mode 700). `code` and
// `hint` are for the diagnostic.
Result<void> make_private_folder(const std::string& folder, Code code = Code::cannot_write,
                                 std::string hint = {});

struct LineLogLimits {
  std::size_t most_bytes = 0;  // a larger file is first renamed to `PATH.1`; 0: no limit
  double wait = 5;             // seconds to wait for the lock
};

// `line` has no line break. Code::cannot_write.
Result<void> append_line(const std::string& path, std::string_view line,
                         const LineLogLimits& limits = {});

// Call before another process appends without a lock: creates the file, and renames it if it is
// over the limit. Code::cannot_write.
Result<void> make_room(const std::string& path, const LineLogLimits& limits);

}  // namespace vibe::base
