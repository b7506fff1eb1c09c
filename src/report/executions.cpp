#include "report/executions.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "fitness/heuristics.h"
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

// Failures are known only if some call has a known outcome; a refusal does not count.
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

// Saturates, so that no log and no sum of two sums overflows.
void add(std::int64_t& sum, std::int64_t more) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000'000;
  sum = more > kMost - sum ? kMost : sum + more;
}

void add(std::optional<double>& sum, const std::optional<double>& more) {
  if (more) sum = sum.value_or(0) + *more;
}

void add_to(Execution& all, const Execution& one) {
  for (const auto count :
       {&Execution::tool_calls, &Execution::failed, &Execution::refused, &Execution::unknown,
        &Execution::repeats, &Execution::api_retries, &Execution::corrections})
    add(all.*count, one.*count);
  add(all.duration, one.duration);
  add(all.cost, one.cost);
  if (!one.tokens) return;
  if (!all.tokens) all.tokens.emplace().cache_in_input = true;
  add(all.tokens->input, one.tokens->all_input());
  add(all.tokens->output, one.tokens->output);
}

// The sum of known values; `≥` if some session's value is unknown.
std::vector<std::string> sum_row(const Execution& sum, std::size_t count,
                                 const std::vector<bool>& has_gap) {
  auto cells = execution_row(sum);
  cells[0] = fmt::format("{} sessions", count);
  cells[1] = cells[2] = "";
  for (std::size_t i = 3; i < cells.size(); ++i)
    if (has_gap[i] && cells[i] != "N/A") cells[i].insert(0, "≥ ");
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
  // If the log has only the end of a call, it may begin before the first time stamp.
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
               {"Input, or the error", Align::left, 24}});
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
  if (one.calls.empty()) return out + "No tool calls.\n";
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

void NotesBelow::add(std::string_view session, const std::vector<std::string>& notes) {
  for (const auto& note : notes) {
    const auto [at, is_new] = about_.try_emplace(note);
    if (is_new) order_.push_back(&at->first);
    About& about = at->second;
    if (++about.count > kMostNamed) continue;
    about.sessions.append(is_new ? "" : ", ").append(session);
  }
}

std::string NotesBelow::text() const {
  std::string out;
  for (const std::string* note : order_) {
    const About& about = about_.at(*note);
    out += fmt::format(
        "{}{}: {}\n", about.sessions,
        about.count > kMostNamed ? fmt::format(" and {} more", about.count - kMostNamed) : "",
        base::printable(*note));
  }
  return out.empty() ? out : "\n" + out;
}

ExecutionReport::ExecutionReport(ExecutionForm form, const TextStyle& style)
    : form_(form),
      style_(style),
      table_({{"Session", Align::left, 8},
              {"Agent", Align::left, 11},
              {"Model", Align::left, 10},
              {"Calls", Align::right, 0},
              {"Failed", Align::right, 0},
              {"Retries", Align::right, 0},
              {"Corrections", Align::right, 0},
              {"Duration", Align::right, 0},
              {"Tokens in", Align::right, 0},
              {"out", Align::right, 0},
              {"Cost", Align::right, 0}}) {}

void ExecutionReport::add(Execution one) {
  ++count_;
  const bool is_table = form_ == ExecutionForm::table || form_ == ExecutionForm::timelines;
  if (!is_table && !one.output.empty()) one.structure = fitness::structure_of(one.output);
  switch (form_) {
    case ExecutionForm::json: {
      base::JsonWriter json(base::JsonWriter::Layout::indented);
      trace::write_json(json, one, true);
      return items_.add(json.text(), text_);
    }
    case ExecutionForm::jsonl:
    case ExecutionForm::jsonl_with_calls: {
      base::JsonWriter json;
      trace::write_json(json, one, form_ == ExecutionForm::jsonl_with_calls);
      text_.append(json.text()).append("\n");
      return;
    }
    case ExecutionForm::timelines: text_ += timeline(one, style_) + "\n"; break;
    case ExecutionForm::table: break;
  }
  auto cells = execution_row(one);
  has_gap_.resize(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) has_gap_[i] = has_gap_[i] || cells[i] == "N/A";
  add_to(sum_, one);
  notes_.add(cells.front(), one.notes);
  table_.add(std::move(cells));
}

std::string ExecutionReport::finish() {
  const bool is_table = form_ == ExecutionForm::table || form_ == ExecutionForm::timelines;
  if (form_ == ExecutionForm::json) items_.end(text_);
  if (is_table && count_ > 1) table_.add(sum_row(sum_, count_, has_gap_));
  if (is_table && count_ > 0) text_ += table_.to_text(style_.width) + notes_.text();
  return take();
}

std::string execution_report(ExecutionForm form, std::span<const Execution> executions,
                             const TextStyle& style) {
  ExecutionReport out(form, style);
  for (const auto& one : executions) out.add(one);
  return out.finish();
}

}  // namespace vibe::report
