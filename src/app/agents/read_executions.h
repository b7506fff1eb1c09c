// Reads executions from agent logs: files, folders, standard input, or the newest session of a
// known agent.
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
  std::optional<std::string> format;  // its name; none: detected from the content
  bool keep_calls = false;
  const trace::ErrorPatterns* errors = nullptr;    // null: the default rubric's
  std::size_t threads = 0;                         // 0: one per processor
  std::optional<std::uint64_t> most_unpacked{};    // bytes of a compressed log; none: 16 GiB
  const std::atomic<bool>* is_unwanted = nullptr;  // true, from any thread: stop; null: never
  std::size_t most_sessions = 0;                   // per log; 0: unlimited
  bool may_read_files = true;                      // files named in a log
};

struct ReadExecutions {
  std::optional<std::string> newest;  // the log that was chosen if none was given: `~/…`
  base::Diagnostics diagnostics;      // some logs may fail while others are read
};

// Calls `use` with one execution at a time, in order, because a log may have more than fit in
// memory.
ReadExecutions read_executions(const ReadRequest& request, const trace::UseExecution& use);

}  // namespace vibe::app
