// StandaloneSuite: a suite as text that needs no file beside it, for a server: the tables that it
// names as `cases` are written into it, each on the line where its name stood. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "suite/suite.h"

namespace vibe::app {

// `suite` is what was read from `source`. An error goes to `out` where it needs another file, or
// gets too large.
std::optional<std::string> standalone_text(const base::SourcePtr& source, const suite::Suite& suite,
                                           base::Diagnostics& out);

}  // namespace vibe::app
