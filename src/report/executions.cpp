#include "report/executions.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "report/markup.h"
#include "report/reported.h"
#include "report/table.h"
#include "trace/own.h"

namespace vibe::report {

using trace::Call;
using trace::Execution;

namespace {

std::string duration_text(const std::optional<double>& value) {
  return value ? base::show_duration(*value) : "N/A";
}

std::string grouped_count(std::int64_t value) { return grouped(static_cast<std::size_t>(value)); }

// `1.42M`: a table has no room for more.
std::string rough(std::int64_t tokens) {
  const auto number = static_cast<double>(tokens);
  if (tokens < 10'000) return fmt::format("{}", tokens);
  if (tokens < 999'500) return fmt::format("{:.0f}k", number / 1e3);
  return fmt::format("{:.2f}M", number / 1e6);
}

// Failures are only known where the outcome of any call is; a refusal is none.
std::string failed(const Execution& one) {
  if (one.unknown > 0 && one.unknown + one.refused >= one.tool_calls) return "N/A";
  return grouped_count(one.failed);
}

std::vector<std::string> execution_row(const Execution& one) {
  return {name_of(one),
          one.agent.empty() ? "N/A" : base::printable(one.agent),
          one.model.empty() ? "N/A" : base::printable(one.model),
          grouped_count(one.tool_calls),
          failed(one),
          grouped_count(one.repeats + one.api_retries),
          grouped_count(one.corrections),
          duration_text(one.duration),
          one.tokens ? rough(one.tokens->all_input()) : "N/A",
          one.tokens ? rough(one.tokens->output) : "N/A",
          show_dollars(one.cost)};
}

// No log makes it overflow, nor two such sums.
void add(std::int64_t& sum, std::int64_t more) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000'000;
  sum = more > kMost - sum ? kMost : sum + more;
}

void add(std::optional<double>& sum, const std::optional<double>& more) {
  if (more) sum = sum.value_or(0) + *more;
}

Execution all_of(std::span<const Execution> executions) {
  Execution all;
  for (const auto& one : executions) {
    for (const auto count :
         {&Execution::tool_calls, &Execution::failed, &Execution::refused, &Execution::unknown,
          &Execution::repeats, &Execution::api_retries, &Execution::corrections})
      add(all.*count, one.*count);
    add(all.duration, one.duration);
    add(all.cost, one.cost);
    if (!one.tokens) continue;
    if (!all.tokens) all.tokens.emplace().cache_in_input = true;
    add(all.tokens->input, one.tokens->all_input());
    add(all.tokens->output, one.tokens->output);
  }
  return all;
}

// What is known; `≥` where that is not known of every session.
std::vector<std::string> sum_row(std::span<const Execution> executions) {
  auto cells = execution_row(all_of(executions));
  cells[0] = fmt::format("{} sessions", executions.size());
  cells[1] = cells[2] = "";
  for (const auto& one : executions) {
    const auto of_one = execution_row(one);
    for (std::size_t i = 3; i < cells.size(); ++i)
      if (of_one[i] == "N/A" && cells[i] != "N/A" && !cells[i].starts_with("≥"))
        cells[i].insert(0, "≥ ");
  }
  return cells;
}

std::string_view color_of(const Call& call) {
  if (call.refused) return "\x1b[33m";
  return call.outcome == trace::Outcome::failure ? "\x1b[31m" : "";
}

std::string mark(const Call& call) {
  if (call.refused) return "refused";
  switch (call.outcome) {
    case trace::Outcome::success: return "ok";
    case trace::Outcome::failure:
      return call.exit_code ? fmt::format("FAILED ({})", *call.exit_code) : "FAILED";
    case trace::Outcome::unknown: return call.answered ? "?" : "no result";
  }
  return {};
}

std::string since(const Execution& one, const Call& call) {
  if (!call.start || !one.started) return "";
  // A call whose log tells only its end may begin before the first time stamp.
  const auto total = std::max<trace::Time>(0, *call.start - *one.started) / 1'000'000;
  return fmt::format("+{}:{:02}:{:02}", total / 3600, total % 3600 / 60, total % 60);
}

std::string took(const Call& call) {
  if (!call.start || !call.end || *call.start >= *call.end) return "";
  return base::show_duration(static_cast<double>(*call.end - *call.start) / 1e6);
}

std::string timeline(const Execution& one, const TextStyle& style) {
  Table table({{"", Align::right, 0},
               {"", Align::right, 0},
               {"Tool", Align::left, 12},
               {"Took", Align::right, 0},
               {"Outcome", Align::left, 0},
               {"Input, or what went wrong", Align::left, 24}});
  std::size_t number = 0;
  std::vector<std::string_view> colors;
  for (const auto& call : one.calls) {
    const bool explained =
        (call.outcome == trace::Outcome::failure || call.refused) && !call.error.empty();
    const std::string text = base::fold_white_space(explained ? call.error : call.input);
    table.add({fmt::format("{}", ++number), since(one, call),
               (call.sub_agent.empty() ? "" : "↳ ") + base::printable(call.name), took(call),
               mark(call), base::printable(base::shorten(text, 300))});
    colors.push_back(color_of(call));
  }
  std::string out = fmt::format("=== {} ===\n", name_of(one));
  if (one.calls.empty()) return out + "No calls of tools.\n";
  const std::string text = table.to_text(style.width);
  if (!style.color) return out + text;
  std::size_t line = 0, at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    const std::string_view color = line > 0 ? colors[line - 1] : "";
    const std::string one_line = text.substr(at, end - at);
    out += color.empty() ? one_line : fmt::format("{}{}\x1b[0m", color, one_line);
    out += '\n';
    at = end + 1;
    ++line;
  }
  return out;
}

}  // namespace

std::string name_of(std::string_view id, std::string_view file) {
  return base::printable(id.empty() ? file.substr(file.find_last_of('/') + 1) : id);
}

std::string name_of(const Execution& execution) { return name_of(execution.id, execution.file); }

std::string notes_below(std::span<const Noted> sessions) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string_view> texts;  // in the order of the sessions
  std::map<std::string_view, std::vector<std::string_view>> about;
  for (const auto& one : sessions)
    for (const auto& note : one.notes) {
      auto& names = about[note];
      if (names.empty()) texts.push_back(note);
      names.push_back(one.name);
    }
  std::string out;
  for (const std::string_view text : texts) {
    const auto& names = about[text];
    std::string shown;
    for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
      shown.append(i > 0 ? ", " : "").append(names[i]);
    if (names.size() > kMostNamed) shown += fmt::format(" and {} more", names.size() - kMostNamed);
    out += fmt::format("{}: {}\n", shown, base::printable(text));
  }
  return out.empty() ? out : "\n" + out;
}

