// A part of a suite as JSON: for checks whose arguments are JSON of any shape. Belongs to one
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

  // Once. False, and an error, where the file's aliases ask for too much room.
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
