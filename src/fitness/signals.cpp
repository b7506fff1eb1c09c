#include "fitness/signals.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"

namespace vibe::fitness {

namespace {

constexpr std::size_t kMostNamed = 4;    // calls, lines, …: the others are only counted
constexpr std::size_t kMostQuoted = 60;  // code points of a call's error

std::string number(double value) { return base::to_decimal(value, 4); }

// The text as one printable line for a terminal.
std::string in_one_line(std::string_view text) {
  return base::printable(base::shorten(base::fold_white_space(base::trim(text)), kMostQuoted));
}

double clamp(double value) { return std::min(1.0, std::max(0.0, value)); }

SignalValue undefined(std::string why) {
  return {.value = {}, .why = std::move(why), .evidence = {}};
}

std::string describe(const trace::Call& call) {
  std::string out = fmt::format("{} failed", base::printable(call.name));
  if (call.exit_code) out += fmt::format(" with exit code {}", *call.exit_code);
  if (!call.error.empty()) out += fmt::format(": {}", in_one_line(call.error));
  return out;
}

// Names the failed calls, if the execution has its list of calls.
void name_failed(const trace::Execution& execution, std::vector<std::string>& out) {
  std::size_t named = 0, all = 0;
  for (const trace::Call& call : execution.calls) {
    if (call.outcome != trace::Outcome::failure || call.refused) continue;
    if (all++ >= kMostNamed) continue;
    ++named;
    out.push_back(describe(call));
  }
  if (all > named) out.push_back(fmt::format("and {} more", all - named));
}

SignalValue tool_success_rate(const trace::Execution& execution) {
  const std::int64_t known = execution.succeeded + execution.failed;
  if (known == 0)
    return undefined(execution.tool_calls == 0 ? "no tool calls" : "no call with a known outcome");
  SignalValue out{.value = static_cast<double>(execution.succeeded) / static_cast<double>(known),
                  .why = {},
                  .evidence = {fmt::format("{} of {} succeeded", execution.succeeded,
                                           base::counted(known, "call", "calls"))}};
  name_failed(execution, out.evidence);
  if (execution.unknown > 0)
    out.evidence.push_back(fmt::format("not counted: {} with an unknown outcome",
                                       base::counted(execution.unknown, "call", "calls")));
  if (execution.refused > 0)
    out.evidence.push_back(fmt::format("not counted: {} that a person refused",
                                       base::counted(execution.refused, "call", "calls")));
  return out;
}

// The sum of the weights of the heuristics that hold.
SignalValue of_part(Part part, const AnswerFindings& answer, const Task& task,
                    const Rubric& rubric) {
  SignalValue out{.value = 0.0, .why = {}, .evidence = {}};
  for (const HeuristicRow& row : heuristics()) {
    if (row.part != part) continue;
    const bool counts = row.id != Heuristic::code || task.type == TaskType::coding;
    const Finding& finding = answer[row.id];
    const double weight = rubric.weight(row.id), earned = counts && finding.holds ? weight : 0;
    *out.value += earned;
    std::string line = fmt::format("{} of {} {}", number(earned), number(weight), row.name);
    std::string because = counts ? fmt::format("{}", fmt::join(finding.evidence, "; "))
                                 : std::string("not a coding task");
    if (!because.empty()) line += ": " + because;
    out.evidence.push_back(std::move(line));
  }
  return out;
}

std::optional<double> seconds_of(const trace::Execution& execution) {
  return execution.active ? execution.active : execution.duration;
}

SignalValue time_efficiency(const trace::Execution& execution, const Task& task,
                            const Rubric& rubric) {
  const auto seconds = seconds_of(execution);
  if (!seconds) return undefined("no times in the log");
  const double expected = rubric.expected_of(task.complexity).seconds;
  return {.value = clamp(1 - *seconds / expected),
          .why = {},
          .evidence = {fmt::format("{} of the {} that a {} task may take",
                                   base::show_duration(*seconds), base::show_duration(expected),
                                   to_string(task.complexity))}};
}

SignalValue tool_efficiency(const trace::Execution& execution, const Task& task,
                            const Rubric& rubric) {
  if (execution.tool_calls == 0) return undefined("no tool calls");
  const double expected = rubric.expected_of(task.complexity).calls;
  return {.value = clamp(1 - static_cast<double>(execution.tool_calls) / expected),
          .why = {},
          .evidence = {fmt::format("{} of the {} that a {} task may take",
                                   base::counted(execution.tool_calls, "call", "calls"),
                                   number(expected), to_string(task.complexity))}};
}

SignalValue efficiency(const SignalValue& time, const SignalValue& tools, EfficiencyBy by) {
  // By one of them, and why the wanted one is missing.
  const auto only = [](const SignalValue& which, std::string_view name, const std::string& why) {
    SignalValue out{.value = which.value,
                    .why = {},
                    .evidence = {fmt::format("by {}: {}", name, which.evidence.front())}};
    if (!why.empty()) out.evidence.push_back(why);
    return out;
  };
  if (!time.value && !tools.value) return undefined("no times and no tool calls");
  if (!time.value) return only(tools, "calls", by == EfficiencyBy::tools ? "" : time.why);
  if (!tools.value) return only(time, "time", by == EfficiencyBy::time ? "" : tools.why);
  switch (by) {
    case EfficiencyBy::time: return only(time, "time", "");
    case EfficiencyBy::tools: return only(tools, "calls", "");
    case EfficiencyBy::mean:
      return {.value = (*time.value + *tools.value) / 2,
              .why = {},
              .evidence = {
                  fmt::format("by time, {}: {}", number(*time.value), time.evidence.front()),
                  fmt::format("by calls, {}: {}", number(*tools.value), tools.evidence.front())}};
  }
  std::abort();
}

// Names the lines of the answer that report an error.
void name_lines(const AnswerFindings& answer, std::vector<std::string>& out) {
  const std::size_t shown = std::min(answer.error_lines.size(), kMostNamed);
  for (std::size_t i = 0; i < shown; ++i)
    out.push_back(fmt::format("\"{}\"", in_one_line(answer.error_lines[i])));
  if (shown > 0 && answer.error_line_count > shown)
    out.push_back(fmt::format("and {} more", answer.error_line_count - shown));
}

SignalValue error_count(const trace::Execution& execution, const AnswerFindings& answer) {
  struct Kind {
    std::int64_t count;
    std::string_view one, many;
  };
  const Kind kinds[] = {
      {execution.failed, "failed call", "failed calls"},
      {execution.repeats, "repeat of a failed call", "repeats of failed calls"},
      {execution.api_retries, "retry by the model's service", "retries by the model's service"},
      {execution.corrections, "correction by the user", "corrections by the user"},
      {execution.other_errors, "other error that the log counts",
       "other errors that the log counts"},
      {answer.error_line_count, "line of the answer that reports an error",
       "lines of the answer that report an error"},
      {execution.ended_in_error.value_or(false) ? 1 : 0, "run that ended in an error", ""},
  };
  SignalValue out{.value = 0.0, .why = {}, .evidence = {}};
  for (const Kind& kind : kinds) {
    if (kind.count <= 0) continue;
    *out.value += static_cast<double>(kind.count);
    out.evidence.push_back(base::counted(kind.count, kind.one, kind.many));
  }
  const bool did_nothing = execution.tool_calls == 0 && base::trim(execution.output).empty();
  if (did_nothing && *out.value == 0) return undefined("no tool calls and no answer");
  name_lines(answer, out.evidence);
  if (out.evidence.empty()) out.evidence.emplace_back("none");
  return out;
}

SignalValue error_rate(const SignalValue& errors, const Rubric& rubric) {
  if (!errors.value) return undefined(errors.why);
  return {.value = std::min(1.0, *errors.value / rubric.most_errors),
          .why = {},
          .evidence = {
              fmt::format("{} of {} errors", number(*errors.value), number(rubric.most_errors))}};
}

}  // namespace

Task task_of(const trace::Execution& execution, const AnswerFindings& answer,
             std::optional<TaskType> type, std::optional<Complexity> complexity) {
  Task out;
  if (type) {
    out.type = *type;
    out.type_from = "as given";
  } else if (const auto logged = task_type(execution.task_type)) {
    out.type = *logged;
    out.type_from = "the log says so";
  } else if (execution.writes_files) {
    out.type = TaskType::coding;
    out.type_from = "a tool that writes files was called";
  } else if (answer.has_program) {
    out.type = TaskType::coding;
    out.type_from = "the answer has code in a programming language";
  } else {
    out.type = TaskType::other;
    out.type_from = "no file was written, and the answer has no program";
  }
  if (complexity) {
    out.complexity = *complexity;
    out.complexity_from = "as given";
  } else if (const auto logged = fitness::complexity(execution.complexity)) {
    out.complexity = *logged;
    out.complexity_from = "the log says so";
  } else {
    out.complexity = Complexity::medium;
    out.complexity_from = "the default";
  }
  return out;
}

Signals measure(const trace::Execution& execution, const AnswerFindings& answer, const Task& task,
                const Rubric& rubric) {
  Signals out;
  const auto at = [&](Signal id) -> SignalValue& { return out[static_cast<std::size_t>(id)]; };
  at(Signal::tool_success_rate) = tool_success_rate(execution);
  if (base::trim(execution.output).empty()) {
    for (const Signal id :
         {Signal::completeness, Signal::accuracy, Signal::output_quality, Signal::structure_score})
      at(id) = undefined("no answer in the log");
  } else {
    const auto& completeness = at(Signal::completeness) =
        of_part(Part::completeness, answer, task, rubric);
    const auto& accuracy = at(Signal::accuracy) = of_part(Part::accuracy, answer, task, rubric);
    at(Signal::output_quality) = {
        .value = (*completeness.value + *accuracy.value) / 2,
        .why = {},
        .evidence = {fmt::format("completeness {}, accuracy {}", number(*completeness.value),
                                 number(*accuracy.value))}};
    at(Signal::structure_score) = of_part(Part::structure, answer, task, rubric);
  }
  const auto& time = at(Signal::time_efficiency) = time_efficiency(execution, task, rubric);
  const auto& tools = at(Signal::tool_efficiency) = tool_efficiency(execution, task, rubric);
  at(Signal::efficiency) = efficiency(time, tools, rubric.efficiency);
  const auto& errors = at(Signal::error_count) = error_count(execution, answer);
  at(Signal::error_rate) = error_rate(errors, rubric);
  return out;
}

}  // namespace vibe::fitness
