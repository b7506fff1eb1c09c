// JUnit XML for the test reports of CI servers: one test case per sample. Pure.
#pragma once

#include <span>
#include <string>

#include "report/reported.h"

namespace vibe::report {

// One test suite per run. An incomplete run has one more test case, an error that says why, so that
// a partial run never looks like a success.
std::string junit(std::span<const ReportedRun> runs);

}  // namespace vibe::report
