// Init: a first suite for somebody who has none, with a model that they can ask right away.
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

// Writes the file; one that is there is left alone, Code::bad_usage, unless `replace`.
base::Result<Started> init_suite(const std::string& path, bool replace,
                                 const config::Config& config);

// The text of the suite; `path` is where it stands, for its comment.
std::string starter_suite(std::string_view path, std::string_view name, std::string_view model,
                          bool has_key);

// As it can be shown for a command line: in quotes where a shell would take it apart.
std::string shell_word(std::string_view text);

}  // namespace vibe::app
