#include "cli/github.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/crypto.h"
#include "base/output_file.h"
#include "base/time.h"
#include "report/github.h"
#include "report/markdown.h"

namespace vibe::cli {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The path as GitHub knows it: from the root of the repository.
std::string from_root(const std::string& path) {
  const std::string root = variable("GITHUB_WORKSPACE");
  if (root.empty()) return path;
  std::error_code error;
  const auto relative = std::filesystem::relative(path, root, error);
  if (error || relative.empty() || *relative.begin() == "..") return path;
  return relative.string();
}

}  // namespace

bool is_github_step() { return variable("GITHUB_ACTIONS") == "true"; }

std::string without_commands(const std::string& text) {
  const std::string token = base::uuid7(base::now_millis());  // nobody can guess it
  return fmt::format("::stop-commands::{0}\n{1}::{0}::\n", token, text);
}

std::string github_annotations(std::span<const report::ReportedRun> runs,
                               std::span<const std::uint32_t> lines) {
  if (runs.empty()) return {};
  const std::string& path = runs.front().run.suite_path;
  return report::annotations(runs, {path.empty() ? path : from_root(path), lines});
}

void add_step_summary(std::span<const report::ReportedRun> runs, base::Diagnostics& out) {
  const std::string path = variable("GITHUB_STEP_SUMMARY");
  if (path.empty() || runs.empty()) return;
  std::error_code error;
  const auto there = std::filesystem::file_size(path, error);
  // GitHub rejects the whole summary of a step if it exceeds the limit
  constexpr std::size_t kLeast = 4096;
  const std::size_t room = error ? report::kMostSummary
                           : there < report::kMostSummary
                               ? report::kMostSummary - static_cast<std::size_t>(there)
                               : 0;
  if (room < kLeast) {
    out.add(base::Code::no_summary, {},
            fmt::format("`{}` is full; the run summary was not added", path));
    return;
  }
  const auto written = base::append_file(path, report::markdown(runs, room));
  if (!written)
    for (const auto& problem : written.error().all())
      out.add(base::Code::no_summary, {}, problem.message,
              "`GITHUB_STEP_SUMMARY` names the file; the run is not affected");
}

}  // namespace vibe::cli
