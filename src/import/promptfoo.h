// Turns a promptfoo config into the text of a suite, for a person to edit further. What cannot be
// carried over becomes a comment at its place and a diagnostic. Nothing is invented instead, so a
// suite may lack a model, a prompt or checks, and then does not validate. Reads the files that the
// config names with a function that is passed in; has no other I/O.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace vibe::import {

// Reads a file by its path in the config.
using ReadFile = std::function<base::Result<std::string>(const std::string& path)>;

struct Imported {
  std::string suite;                // YAML
  std::vector<std::string> models;  // vibe names; the first is the suite's
  std::size_t evals = 0, cases = 0, checks = 0;
  std::size_t without_prompt = 0, without_checks = 0;  // numbers of evals
};

// None after an error. Warnings (Code::left_out) say what was not carried over.
std::optional<Imported> import_promptfoo(const base::SourcePtr& source, const ReadFile& read_file,
                                         base::Diagnostics& out);

}  // namespace vibe::import
