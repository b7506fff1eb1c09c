// Pairs the questions of two contenders: evals by name, evals without one by their prompt, or by
// their place if both ran the same suite; cases by their label, or by their prompt. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/runs/contender.h"
#include "statistics/pairs.h"

namespace vibe::app {

struct Pairing {
  std::vector<statistics::PairedQuestion> questions;
  std::vector<std::size_t> of_base, of_candidate;      // their places in the contenders' questions
  std::vector<std::string> only_base, only_candidate;  // what has no partner, as shown
  std::vector<std::string> changed;                    // pairs with another prompt or other checks
  std::string_view by = "name";                        // or `prompt`, `position`, of any eval
};

Pairing pair_questions(const Contender& base, const Contender& candidate);

}  // namespace vibe::app
