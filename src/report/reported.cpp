#include "report/reported.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/run.h"
#include "score/numbers.h"

namespace vibe::report {

namespace {

void add_findings(std::string& out, std::span<const score::Finding> findings, std::size_t indent) {
  for (const auto& finding : findings) {
    const std::string_view mark = finding.verdict == score::Verdict::pass   ? "+"
                                  : finding.verdict == score::Verdict::fail ? "-"
                                                                            : "!";
    out += fmt::format("{:{}}{} {}{}{}{}\n", "", indent, mark, finding.type,
                       finding.message.empty() ? "" : ": ", base::printable(finding.message),
                       finding.judged
                           ? fmt::format(" [judge {}, {}]", base::printable(finding.judged->model),
                                         show_dollars(finding.judged->cost))
                           : "");
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

std::span<const score::Turn> turns_of(const score::Result& result) {
  if (!result.turns.empty()) return result.turns;
  const score::Turn& only = result;
  return {&only, 1};
}

std::string findings_text(std::span<const score::Finding> findings, std::size_t indent) {
  std::string out;
  add_findings(out, findings, indent);
  return out;
}

std::vector<std::string_view> failed_checks(const score::Result& result) {
  std::vector<std::string_view> out;
  for (const auto& finding : result.checks)
    if (finding.verdict != score::Verdict::pass &&
        std::find(out.begin(), out.end(), finding.type) == out.end())
      out.push_back(finding.type);
  return out;
}

std::optional<double> metric_of(const score::Run& run, std::string_view name) {
  for (const auto& one : run.metrics)
    if (one.name == name) return one.value;
  return std::nullopt;
}

bool ComparedFigure::counts(const score::Run& run) const {
  return value(run) && run.status == score::RunStatus::completed;
}

bool ComparedFigure::is_as_good(const score::Run& run, const score::Run& other) const {
  if (!counts(other)) return true;
  return more_is_better ? *value(other) <= *value(run) : *value(other) >= *value(run);
}

std::span<const ComparedFigure> compared_figures() {
  static constexpr ComparedFigure kFigures[] = {
      {"Score", true, true, [](const score::Run& run) { return run.score; }, score::show_score},
      {"Success", true, true, [](const score::Run& run) { return run.success_percentage(); },
       score::show_percent},
      {"Cost", false, true, [](const score::Run& run) { return run.total_cost; }, score::show_cost},
      {"Latency", false, true, [](const score::Run& run) { return metric_of(run, "avg_latency"); },
       [](double seconds) { return show_seconds(seconds); }},
      {"Tokens", false, false,
       [](const score::Run& run) -> std::optional<double> {
         if (!run.prompt_tokens && !run.completion_tokens) return std::nullopt;
         return static_cast<double>(run.prompt_tokens.value_or(0) +
                                    run.completion_tokens.value_or(0));
       },
       [](double count) { return fmt::format("{:.0f}", count); }},
  };
  return kFigures;
}

std::string show_success(const score::Run& run) {
  const auto success = run.success_percentage();
  return success ? score::show_percent(*success) : "N/A";
}

std::string show_seconds(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.2f} s", *seconds) : "N/A";
}

std::string show_dollars(const std::optional<double>& dollars) {
  return dollars ? score::show_cost(*dollars) : "N/A";
}

}  // namespace vibe::report
