#include "report/run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "report/reported.h"
#include "report/score.h"
#include "report/table.h"
#include "score/numbers.h"

namespace vibe::report {

namespace {

constexpr std::size_t kShownResponse = 200;  // code points of a response that did not pass
constexpr std::size_t kShownPrompt = 80;     // code points of a turn's prompt
constexpr std::size_t kScoreColumns = 2;     // of a comparison: the model and its score
constexpr std::size_t kIdCharacters = 13;    // of a UUID version 7: its whole time stamp

double or_nan(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

struct Shade {
  std::string_view word, code;
};

Shade shade(score::ResultStatus status) {
  switch (status) {
    case score::ResultStatus::passed: return {"PASS", "\x1b[32m"};
    case score::ResultStatus::failed: return {"FAIL", "\x1b[31m"};
    case score::ResultStatus::error: return {"ERROR", "\x1b[33m"};
  }
  std::abort();
}

std::string painted(std::string_view text, std::string_view code, const TextStyle& style) {
  return style.color ? fmt::format("{}{}\x1b[0m", code, text) : std::string(text);
}

// All repeats of one eval.
struct Group {
  std::string_view name;
  std::vector<const score::Result*> results;

  std::size_t count(score::ResultStatus status) const {
    return static_cast<std::size_t>(std::count_if(
        results.begin(), results.end(), [&](const auto* one) { return one->status == status; }));
  }
  score::ResultStatus status() const {
    if (count(score::ResultStatus::error) > 0) return score::ResultStatus::error;
    return count(score::ResultStatus::passed) == results.size() ? score::ResultStatus::passed
                                                                : score::ResultStatus::failed;
  }
  std::optional<double> mean(std::optional<double> score::Result::* field) const {
    double sum = 0;
    std::size_t known = 0;
    for (const auto* result : results)
      if (const auto& value = result->*field) {
        sum += *value;
        ++known;
      }
    return known == 0 ? std::nullopt : std::optional(sum / static_cast<double>(known));
  }
};

std::vector<Group> group(std::span<const score::Result> results) {
  std::vector<Group> out;
  for (const auto& result : results) {
    if (out.empty() || out.back().name != result.eval_name || result.repeat == 0)
      out.push_back({result.eval_name, {}});
    out.back().results.push_back(&result);
  }
  return out;
}

void add_turn(std::string& out, const score::Turn& turn, std::size_t indent) {
  if (!turn.error.empty()) out += fmt::format("{:{}}{}\n", "", indent, base::printable(turn.error));
  out += findings_text(turn.checks, indent);
  if (turn.status == score::ResultStatus::passed) return;
  if (!turn.response.empty())
    out += fmt::format("{:{}}response: {}\n", "", indent,
                       base::shorten(base::printable(base::trim(turn.response)), kShownResponse));
  else if (turn.error.empty())
    out += fmt::format("{:{}}response: (empty)\n", "", indent);
}

void add_details(std::string& out, const score::Result& result, bool many) {
  if (many) out += fmt::format("      repeat {}:\n", result.repeat + 1);
  if (!result.fitness_error.empty())
    out += fmt::format("      no fitness: {}\n", base::printable(result.fitness_error));
  if (result.turns.empty()) return add_turn(out, result, 6);
  for (std::size_t i = 0; i < result.turns.size(); ++i) {
    const auto& turn = result.turns[i];
    out += fmt::format("      turn {}: {}: {}\n", i + 1, to_string(turn.status),
                       base::shorten(base::printable(turn.prompt), kShownPrompt));
    add_turn(out, turn, 8);
  }
}

// `  fitness 78.33  2 of 3 passed`, if there is something to say.
std::string notes(const Group& group) {
  const auto fitness = group.mean(&score::Result::fitness);
  std::string out = fitness ? fmt::format("  fitness {:.2f}", *fitness) : "";
  if (group.results.size() > 1)
    out += fmt::format("  {} of {} passed", group.count(score::ResultStatus::passed),
                       group.results.size());
  return out;
}

score::TokenCount token_count(const std::optional<std::int64_t>& total,
                              std::span<const score::Result> results,
                              std::optional<std::int64_t> score::Turn::* stated) {
  score::TokenCount out;
  if (total) out.total = static_cast<double>(*total);
  for (const auto& result : results)
    if (const auto& count = result.*stated) {
      out.stated += static_cast<double>(*count);
      ++out.samples;
    }
  return out;
}

// The lines of a text, printable and indented by four columns.
std::string indented(std::string_view text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = base::printable(text.substr(begin, end - begin));
    out += line.empty() ? "\n" : fmt::format("    {}\n", line);
    begin = end + 1;
  }
  return out.empty() ? "    (empty)\n" : out;
}

void add_texts(std::string& out, const score::Turn& turn, const std::string& before) {
  const auto add = [&](std::string_view what, std::string_view text) {
    out += fmt::format("{}{}:\n{}", before, what, indented(text));
  };
  add("prompt", turn.prompt);
  for (const auto& call : turn.tool_calls) {
    add(fmt::format("tool call {}", base::printable(call.name)), call.arguments);
    if (call.result) add(call.failed ? "tool error" : "tool result", *call.result);
  }
  if (!turn.thinking.empty()) add("thinking", turn.thinking);
  if (!turn.error.empty()) add("error", turn.error);
  add("response", turn.response);
}

// Of other evals if that is known, else of these asked again.
std::string interval_cell(const score::Run& run) {
  if (!run.certainty) return {};
  const auto& score = run.certainty->score;
  const auto& interval = score.other_evals ? score.other_evals : score.rerun;
  return interval ? interval_text(*interval) : std::string();
}

}  // namespace

std::string eval_list(std::span<const score::Result> results, bool quiet, const TextStyle& style) {
  auto groups = group(results);
  if (quiet)
    std::erase_if(groups,
                  [](const Group& one) { return one.status() == score::ResultStatus::passed; });
  constexpr std::size_t kWidestName = 48, kFigures = 30;
  std::size_t name_width = 0;
  for (const auto& one : groups)
    name_width = std::max(name_width, base::display_width(base::printable(one.name)));
  const std::size_t room = style.width > kFigures + 8 ? style.width - kFigures : 8;
  name_width = std::min({name_width, kWidestName, room});

  std::string out;
  for (const auto& one : groups) {
    const Shade look = shade(one.status());
    const std::string name = fit(base::printable(one.name), name_width);
    const bool many = one.results.size() > 1;
    out += fmt::format("{}{:{}} {}{:{}}  {:>8}  {:>9}{}\n", painted(look.word, look.code, style),
                       "", 5 - look.word.size(), name, "", name_width - base::display_width(name),
                       show_seconds(one.mean(&score::Result::latency)),
                       score::show_cost(or_nan(one.mean(&score::Result::cost))), notes(one));
    for (const auto* result : one.results)
      if (!many || !result->passed() || !result->turns.empty() || !result->fitness_error.empty())
        add_details(out, *result, many);
  }
  return out;
}

std::string run_footer(const score::Run& run) {
  std::string out = fmt::format(
      "Model: {}{}\n", base::printable(run.model),
      is_replay(run) ? fmt::format(" (recorded answers: {})", base::printable(recording_file(run)))
                     : "");
  if (run.judge_cost != 0.0)
    out += fmt::format("Judge Cost: {}\n", score::show_cost(or_nan(run.judge_cost)));
  out += fmt::format("Status: {}{}\n", to_string(run.status),
                     run.error.empty() ? "" : fmt::format(" ({})", base::printable(run.error)));
  if (run.duration) out += fmt::format("Time: {}\n", base::show_duration(*run.duration));
  for (const auto& kept : run.kept_scores)
    out += fmt::format("Kept as {}: {} (formula: {})\n", base::printable(kept.name),
                       kept.value ? score::show_score(*kept.value)
                                  : fmt::format("N/A: {}", base::printable(kept.error)),
                       base::printable(kept.formula));
  out += fmt::format("Run: {}\n", run.id);
  return out;
}

score::Score score_of(const score::Run& run, std::span<const score::Result> results) {
  score::Score out;
  out.value = run.score;
  out.formula = run.score_formula;
  out.error = run.score_error;
  if (!out.value && out.error.empty())
    out.error = is_finished(run.status) ? "the run has no score" : "the run is not finished";
  for (const auto& metric : run.score_metrics)
    out.metrics.push_back({metric.name, metric.formula, metric.value, metric.error, {}});
  out.run_metrics.fill(formula::kUndefined);
  for (const auto& metric : run.metrics)
    for (std::size_t i = 0; i < formula::kRunMetrics.size(); ++i)
      if (formula::kRunMetrics[i].name == metric.name) out.run_metrics[i] = or_nan(metric.value);
  out.samples = run.results;
  out.errors = run.errors;
  out.prompt_tokens = token_count(run.prompt_tokens, results, &score::Turn::prompt_tokens);
  out.completion_tokens =
      token_count(run.completion_tokens, results, &score::Turn::completion_tokens);
  return out;
}

std::string comparison(std::span<const score::Run> runs, const TextStyle& style) {
  std::vector<Column> columns{{"Model", Align::left, 12}};
  for (const auto& figure : compared_figures()) {
    columns.push_back({figure.title, Align::right, 0});
    if (columns.size() == kScoreColumns) columns.push_back({"95 %", Align::left, 0});
  }
  columns.push_back({"Status", Align::left, 0});
  Table table(std::move(columns));
  for (const auto& run : runs) {
    std::vector<std::string> row{base::printable(run.model)};
    for (const auto& figure : compared_figures()) {
      const auto value = figure.value(run);
      const bool is_best =
          figure.counts(run) && std::all_of(runs.begin(), runs.end(), [&](const score::Run& other) {
            return figure.is_as_good(run, other);
          });
      row.push_back((value ? figure.show(*value) : "N/A") + (is_best ? "*" : " "));
      if (row.size() == kScoreColumns) row.push_back(interval_cell(run));
    }
    row.emplace_back(to_string(run.status));
    table.add(std::move(row));
  }
  return table.to_text(style.width) + "* best in its column\n";
}

std::string ago(score::Millis then, score::Millis now) {
  const auto passed = std::max<score::Millis>(0, now - then) / 1000;
  if (passed < 60) return "just now";
  if (passed < 3600) return fmt::format("{} min ago", passed / 60);
  if (passed < 86400) return fmt::format("{} h ago", passed / 3600);
  constexpr score::Millis kMonth = 30;
  if (passed / 86400 < kMonth) return fmt::format("{} d ago", passed / 86400);
  return base::iso_time(then).substr(0, 10);
}

// Runs of several models begin in the same millisecond.
std::size_t telling_width(std::vector<std::string_view> ids) {
  std::sort(ids.begin(), ids.end());
  std::size_t width = kIdCharacters;
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const auto [a, b] =
        std::mismatch(ids[i - 1].begin(), ids[i - 1].end(), ids[i].begin(), ids[i].end());
    width = std::max(width, static_cast<std::size_t>(b - ids[i].begin()) + 1);
  }
  return width;
}

