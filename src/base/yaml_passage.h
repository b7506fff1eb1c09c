// Where the characters of a scalar stand in the text that it was written as. Not for readers of
// YAML: they ask YamlDocument::passage(). Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/yaml.h"

namespace vibe::base {

// The place of each byte of `decoded`, and of its end; `written` begins at `begin`. A byte of an
// escape stands where the escape begins. Empty if the two do not agree.
std::vector<std::uint32_t> align(std::string_view written, YamlNode::Style style,
                                 std::string_view decoded, std::uint32_t begin);

}  // namespace vibe::base
