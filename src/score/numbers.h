// Numbers: how scores, costs and shares are written, in messages and in reports alike. Pure.
#pragma once

#include <string>

namespace vibe::score {

std::string show_score(double value);      // two decimals; `%.4g` when very small or very large
std::string show_cost(double dollars);     // `$0.0177`; undefined: `N/A`
std::string show_percent(double percent);  // `80.0%`; undefined: `N/A`
std::string show_enough(double dollars);   // as a cost, rounded up: what it shows is not less

}  // namespace vibe::score
