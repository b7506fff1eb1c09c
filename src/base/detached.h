// Detached: starts this program again in the background: in its own session, without our standard
// streams and open files, so that nobody who waits for us waits for it.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace vibe::base {

// `arguments` does not include the program name. Standard error is appended to the file `errors` if
// that is writable. Returns at once. Code::missing_program.
Result<void> start_detached(const std::vector<std::string>& arguments, const std::string& errors);

// The path of this program's file; empty: it no longer exists.
std::string own_program();

}  // namespace vibe::base
