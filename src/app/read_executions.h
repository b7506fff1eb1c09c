// Reads what agents did from their logs: files, folders, standard input, or the newest session of
// an agent that is known.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "trace/errors.h"
#include "trace/execution.h"

namespace vibe::app {

struct ReadRequest {
  std::vector<std::string> logs;      // empty: the newest session
  std::optional<std::string> format;  // the name of one; else it is told by what is in the file
  bool keep_calls = false;
  const trace::ErrorPatterns* errors = nullptr;  // null: those of the default rubric
  std::size_t threads = 0;                       // 0: as many as the machine has processors
};

struct ReadExecutions {
  std::vector<trace::Execution> executions;
  std::optional<std::string> newest;  // the log that was taken, where none was named: `~/…`
  base::Diagnostics diagnostics;      // what was read stands beside what could not be
};

ReadExecutions read_executions(const ReadRequest& request);

}  // namespace vibe::app
