#include "report/github.h"

#include <fmt/format.h>

#include "base/text.h"
#include "score/numbers.h"

namespace vibe::report {

namespace {

constexpr std::size_t kMostAnnotationText = 1000, kMostTitle = 120;  // code points

std::string message_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else
      out += c;
  }
  return out;
}

std::string property_text(std::string_view text) {
  std::string out;
  for (const char c : message_text(text)) {
    if (c == ':')
      out += "%3A";
    else if (c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string annotation(std::string_view kind, const SuiteFile& suite, std::uint32_t sample,
                       std::string_view title, std::string_view message) {
  std::string place;
  if (!suite.path.empty()) {
    place = fmt::format("file={},", property_text(suite.path));
    if (sample < suite.lines.size()) place += fmt::format("line={},", suite.lines[sample]);
  }
  return fmt::format("::{} {}title={}::{}\n", kind, place,
                     property_text(base::shorten(base::printable(title), kMostTitle)),
                     message_text(base::shorten(message, kMostAnnotationText)));
}

std::string annotation_message(const score::Result& result) {
  std::string out = result.error.empty() ? "" : base::printable(result.error) + "\n";
  out += findings_text(result.checks);
  out +=
      fmt::format("answer: {}", base::shorten(base::printable(base::trim(result.response)), 300));
  return out;
}

// GitHub silently drops annotations over its limit.
std::string left_out(std::size_t failed, std::size_t errors) {
  if (failed <= kMostAnnotations && errors <= kMostAnnotations) return {};
  return fmt::format(" ({} failed, {} could not be judged; the first {} of each are marked)",
                     failed, errors, kMostAnnotations);
}

}  // namespace

std::string annotations(std::span<const ReportedRun> runs, const SuiteFile& suite) {
  std::string out, notices;
  std::size_t failed = 0, errors = 0;
  for (const auto& one : runs) {
    const std::string model = runs.size() > 1 ? fmt::format(" ({})", one.run.model) : "";
    for (const auto& sample : samples(one.results)) {
      const auto& result = sample.result;
      if (result.passed()) continue;
      const bool is_failure = result.status == score::ResultStatus::failed;
      if (++(is_failure ? failed : errors) > kMostAnnotations) continue;
      out += annotation(is_failure ? "error" : "warning", suite, result.sample,
                        fmt::format("{} {}{}", sample.name(),
                                    is_failure ? "failed" : "could not be judged", model),
                        annotation_message(result));
    }
    notices +=
        fmt::format("::notice title={}::{}\n",
                    property_text(base::shorten(
                        base::printable(fmt::format("vibe check {}{}", one.run.suite_name, model)),
                        kMostTitle)),
                    message_text(fmt::format(
                        "score {}, {} of {} passed, {}, {}",
                        one.run.score ? score::show_score(*one.run.score) : "N/A", one.run.passed,
                        one.run.results, show_dollars(one.run.total_cost), judge(one).text)));
  }
  const std::string more = left_out(failed, errors);
  if (!more.empty() && !notices.empty()) notices.insert(notices.size() - 1, more);
  return out + notices;
}

}  // namespace vibe::report
