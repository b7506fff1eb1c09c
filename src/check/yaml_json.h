// Converts a part of a suite to JSON, for checks whose arguments are arbitrary JSON. Belongs to one
// thread.
#pragma once

#include <string>
#include <unordered_set>

#include "base/json.h"
#include "base/yaml.h"
#include "check/reading.h"

namespace vibe::check {

class YamlAsJson {
 public:
  explicit YamlAsJson(Reading& reading) : reading_(reading) {}

  // Call it once. False, with an error, if the file's aliases need too much memory.
  bool write(const base::YamlNode& node);

  const std::string& text() const { return json_.text(); }
  bool has_template(const base::YamlNode& node) const { return templates_.contains(&node); }

 private:
  bool write_scalar(const base::YamlNode& node);
  void look_at(const base::YamlNode& text);

  Reading& reading_;
  base::JsonWriter json_;
  std::unordered_set<const base::YamlNode*> templates_;
};

}  // namespace vibe::check
