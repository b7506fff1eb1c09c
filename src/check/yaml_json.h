// A part of a suite as JSON: for checks whose arguments are JSON of any shape.
#pragma once

#include "base/json.h"
#include "base/yaml.h"
#include "check/reading.h"

namespace vibe::check {

// Looks at the templates of its texts. Stops short where the file asks for too much room, which
// is then an error.
void write_json(const base::YamlNode& node, base::JsonWriter& json, Reading& reading);

}  // namespace vibe::check
