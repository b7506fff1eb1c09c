// Reads what agents did from their logs: files, folders, standard input, or the newest session of
// an agent that is known.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "trace/errors.h"
#include "trace/execution.h"
#include "trace/format.h"

namespace vibe::app {

struct ReadRequest {
  std::vector<std::string> logs;      // empty: the newest session
  std::optional<std::string> format;  // the name of one; else it is told by what is in the file
  bool keep_calls = false;
  const trace::ErrorPatterns* errors = nullptr;    // null: those of the default rubric
  std::size_t threads = 0;                         // 0: as many as the machine has processors
  std::optional<std::uint64_t> most_unpacked{};    // bytes of a packed log; none: 16 GiB
  const std::atomic<bool>* is_unwanted = nullptr;  // true, from any thread: it ends; null: never
  std::size_t most_sessions = 0;                   // of one log; 0: any number
  bool may_read_files = true;                      // that a log names
};

struct ReadExecutions {
  std::optional<std::string> newest;  // the log that was taken, where none was named: `~/…`
  base::Diagnostics diagnostics;      // what was read stands beside what could not be
};

// Calls `use` with one after the other, in their order: a log may have more than should be held at
// a time.
ReadExecutions read_executions(const ReadRequest& request, const trace::UseExecution& use);

}  // namespace vibe::app
