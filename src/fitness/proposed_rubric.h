// A rubric file with another formula and nothing else changed. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fitness/rubric.h"

namespace vibe::fitness {

// YAML with the new formula and a new name. For the default rubric it has only the changes; for a
// user's rubric the rest is unchanged, including comments. `comment` goes at the top, line by line.
// None if the formula cannot be replaced in the text (an alias, for example).
std::optional<std::string> proposed_rubric(const Rubric& rubric, std::string_view formula,
                                           std::string_view comment);

}  // namespace vibe::fitness
