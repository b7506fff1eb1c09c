// Reading: the state that is shared while checks and suites are read. Belongs to one thread.
#pragma once

#include <string>
#include <unordered_set>

#include "base/yaml_reading.h"
#include "check/pattern.h"

namespace vibe::check {

class Reading : public base::YamlReading {
 public:
  using YamlReading::YamlReading;

  // Whether to report how a pattern was read.
  bool verbose = false;

  RegexMemory regexes;
  std::unordered_set<std::string> good_schemas;  // as JSON; an alias can repeat one
};

using base::quoted;

}  // namespace vibe::check