std::string execution_table(std::span<const Execution> executions, const TextStyle& style) {
  Table table({{"Session", Align::left, 8},
               {"Agent", Align::left, 11},
               {"Model", Align::left, 10},
               {"Calls", Align::right, 0},
               {"Failed", Align::right, 0},
               {"Retries", Align::right, 0},
               {"Corrections", Align::right, 0},
               {"Duration", Align::right, 0},
               {"Tokens in", Align::right, 0},
               {"out", Align::right, 0},
               {"Cost", Align::right, 0}});
  for (const auto& one : executions) table.add(execution_row(one));
  if (executions.size() > 1) table.add(sum_row(executions));
  std::vector<Noted> noted;
  for (const auto& one : executions) noted.push_back({name_of(one), one.notes});
  return table.to_text(style.width) + notes_below(noted);
}

std::string timelines(std::span<const Execution> executions, const TextStyle& style) {
  std::string out;
  for (const auto& one : executions) out += timeline(one, style) + "\n";
  return out;
}

std::string executions_json(std::span<const Execution> executions) {
  base::JsonWriter json(base::JsonWriter::Layout::indented);
  json.begin_array();
  for (const auto& one : executions) trace::write_json(json, one, true);
  json.end_array();
  return json.text() + "\n";
}

std::string executions_jsonl(std::span<const Execution> executions, bool with_calls) {
  std::string out;
  for (const auto& one : executions) {
    base::JsonWriter json;
    trace::write_json(json, one, with_calls);
    out.append(json.text()).append("\n");
    if (out.size() == json.text().size() + 1) out.reserve(out.size() * executions.size());
  }
  return out;
}

}  // namespace vibe::report
