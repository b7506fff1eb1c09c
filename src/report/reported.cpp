#include "report/reported.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/run.h"

namespace vibe::report {

namespace {

void add_findings(std::string& out, std::span<const check::Finding> findings, std::size_t indent) {
  for (const auto& finding : findings) {
    const std::string_view mark = finding.verdict == check::Verdict::pass   ? "+"
                                  : finding.verdict == check::Verdict::fail ? "-"
                                                                            : "!";
    out += fmt::format("{:{}}{} {}{}{}\n", "", indent, mark, finding.type,
                       finding.message.empty() ? "" : ": ", base::printable(finding.message));
    if (finding.judged)
      out += fmt::format("{:{}}{}\n", "", indent + 2, judged_text(*finding.judged));
    add_findings(out, finding.children, indent + 2);
  }
}

}  // namespace

Judgement judge(const ReportedRun& reported) {
  const auto& run = reported.run;
  if (run.status != score::RunStatus::completed) {
    std::string text(to_string(run.status));
    std::replace(text.begin(), text.end(), '_', ' ');
    if (!run.error.empty()) text += ": " + base::printable(run.error);
    return {Outcome::incomplete, std::move(text)};
  }
  const auto failed = score::failed_gate(score_of(run), reported.gates);
  return failed.empty() ? Judgement{Outcome::passed, "gate passed"}
                        : Judgement{Outcome::gate_failed, "gate failed: " + failed};
}

std::string Sample::name() const {
  if (repeats < 2) return result.eval_name;
  return fmt::format("{} (repeat {})", result.eval_name, result.repeat + 1);
}

std::vector<Sample> samples(std::span<const score::Result> results) {
  std::vector<Sample> out;
  out.reserve(results.size());
  for (std::size_t begin = 0; begin < results.size();) {
    std::size_t end = begin + 1;
    while (end < results.size() && results[end].repeat > results[end - 1].repeat &&
           results[end].eval_name == results[begin].eval_name)
      ++end;
    // a repeat may be missing: the run was stopped
    const std::size_t repeats = std::max<std::size_t>(end - begin, results[end - 1].repeat + 1U);
    for (; begin < end; ++begin) out.push_back({results[begin], repeats});
  }
  return out;
}

std::vector<score::Turn> turns_of(const score::Result& result) {
  if (!result.turns.empty()) return result.turns;
  score::Turn only;
  only.prompt = result.prompt;
  only.response = result.response;
  only.thinking = result.thinking;
  only.stop_reason = result.stop_reason;
  only.tool_calls = result.tool_calls;
  only.checks = result.checks;
  only.status = result.status;
  only.error = result.error;
  only.latency = result.latency;
  only.cost = result.cost;
  return {only};
}

std::string judged_text(const check::Judged& judged) {
  return fmt::format("Judge {}: {} of {} answers agree, {}", base::printable(judged.model),
                     judged.agreed, judged.asked, show_dollars(judged.cost));
}

std::string findings_text(std::span<const check::Finding> findings) {
  std::string out;
  add_findings(out, findings, 0);
  return out;
}

std::vector<std::string_view> failed_checks(const score::Result& result) {
  std::vector<std::string_view> out;
  for (const auto& finding : result.checks)
    if (finding.verdict != check::Verdict::pass &&
        std::find(out.begin(), out.end(), finding.type) == out.end())
      out.push_back(finding.type);
  return out;
}

std::string show_seconds(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.2f} s", *seconds) : "N/A";
}

std::string show_dollars(const std::optional<double>& dollars) {
  return dollars ? score::show_cost(*dollars) : "N/A";
}

}  // namespace vibe::report
