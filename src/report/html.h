// HTML: runs as one self-contained page: no network, no scripts. Pure.
#pragma once

#include <span>
#include <string>

#include "report/reported.h"

namespace vibe::report {

// With many results, texts are shortened; with very many, only a part is shown. The page says so.
// Everything from a model, a suite or a user is shown as text, never as markup.
std::string html(std::span<const ReportedRun> runs);

}  // namespace vibe::report
