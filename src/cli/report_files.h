// The files that `--junit`, `--markdown` and `--html` name, about runs or about executions: looked
// at before anything is asked, written when it is over.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "cli/command.h"
#include "report/reported.h"
#include "report/scored.h"

namespace vibe::cli {

class ReportFiles {
 public:
  enum class About : std::uint8_t { runs, executions };
  // Reports each that cannot be written, and one that is also `other`: the suite, a recording.
  static std::optional<ReportFiles> prepare(const Arguments& arguments, About about,
                                            std::span<const std::string> others,
                                            base::Diagnostics& out);

  bool empty() const { return files_.empty(); }
  std::string written() const;  // `Wrote report.html` for each, with line breaks

  // All that can be written are; of the others it is said how to write them from the store.
  void write(std::span<const report::ReportedRun> runs, base::Diagnostics& out) const;
  void write(const report::ScoredReport& executions, base::Diagnostics& out) const;

 private:
  struct Kind;
  static const Kind kKinds[];
  struct File {
    const Kind* kind;
    base::OutputFile file;
  };
  std::vector<File> files_;
};

}  // namespace vibe::cli
