// What a calibration found, as people read it. Pure.
#pragma once

#include <string>

#include "report/run.h"
#include "wire/calibration.h"

namespace vibe::report {

std::string calibration_text(const wire::ReportedCalibration& reported, const TextStyle& style);

}  // namespace vibe::report
