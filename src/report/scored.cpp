#include "report/scored.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "report/executions.h"
#include "report/fitness.h"
#include "report/markdown.h"
#include "report/markup.h"
#include "report/reported.h"
#include "report/table.h"
#include "score/numbers.h"

namespace vibe::report {

using base::JsonWriter;
using fitness::DecisionRecord;
using fitness::ScoredExecution;
using fitness::Signal;

namespace {

const std::optional<double>& value_of(const ScoredExecution& scored, Signal id) {
  return scored.signals[static_cast<std::size_t>(id)];
}

std::string show_count(std::int64_t value) {
  return grouped(static_cast<std::size_t>(std::max<std::int64_t>(value, 0)));
}

std::vector<std::string_view> ids_of(auto items) {
  std::vector<std::string_view> out;
  for (const auto& item : items) out.push_back(item.id);
  return out;
}

std::string show_delta(double delta) { return fmt::format("{:+.2f}", delta); }

}  // namespace

std::string show_agent(const fitness::AgentVersion& agent) {
  const std::string text = base::printable(to_string(agent));
  return text.empty() ? "(unknown agent)" : text;
}

std::string show_points(const std::optional<double>& points) {
  return points ? score::show_score(*points) : "N/A";
}

std::string scored_table(std::span<const ScoredExecution> executions, Millis now,
                         const TextStyle& style) {
  std::vector<Column> columns{{"Execution", Align::left, 0}, {"When", Align::left, 0},
                              {"Agent", Align::left, 12},    {"Session", Align::left, 8},
                              {"Calls", Align::right, 0},    {"Failed", Align::right, 0}};
  for (const auto& column : kSignalColumns) columns.push_back({column.brief, Align::right, 0});
  columns.push_back({"Score", Align::right, 0});
  columns.push_back({"Grade", Align::left, 0});
  Table table(std::move(columns));
  const std::size_t id_width = telling_width(ids_of(executions));
  for (const auto& scored : executions) {
    std::vector<std::string> row{scored.id.substr(0, id_width),
                                 ago(scored.time(), now),
                                 show_agent(scored.agent),
                                 name_of(scored.execution),
                                 show_count(scored.execution.tool_calls),
                                 show_count(scored.execution.failed)};
    for (const auto& column : kSignalColumns)
      row.push_back(show_points(value_of(scored, column.id)));
    row.push_back(show_points(scored.score));
    row.push_back(scored.score ? base::printable(scored.grade) : "N/A");
    table.add(std::move(row));
  }
  return table.to_text(style.width);
}

std::string scored_details(const ScoredExecution& scored) {
  const auto& one = scored.execution;
  std::string out;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) out += fmt::format("{}: {}\n", name, base::printable(value));
  };
  add("Execution", scored.id);
  add("Agent", show_agent(scored.agent));
  add("Session", one.id);
  add("Log", one.file + (one.format.empty() ? "" : fmt::format(" ({})", one.format)));
  add("Model", one.model);
  add("Task", fmt::format("{}, {}", to_string(scored.task_type), to_string(scored.complexity)));
  if (one.ended) add("Ended", base::iso_time(scored.time()));
  add("Scored", fmt::format("{} by rubric {}", base::iso_time(scored.scored_at), scored.rubric));
  const std::string meaning =
      scored.meaning.empty() ? "" : fmt::format(": {}", base::printable(scored.meaning));
  out += scored.score ? fmt::format("\nScore: {}, grade {}{}\n", show_points(scored.score),
                                    base::printable(scored.grade), meaning)
                      : fmt::format("\nScore: none: {}\n", base::printable(scored.error));
  Table table({{"", Align::left, 0}, {"", Align::right, 0}});
  for (std::size_t i = 0; i < fitness::kSignals.size(); ++i)
    table.add({fmt::format("  {}", fitness::kSignals[i].name), show_points(scored.signals[i])});
  const std::string signals = table.to_text(80);
  out += signals.substr(signals.find('\n') + 1);  // without the row of empty titles
  out += fmt::format(
      "\nCalls: {}, {} failed, {} refused; {} repeats, {} service retries, {} corrections\n",
      show_count(one.tool_calls), show_count(one.failed), show_count(one.refused),
      show_count(one.repeats), show_count(one.api_retries), show_count(one.corrections));
  out += fmt::format("Time: {}, active {}\n",
                     one.duration ? base::show_duration(*one.duration) : "N/A",
                     one.active ? base::show_duration(*one.active) : "N/A");
  if (one.tokens)
    out += fmt::format("Tokens: {} in, {} out\n", show_count(one.tokens->all_input()),
                       show_count(one.tokens->output));
  if (one.cost) out += fmt::format("Cost: {}\n", show_dollars(one.cost));
  if (!one.notes.empty()) out += "Notes:\n";
  for (const auto& note : one.notes) out += fmt::format("  - {}\n", base::printable(note));
  return out;
}

