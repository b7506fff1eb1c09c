// Maps the characters of a decoded scalar to their positions in the source text. Not for readers of
// YAML: they use YamlDocument::passage(). Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/yaml.h"

namespace vibe::base {

// The offset of each byte of `decoded`, and of its end; `written` begins at `begin`. All bytes of
// an escape have the offset where it begins. Empty if the two texts do not match.
std::vector<std::uint32_t> align(std::string_view written, YamlNode::Style style,
                                 std::string_view decoded, std::uint32_t begin);

}  // namespace vibe::base
