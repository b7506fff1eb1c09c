// Numbers: how scores, costs and shares are formatted, in messages and reports. Pure.
#pragma once

#include <string>

namespace vibe::score {

std::string show_score(double value);      // two decimals; `%.4g` when very small or very large
std::string show_cost(double dollars);     // `$0.0177`; undefined: `N/A`
std::string show_percent(double percent);  // `80.0%`; undefined: `N/A`
std::string show_enough(double dollars);   // a cost, rounded up: never shows less than the value

}  // namespace vibe::score
