// The files that `--junit`, `--markdown` and `--html` name: looked at before anything is asked,
// written when it is over.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "cli/command.h"
#include "report/reported.h"

namespace vibe::cli {

class ReportFiles {
 public:
  // Reports each that cannot be written, and one that is also `other`: the suite, a recording.
  static std::optional<ReportFiles> prepare(const Arguments& arguments,
                                            std::span<const std::string> others,
                                            base::Diagnostics& out);

  bool empty() const { return files_.empty(); }
  std::string written() const;  // `Wrote report.html` for each, with line breaks

  // All that can be written are; of the others it is said how to write them from the store.
  void write(std::span<const report::ReportedRun> runs, base::Diagnostics& out) const;

 private:
  struct File {
    std::string_view option;
    std::string (*make)(std::span<const report::ReportedRun>);
    base::OutputFile file;
  };
  std::vector<File> files_;
};

}  // namespace vibe::cli
