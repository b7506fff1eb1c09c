// HTML: runs as one page that needs nothing else: no network, no scripts. Pure.
#pragma once

#include <span>
#include <string>

#include "report/reported.h"

namespace vibe::report {

// Texts are shortened where there are many results, and of very many only a part is shown; the
// page says so. All that came from a model, a suite or a user is text, never markup.
std::string html(std::span<const ReportedRun> runs);

}  // namespace vibe::report
