// Init: a first suite for a new user, with a model that they can use right away.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "config/config.h"

namespace vibe::app {

struct Started {
  std::string path, model;
  bool has_key = false;  // the model is a real one
};

// Writes the file. Code::bad_usage if it exists, unless `replace`.
base::Result<Started> init_suite(const std::string& path, bool replace,
                                 const config::Config& config);

// The text of the suite; `path` is for its comment.
std::string starter_suite(std::string_view path, std::string_view name, std::string_view model,
                          bool has_key);

// For showing on a command line: in quotes if a shell would split it.
std::string shell_word(std::string_view text);

}  // namespace vibe::app
