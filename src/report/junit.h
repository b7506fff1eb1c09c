// JUnit XML: a test case for each sample, as the test reports of CI servers read it. Pure.
#pragma once

#include <span>
#include <string>

#include "report/reported.h"

namespace vibe::report {

// A test suite for each run. A run that was not completed has one more test case, an error that
// says why, so that a report without failures is never that of half a run.
std::string junit(std::span<const ReportedRun> runs);

}  // namespace vibe::report
