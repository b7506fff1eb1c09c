// A promptfoo config as a suite of ours, as text that a person goes on editing. What cannot be
// carried over is a comment at its place and a diagnostic; nothing is made up instead, so that a
// suite may lack a model, a prompt or checks, and then does not validate. Reads the files that the
// config names by a function that is passed in; asks nothing else of the outside.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace vibe::import {

// A file beside the config, by the path that stands there.
using ReadFile = std::function<base::Result<std::string>(const std::string& path)>;

struct Imported {
  std::string suite;                // YAML
  std::vector<std::string> models;  // as ours are named; the first is the suite's
  std::size_t evals = 0, cases = 0, checks = 0;
  std::size_t without_prompt = 0, without_checks = 0;  // of the evals
};

// None after an error. Warnings (Code::left_out) say what was not carried over.
std::optional<Imported> import_promptfoo(const base::SourcePtr& source, const ReadFile& read_file,
                                         base::Diagnostics& out);

}  // namespace vibe::import
