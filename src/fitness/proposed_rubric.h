// A rubric with another formula, as a file: what it said before, and only that changed. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fitness/rubric.h"

namespace vibe::fitness {

// YAML with the formula, and a name that tells it from what it was made of. Of the default rubric
// it says only what it changes; of a user's the rest is as it was, comments too. `comment` stands
// at the head, a line each. None where the text is written so that the formula cannot be replaced
// in it (an alias, say).
std::optional<std::string> proposed_rubric(const Rubric& rubric, std::string_view formula,
                                           std::string_view comment);

}  // namespace vibe::fitness
