// Writes text as YAML, for documents that people will edit. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vibe::base {

struct YamlNode;

// A scalar on one line that reads back as this text: plain if it cannot be mistaken, else in double
// quotes. Also valid in flow collections.
std::string yaml_text(std::string_view text);
// The same, in single quotes if that avoids escapes: for patterns with backslashes.
std::string yaml_pattern(std::string_view text);
// The value of a key, with the lines after the first indented: several lines become a literal block
// if possible.
std::string yaml_block(std::string_view text, std::size_t indent);

std::string to_json(const YamlNode& node);  // compact; scalars by YAML 1.2's core schema

}  // namespace vibe::base
