// The files of `--junit`, `--markdown` and `--html`, about runs, executions or comparisons: checked
// before any prompt is sent, written at the end.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "cli/command.h"
#include "report/compared.h"
#include "report/reported.h"
#include "report/scored.h"

namespace vibe::cli {

class ReportFiles {
 public:
  enum class About : std::uint8_t { runs, executions, comparisons };
  // Reports each file that cannot be written, or that is one of `others`: the suite, a recording.
  static std::optional<ReportFiles> prepare(const Arguments& arguments, About about,
                                            std::span<const std::string> others,
                                            base::Diagnostics& out);

  bool empty() const { return files_.empty(); }
  std::string written() const;  // `Wrote report.html` for each, with line breaks

  // Writes all it can; for the others, it says how to write them from the store.
  // `more_markdown` is added to the Markdown.
  void write(std::span<const report::ReportedRun> runs, base::Diagnostics& out,
             const std::string& more_markdown = {}) const;
  void write(const report::ScoredReport& executions, base::Diagnostics& out) const;
  void write(std::span<const statistics::Comparison> comparisons,
             const report::ComparedStyle& style, base::Diagnostics& out) const;

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
