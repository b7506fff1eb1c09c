// LineLog: lines at the end of a file to which many processes append at once. A line is there as a
// whole or not at all: whoever writes holds a lock, takes back what a full disk cut short, and
// begins a new line behind one that a killed process left torn. Files and folders are made for
// their owner alone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace vibe::base {

// With those above it that are missing; all for their owner alone (mode 700). `code` and `hint`
// are of the diagnostic.
Result<void> make_private_folder(const std::string& folder, Code code = Code::cannot_write,
                                 std::string hint = {});

struct LineLogLimits {
  std::size_t most_bytes = 0;  // a larger file is renamed to `PATH.1` first; 0: it may grow
  double wait = 5;             // seconds, at most, for the lock
};

// `line` without its break. Code::cannot_write.
Result<void> append_line(const std::string& path, std::string_view line,
                         const LineLogLimits& limits = {});

// Before another process writes to the end of it, without a lock: the file is there, and not larger
// than the limits say. Code::cannot_write.
Result<void> make_room(const std::string& path, const LineLogLimits& limits);

}  // namespace vibe::base
