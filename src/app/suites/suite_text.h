// SuiteText: the text of the suite that a command names, from a file or the store. Does not
// validate it (validate.h).
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "store/archive.h"

namespace vibe::app {

struct SuiteText {
  std::string text;
  std::string path;        // its file, absolute; empty: none
  std::string shown_path;  // for diagnostics
};

// `suite` is a file, `-` for standard input, or a stored suite's name, unless it `is_file`. A file
// takes precedence over a stored suite. Code::not_found, with a hint.
base::Result<SuiteText> find_suite_text(const std::string& suite, bool is_file,
                                        store::Suites& suites);

}  // namespace vibe::app
