// What each command does; the table that names them is in commands.cpp.
#pragma once

#include "cli/command.h"

namespace vibe::cli {

Exit run_validate(const Arguments& arguments, Terminal& terminal);
Exit run_formula_check(const Arguments& arguments, Terminal& terminal);
Exit run_formula_functions(const Arguments& arguments, Terminal& terminal);
Exit run_score(const Arguments& arguments, Terminal& terminal);
Exit run_completion(const Arguments& arguments, Terminal& terminal);
Exit run_version(const Arguments& arguments, Terminal& terminal);

}  // namespace vibe::cli
