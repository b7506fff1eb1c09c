// The chances of `pass_at(k)` and `pass_all(k)` for one eval or case, from the answers to it,
// without bias. Pure.
#pragma once

#include <cstddef>

#include "formula/input.h"

namespace vibe::score {

// That at least one of `k` answers passes, and that all of them pass, if `passed` of `answers` did;
// undefined with fewer than `k` answers.
double pass_at(std::size_t answers, std::size_t passed, std::size_t k);
double pass_all(std::size_t answers, std::size_t passed, std::size_t k);

// Of an input with formula::is_by_question().
double pass_chance(const formula::Input& input, std::size_t answers, std::size_t passed);

}  // namespace vibe::score
