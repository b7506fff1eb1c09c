// Read: logs of agents → executions. Tells the format of each file, unpacks what is packed, and
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

const Format* find_format(std::string_view name);  // null: there is none

// The format of a log by its first bytes; a diagnostic says which were tried, or which several fit.
inline constexpr std::size_t kHeadBytes = std::size_t{1} << 20,  // enough for most, and
    kMostHeadBytes = std::size_t{16} << 20;                      // for a first line of images
base::Result<const Format*> tell_format(std::string_view head, const std::string& file);

struct ReadLog {
  const Format* format = nullptr;  // null: it is no log
  std::vector<Execution> executions;
  base::Diagnostics diagnostics;
};

// `format` overrides what the file looks like. With `use` that gets the executions, one after the
// other, and none is in what is returned.
ReadLog read_log(const LogFile& log, const Format* format, const Options& options,
                 const UseExecution& use = {});

// All of them, by `options.threads` threads, some files at a time. `use` gets the executions and
// `done` what else is to be said of a file behind them, in the order of the files.
void read_logs(const std::vector<LogFile>& logs, const Format* format, const Options& options,
               const UseExecution& use, const std::function<void(const LogFile&, ReadLog&)>& done);

}  // namespace vibe::trace
