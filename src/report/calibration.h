// What a calibration found, as people and programs read it. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "fitness/calibrate.h"
#include "report/run.h"

namespace vibe::report {

struct ReportedCalibration {
  const fitness::Calibration& found;
  std::size_t unlabelled = 0;              // sessions that no label names
  std::span<const std::string> unmatched;  // labels that name no session
  std::optional<std::string> proposal;     // a rubric file
  std::optional<std::string> output;       // where it was written to
};

std::string calibration_text(const ReportedCalibration& reported, const TextStyle& style);
std::string calibration_json(const ReportedCalibration& reported);  // an object

// `tells`: the interval is on one side of 0.5, and the AUC at least 0.7, or at most 0.3. `weak`: it
// is on one side. `nothing`: 0.5 is inside. Empty: there is no AUC.
std::string_view verdict(const fitness::Separation& separation);

}  // namespace vibe::report