std::string scored_markdown(const ScoredReport& report) {
  constexpr std::size_t kForRest = 200;  // bytes for the note about the rest
  std::string out = fmt::format(
      "<!-- vibe fitness -->\n### {}\n\n",
      report.about.empty() ? "Agent executions" : "Executions of " + code(report.about));
  out += "| Grade | Score | Agent | Session | Calls | Failed |";
  for (const auto& column : kSignalColumns) out += fmt::format(" {} |", column.brief);
  out += " When |\n|---|---:|---|---|---:|---:|---:|---:|---:|---:|---:|---|\n";
  std::size_t shown = 0;
  for (const auto& scored : report.executions) {
    std::string row = fmt::format(
        "| {} | {} | {} | {} | {} | {} |", scored.score ? cell(scored.grade) : "–",
        show_points(scored.score), cell(show_agent(scored.agent)), cell(name_of(scored.execution)),
        show_count(scored.execution.tool_calls), show_count(scored.execution.failed));
    for (const auto& column : kSignalColumns)
      row += fmt::format(" {} |", show_points(value_of(scored, column.id)));
    row += fmt::format(" {} |\n", base::iso_time(scored.time()).substr(0, 10));
    if (out.size() + row.size() + kForRest > kMostComment) break;
    out += row;
    ++shown;
  }
  if (shown < report.total)
    out += fmt::format("\n<sub>{} of {}{}; `vibe get executions` lists all</sub>\n", grouped(shown),
                       grouped(report.total), report.total < store::kMostCounted ? "" : " or more");
  return out;
}

std::vector<VersionGroup> group_by_version(std::span<const ScoredExecution> executions) {
  std::vector<VersionGroup> out;
  for (const auto& scored : executions) {
    auto group = std::find_if(out.begin(), out.end(),
                              [&](const VersionGroup& each) { return each.agent == scored.agent; });
    if (group == out.end()) group = out.insert(out.end(), {scored.agent, {}});
    group->executions.push_back(&scored);
  }
  return out;
}

// ---- decisions

std::string decision_table(std::span<const DecisionRecord> decisions, Millis now,
                           const TextStyle& style) {
  Table table({{"Decision", Align::left, 0},
               {"When", Align::left, 0},
               {"Old", Align::left, 14},
               {"New", Align::left, 14},
               {"Scores", Align::left, 0},
               {"Change", Align::right, 0},
               {"Verdict", Align::left, 0},
               {"Reason", Align::left, 0},
               {"P(better)", Align::right, 0},
               {"Seed", Align::right, 0}});
  const std::size_t id_width = telling_width(ids_of(decisions));
  for (const auto& record : decisions) {
    const auto& made = record.decision;
    table.add(
        {record.id.substr(0, id_width), ago(record.made_at, now),
         base::printable(record.before.what), base::printable(record.after.what),
         fmt::format("{} → {}", score::show_score(made.old_score),
                     score::show_score(made.new_score)),
         show_delta(made.delta), made.accept ? "accept" : "reject",
         fmt::format("{}{}", to_string(made.reason), made.within_noise ? " (within noise)" : ""),
         show_points(made.probability_better), std::to_string(made.seed)});
  }
  return table.to_text(style.width);
}

}  // namespace vibe::report
