// Read: agent logs → executions. Detects the format of each file, unpacks compressed files, and
// reads several files at once. The only part of this folder that knows all formats.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "trace/find.h"
#include "trace/format.h"

namespace vibe::trace {

const LogFormat* find_format(std::string_view name);  // null: unknown name

// The format of a log, from its first bytes; a diagnostic says which were tried, or which match.
inline constexpr std::size_t kHeadBytes = std::size_t{1} << 20,  // enough for most, and
    kMostHeadBytes = std::size_t{16} << 20;                      // for a first line with images
base::Result<const LogFormat*> tell_format(std::string_view head, const std::string& file);

struct ReadLog {
  const LogFormat* format = nullptr;  // null: not a log
  std::vector<Execution> executions;
  base::Diagnostics diagnostics;
};

// `format` overrides the detection. If there is `use`, it gets the executions, one at a time, and
// the returned log has none.
ReadLog read_log(const LogFile& log, const LogFormat* format, const Options& options,
                 const UseExecution& use = {});

// Reads all logs with `options.threads` threads, some files at a time. For each file, in order,
// `use` gets its executions and then `done` the rest of the result.
void read_logs(const std::vector<LogFile>& logs, const LogFormat* format, const Options& options,
               const UseExecution& use, const std::function<void(const LogFile&, ReadLog&)>& done);

}  // namespace vibe::trace
