// Detached: starts this program once more and leaves it alone: in a session of its own, without
// our standard streams and open files, so that nobody who waits for us waits for it.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace vibe::base {

// Arguments without the program's own name. What it writes to standard error goes to the end of
// the file `errors`, where that can be written. Returns at once. Code::missing_program.
Result<void> start_detached(const std::vector<std::string>& arguments, const std::string& errors);

// Where this program's file lies; empty: it is not there any more.
std::string own_program();

}  // namespace vibe::base
