#include "cli/report_files.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "cli/options.h"
#include "report/html.h"
#include "report/junit.h"
#include "report/markdown.h"

namespace vibe::cli {

using base::Code;

// A row has one of the functions, for its subject.
struct ReportFiles::Kind {
  About about;
  std::string_view option;
  std::string_view begins;  // how such a report begins; other files are not replaced
  std::string (*of_runs)(std::span<const report::ReportedRun>);
  std::string (*of_executions)(const report::ScoredReport&) = nullptr;
  std::string (*of_comparisons)(std::span<const statistics::Comparison>,
                                const report::ComparedStyle&) = nullptr;
};

constexpr ReportFiles::Kind ReportFiles::kKinds[] = {
    {About::runs, kJunit.name, "<?xml", report::junit},
    {About::runs, kMarkdown.name, "<!-- vibe check -->",
     [](std::span<const report::ReportedRun> runs) { return report::markdown(runs); }},
    {About::runs, kHtml.name, "<!doctype html>", report::html},
    {About::executions, kMarkdown.name, "<!-- vibe fitness -->", nullptr, report::scored_markdown},
    {About::executions, kHtml.name, "<!doctype html>", nullptr, report::scored_html},
    {About::comparisons, kMarkdown.name, "<!-- vibe compare -->", nullptr, nullptr,
     report::compared_markdown},
    {About::comparisons, kHtml.name, "<!doctype html>", nullptr, nullptr, report::compared_html},
};

namespace {

// Compares resolved paths; a missing file is compared by its name.
bool is_same(const std::string& a, const std::string& b) {
  std::error_code error;
  const auto where = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  const auto first = where(a);
  if (error) return false;
  return first == where(b) && !error && !std::filesystem::is_character_file(first, error);
}

// True if the file is missing, empty, not a regular file, or a report of this kind.
bool may_replace(const std::string& path, std::string_view begins) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return true;
  std::string begin(begins.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file.gcount() == 0 || begin == begins;
}

}  // namespace

std::optional<ReportFiles> ReportFiles::prepare(const Arguments& arguments, About about,
                                                std::span<const std::string> others,
                                                base::Diagnostics& out) {
  ReportFiles files;
  for (const auto& kind : kKinds) {
    const auto path = kind.about == about ? arguments.get(kind.option) : std::nullopt;
    if (!path) continue;
    if (path->empty() || *path == "-") {
      out.add(Code::bad_usage, {}, fmt::format("`{}` takes a file, not `{}`", kind.option, *path),
              "standard output is for the command itself; use `/dev/stdout` to send both there");
      continue;
    }
    for (const auto& other : others)
      if (is_same(*path, other))
        out.add(
            Code::bad_usage, {},
            fmt::format("`{}` would overwrite `{}`, which this command reads", kind.option, other));
    if (!out.failed() && !may_replace(*path, kind.begins))
      out.add(Code::bad_usage, {},
              fmt::format("`{}` exists, and is not a report of this kind", *path),
              "vibe replaces only reports of the same kind: choose another name");
    for (const auto& file : files.files_)
      if (is_same(*path, file.file.path()))
        out.add(Code::bad_usage, {},
                fmt::format("`{}` and `{}` name the same file", file.kind->option, kind.option));
    auto file = base::OutputFile::prepare(*path);
    if (file)
      files.files_.push_back({&kind, *std::move(file)});
    else
      out.append(file.error());
  }
  if (out.failed()) return std::nullopt;
  return files;
}

std::string ReportFiles::written() const {
  std::string out;
  for (const auto& one : files_) out += fmt::format("Wrote {}\n", one.file.path());
  return out;
}

void ReportFiles::write(std::span<const report::ReportedRun> runs, base::Diagnostics& out,
                        const std::string& more_markdown) const {
  if (runs.empty()) return;
  std::string ids;
  for (const auto& one : runs) ids += " " + one.run.id;
  for (const auto& one : files_) {
    std::string text = one.kind->of_runs(runs);
    if (one.kind->option == kMarkdown.name && !more_markdown.empty()) text += "\n" + more_markdown;
    const auto written = one.file.write(text);
    if (written) continue;
    for (const auto& problem : written.error().all())
      out.add(problem.code, {}, problem.message,
              fmt::format("nothing is lost; `vibe get run{} {} FILE` writes it from the store", ids,
                          one.kind->option));
  }
}

void ReportFiles::write(const report::ScoredReport& executions, base::Diagnostics& out) const {
  for (const auto& one : files_) {
    const auto written = one.file.write(one.kind->of_executions(executions));
    if (!written) out.append(written.error());
  }
}

void ReportFiles::write(std::span<const statistics::Comparison> comparisons,
                        const report::ComparedStyle& style, base::Diagnostics& out) const {
  for (const auto& one : files_) {
    const auto written = one.file.write(one.kind->of_comparisons(comparisons, style));
    if (!written) out.append(written.error());
  }
}

}  // namespace vibe::cli
