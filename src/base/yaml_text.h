// Text as YAML: for whoever writes a document that people go on editing. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vibe::base {

struct YamlNode;

// A scalar on one line that is read as this text: plain where it cannot be anything else, in
// double quotes otherwise. Fits into flow collections.
std::string yaml_text(std::string_view text);
// The same, in single quotes where that saves escapes: for patterns with backslashes.
std::string yaml_pattern(std::string_view text);
// The value of a key, with the lines after the first indented: of several lines a literal block
// where that can be.
std::string yaml_block(std::string_view text, std::size_t indent);

std::string to_json(const YamlNode& node);  // compact; scalars by YAML 1.2's core schema

}  // namespace vibe::base
