// SuiteText: the text of the suite that a command names, of a file or of the store. Does not look
// at what it says (validate.h).
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "store/archive.h"

namespace vibe::app {

struct SuiteText {
  std::string text;
  std::string path;        // of its file, absolute; empty: none
  std::string shown_path;  // for problems with it
};

// `suite` is a file, `-` for standard input, or a stored suite's name, unless it `is_file`. A file
// comes before a stored suite. Code::not_found with what to do next.
base::Result<SuiteText> find_suite_text(const std::string& suite, bool is_file,
                                        store::Suites& suites);

}  // namespace vibe::app
