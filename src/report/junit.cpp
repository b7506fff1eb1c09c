#include "report/junit.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/time.h"
#include "report/markup.h"
#include "report/run.h"

namespace vibe::report {

namespace {

constexpr std::size_t kMostTurnText = 20000;  // code points of a prompt or an answer

std::string clipped(std::string_view text) {
  const auto part = clip(text, kMostTurnText);
  if (part.is_whole) return std::string(text);
  return fmt::format("{}\n[the first {} of {} characters]", part.text, grouped(kMostTurnText),
                     grouped(part.length));
}

void add_property(std::string& out, std::string_view name, std::string_view value) {
  if (!value.empty())
    out += fmt::format("<property name={} value={}/>\n", attribute_value(name),
                       attribute_value(value));
}

std::string number_text(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

void add_interval(std::string& out, std::string_view name,
                  const std::optional<score::Interval>& interval) {
  if (!interval) return;
  add_property(out, fmt::format("{}_low", name), number_text(interval->low));
  add_property(out, fmt::format("{}_high", name), number_text(interval->high));
}

std::string properties(const ReportedRun& reported) {
  const auto& run = reported.run;
  std::string out = "<properties>\n";
  add_property(out, "model", run.model);
  add_property(out, "source", run.source);
  add_property(out, "status", to_string(run.status));
  add_property(out, "score", number_text(run.score));
  add_property(out, "score_error", run.score_error);
  if (run.certainty) {
    add_interval(out, "score_other_evals", run.certainty->score.other_evals);
    add_interval(out, "score_asked_again", run.certainty->score.rerun);
  }
  add_property(out, "formula", run.score_formula);
  add_property(out, "success", number_text(run.success_percentage()));
  add_property(out, "cost", number_text(run.total_cost));
  add_property(out, "judge_cost", number_text(run.judge_cost));
  add_property(out, "gate", judge(reported).text);
  add_property(out, "run", run.id);
  add_property(out, "version", run.version);
  return out + "</properties>\n";
}

std::string conversation(const score::Result& result) {
  const auto turns = turns_of(result);
  std::string out;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const auto& turn = turns[i];
    if (turns.size() > 1)
      out += fmt::format("{}--- turn {} of {}: {} ---\nprompt: {}\nanswer:\n", i > 0 ? "\n" : "",
                         i + 1, turns.size(), to_string(turn.status), clipped(turn.prompt));
    for (const auto& call : turn.tool_calls)
      out += fmt::format(
          "[{}({}) {} {}]\n", call.name, clipped(call.arguments),
          call.failed ? "failed:" : "returned:",
          call.result ? clipped(*call.result) : std::string("nothing, it was not called"));
    out += clipped(turn.response);
    if (turns.size() > 1) out += "\n" + findings_text(turn.checks);
  }
  return out;
}

// The first line of the first problem.
std::string first_problem(const score::Result& result) {
  if (!result.error.empty()) return result.error;
  for (const auto& finding : result.checks)
    if (finding.verdict != score::Verdict::pass)
      return fmt::format("{}: {}", finding.type, finding.message);
  return "not passed";
}

void add_case(std::string& out, const Sample& sample, std::string_view class_name) {
  const auto& result = sample.result;
  out +=
      fmt::format("<testcase classname={} name={} time=\"{:.6f}\">\n", attribute_value(class_name),
                  attribute_value(sample.name()), result.latency.value_or(0));
  if (!result.passed()) {
    const std::string_view tag = result.status == score::ResultStatus::failed ? "failure" : "error";
    const auto kinds = failed_checks(result);
    out += fmt::format(
        "<{} message={} type={}>{}{}</{}>\n", tag, attribute_value(first_problem(result)),
        attribute_value(kinds.empty() ? "model" : fmt::format("{}", fmt::join(kinds, ", "))),
        escaped(result.error.empty() ? "" : result.error + "\n"),
        escaped(findings_text(result.checks)), tag);
  }
  out += fmt::format("<system-out>{}</system-out>\n</testcase>\n", escaped(conversation(result)));
}

void add_suite(std::string& out, const ReportedRun& reported, bool one_of_many) {
  const auto& run = reported.run;
  std::size_t failures = 0, errors = 0;
  for (const auto& result : reported.results) {
    if (result.status == score::ResultStatus::failed) ++failures;
    if (result.status == score::ResultStatus::error) ++errors;
  }
  // if a run has all its results, they show what went wrong
  const bool is_whole = run.status == score::RunStatus::completed ||
                        (errors > 0 && reported.results.size() >= run.planned);
  const std::size_t more = is_whole ? 0 : 1;
  const std::string name =
      one_of_many ? fmt::format("{} ({})", run.suite_name, run.model) : run.suite_name;
  out += fmt::format(
      "<testsuite name={} tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" "
      "time=\"{:.3f}\" timestamp={}>\n",
      attribute_value(name), reported.results.size() + more, failures, errors + more,
      run.duration.value_or(0), attribute_value(base::iso_time(run.created_at).substr(0, 19)));
  out += properties(reported);
  for (const auto& sample : samples(reported.results)) add_case(out, sample, name);
  if (!is_whole)
    out += fmt::format(
        "<testcase classname={} name=\"(the run)\" time=\"0\">\n<error message={} "
        "type=\"incomplete\">{} of {} samples have a result</error>\n</testcase>\n",
        attribute_value(name), attribute_value(judge(reported).text), reported.results.size(),
        run.planned);
  out += "</testsuite>\n";
}

}  // namespace

std::string junit(std::span<const ReportedRun> runs) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& one : runs) add_suite(out, one, runs.size() > 1);
  return out + "</testsuites>\n";
}

}  // namespace vibe::report
