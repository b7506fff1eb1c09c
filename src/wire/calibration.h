// A calibration as JSON. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "fitness/calibrate.h"

namespace vibe::wire {

struct ReportedCalibration {
  const fitness::Calibration& found;
  std::size_t unlabelled = 0;              // sessions without a label
  std::span<const std::string> unmatched;  // labels without a session
  std::optional<std::string> proposal;     // a rubric file
  std::optional<std::string> output;       // the file it was written to
};

std::string calibration_json(const ReportedCalibration& reported);  // an object

}  // namespace vibe::wire