std::string run_table(std::span<const score::Run> runs, score::Millis now, const TextStyle& style) {
  Table table({{"Run", Align::left, 0},
               {"Suite", Align::left, 8},
               {"Model", Align::left, 8},
               {"Status", Align::left, 0},
               {"Score", Align::right, 0},
               {"95 %", Align::left, 0},
               {"Success", Align::right, 0},
               {"Cost", Align::right, 0},
               {"Time", Align::right, 0},
               {"Started", Align::left, 0}});
  std::vector<std::string_view> ids;
  for (const auto& run : runs) ids.push_back(run.id);
  const std::size_t id_width = telling_width(std::move(ids));
  for (const auto& run : runs)
    table.add(
        {run.id.substr(0, id_width), base::printable(run.suite_name), base::printable(run.model),
         std::string(to_string(run.status)), run.score ? score::show_score(*run.score) : "N/A",
         interval_cell(run), score::show_percent(or_nan(run.success_percentage())),
         score::show_cost(or_nan(run.total_cost)),
         run.duration ? base::show_duration(*run.duration) : "N/A", ago(run.created_at, now)});
  return table.to_text(style.width);
}

std::string page_line(const store::RunPage& page) {
  return page_line("runs", page.runs.size(), page.total, page.next);
}

std::string page_line(std::string_view what, std::size_t shown, std::size_t total,
                      std::string_view next) {
  if (next.empty()) return {};
  return fmt::format("\n{} of {}{} {}; for the next page, add `--after {}`\n", shown, total,
                     total < store::kMostCounted ? "" : " or more", what, next);
}

