// Where the evals of a prepared run stand in the suite's file. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "app/runs/prepare_run.h"

namespace vibe::app {

// The line of its eval for each sample of the plan, from 1; none where there is no suite.
std::vector<std::uint32_t> sample_lines(const Prepared& prepared);

}  // namespace vibe::app
