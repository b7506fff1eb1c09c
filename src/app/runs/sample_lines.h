// The lines of a prepared run's evals in the suite's file. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "app/runs/prepare_run.h"

namespace vibe::app {

// For each sample of the plan the line of its eval, from 1; none if there is no suite.
std::vector<std::uint32_t> sample_lines(const Prepared& prepared);

}  // namespace vibe::app
