// StandaloneSuite: the text of a suite that needs no other files, for a server: the tables that it
// names as `cases` are written into it, each on the line of its name. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "suite/suite.h"

namespace vibe::app {

// `suite` was read from `source`. Reports an error to `out` if it needs another file, or gets too
// large.
std::optional<std::string> standalone_text(const base::SourcePtr& source, const suite::Suite& suite,
                                           base::Diagnostics& out);

}  // namespace vibe::app