std::string trend_line(std::string_view suite, const std::vector<std::optional<double>>& scores,
                       std::size_t name_width) {
  std::vector<double> known;
  for (const auto& score : scores)
    if (score) known.push_back(*score);
  if (known.empty()) return {};
  const std::string name = base::printable(suite);
  const std::size_t used = base::display_width(name);
  std::string out =
      fmt::format("{}{:{}}  {}  {}", name, "", name_width > used ? name_width - used : 0,
                  sparkline(scores), score::show_score(known.front()));
  if (known.size() > 1) out += fmt::format(" → {}", score::show_score(known.back()));
  return out + "\n";
}

std::string responses(std::span<const score::Result> results, bool quiet) {
  std::string out;
  for (const auto& result : results) {
    if (quiet && result.passed()) continue;
    out +=
        fmt::format("{}--- {}{} ---\n", out.empty() ? "" : "\n", base::printable(result.eval_name),
                    result.repeat > 0 ? fmt::format(", repeat {}", result.repeat + 1) : "");
    if (result.turns.empty()) add_texts(out, result, "");
    for (std::size_t i = 0; i < result.turns.size(); ++i)
      add_texts(out, result.turns[i], fmt::format("turn {}: ", i + 1));
  }
  return out;
}

}  // namespace vibe::report
