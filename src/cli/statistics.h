// Statistics: the options of commands that draw.
#pragma once

#include "cli/command.h"
#include "statistics/interval.h"

namespace vibe::cli {

// `--seed`, `--draws`, `--level`.
statistics::Settings read_statistics(const Arguments& arguments, base::Diagnostics& out);

}  // namespace vibe::cli
