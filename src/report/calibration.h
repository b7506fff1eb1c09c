// A calibration, formatted for people. Pure.
#pragma once

#include <string>

#include "report/run.h"
#include "wire/calibration.h"

namespace vibe::report {

std::string calibration_text(const wire::ReportedCalibration& reported, const TextStyle& style);

}  // namespace vibe::report
