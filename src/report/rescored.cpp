#include "report/rescored.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/score.h"
#include "report/table.h"
#include "score/numbers.h"

namespace vibe::report {

using score::RescoredRun;
using score::RescoreSummary;

namespace {

constexpr std::size_t kShownId = 13;  // of a UUID version 7: its whole time stamp
constexpr std::size_t kShownFlips = 5, kShownReasons = 10;
constexpr std::size_t kAnyWidth = static_cast<std::size_t>(-1);

std::string score_or_none(const std::optional<double>& score) {
  return score ? score::show_score(*score) : "N/A";
}

std::string count_of_runs(std::size_t count) { return base::counted(count, "run", "runs"); }

std::string name_of_run(const RescoredRun& run) {
  return fmt::format("{} ({})", run.id.substr(0, kShownId), base::printable(run.model));
}

std::string rank_cell(const RescoredRun& run) {
  if (!run.rank_before || !run.rank_after) return {};
  if (*run.rank_before == *run.rank_after) return std::to_string(*run.rank_after);
  return fmt::format("{} → {}", *run.rank_before, *run.rank_after);
}

std::string gate_cell(const RescoredRun& run) {
  if (!run.passes_after) return {};
  const std::string_view now = run.flips() ? " now" : "";
  return fmt::format("{}{}", *run.passes_after ? "passes" : "fails", now);
}

std::string new_interval_cell(const RescoredRun& run) {
  if (!run.certainty) return {};
  const auto& sure = run.certainty->score;
  const auto& interval = sure.other_evals ? sure.other_evals : sure.rerun;
  return interval ? interval_text(*interval) : std::string();
}

std::string spread_table(const RescoreSummary& summary) {
  if (!summary.before || !summary.after) return {};
  Table table({{"", Align::left, 0},
               {"least", Align::right, 0},
               {"median", Align::right, 0},
               {"mean", Align::right, 0},
               {"most", Align::right, 0}});
  const auto add = [&](const char* name, const score::Spread& spread) {
    table.add({name, score::show_score(spread.least), score::show_score(spread.median),
               score::show_score(spread.mean), score::show_score(spread.most)});
  };
  add("stored", *summary.before);
  add("new", *summary.after);
  return table.to_text(kAnyWidth);
}

std::string rank_lines(const RescoreSummary& summary) {
  if (summary.ranked == 0 || !summary.best_before || !summary.best_after) return {};
  std::string out = summary.moved == 0 ? "ranks: no change; "
                                       : fmt::format("ranks: {} of {} change{}; ", summary.moved,
                                                     summary.ranked, summary.moved == 1 ? "s" : "");
  if (summary.best_before->id == summary.best_after->id)
    out += fmt::format("the best is still {}\n", name_of_run(*summary.best_after));
  else
    out += fmt::format("the best is now {}, rank {} before\n", name_of_run(*summary.best_after),
                       summary.best_after->rank_before.value_or(0));
  for (const auto& run : summary.movers)
    out += fmt::format("  {} → {}  {}\n", *run.rank_before, *run.rank_after, name_of_run(run));
  return out;
}

std::string gate_lines(const RescoreSummary& summary) {
  const auto& gates = summary.gates;
  if (gates.runs == 0) return {};
  std::string out = fmt::format("gates: {} of {} pass now, {} before\n", gates.pass_after,
                                gates.runs, gates.passed_before);
  const std::size_t flips = gates.lost + gates.won;
  const std::size_t shown = std::min(summary.flips.size(), kShownFlips);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& run = summary.flips[i];
    out += fmt::format("  {} now: {} → {}  {}\n", *run.passes_after ? "passes" : "fails",
                       score_or_none(run.before), score_or_none(run.after), name_of_run(run));
  }
  if (flips > shown) out += fmt::format("  and {} more\n", flips - shown);
  return out;
}

std::string reason_lines(const RescoreSummary& summary) {
  const std::size_t count = summary.runs - summary.scored;
  if (count == 0) return {};
  std::string out = fmt::format("{} cannot be scored:\n", count_of_runs(count));
  std::size_t others = 0;
  for (std::size_t i = 0; i < summary.unscored.size(); ++i) {
    const auto& one = summary.unscored[i];
    if (i < kShownReasons)
      out += fmt::format("  {}: {}\n", one.runs, base::printable(one.why));
    else
      others += one.runs;
  }
  if (others > 0) out += fmt::format("  {}: other reasons\n", others);
  return out;
}

}  // namespace

std::string rescore_summary(const RescoreSummary& summary) {
  std::string out = fmt::format("{}\n{} of {} scored", base::printable(summary.formula),
                                summary.scored, count_of_runs(summary.runs));
  if (summary.scored == 0)
    out += "\n";
  else if (summary.changed == 0)
    out += "; no score differs from the stored one\n";
  else
    out += fmt::format("; {} from the stored one\n",
                       base::counted(summary.changed, "score differs", "scores differ"));
  for (const auto& note : summary.notes) out += fmt::format("note: {}\n", base::printable(note));
  for (const auto& part :
       {spread_table(summary), rank_lines(summary), gate_lines(summary), reason_lines(summary)})
    if (!part.empty()) out += "\n" + part;
  if (!summary.kept.empty())
    out += fmt::format("\nThe new scores are kept as `{}`; `vibe get run ID` shows them.\n",
                       base::printable(summary.kept));
  return out;
}

std::string rescored_table(std::span<const RescoredRun> rows, const TextStyle& style) {
  const auto any = [&](auto cell) {
    return std::ranges::any_of(rows, [&](const auto& run) { return !cell(run).empty(); });
  };
  std::vector<Column> columns{{"Run", Align::left, 0},
                              {"Suite", Align::left, 8},
                              {"Model", Align::left, 8},
                              {"Stored", Align::right, 0},
                              {"New", Align::right, 0}};
  const bool has_intervals = any(new_interval_cell), has_gates = any(gate_cell);
  if (has_intervals) columns.push_back({"95 %", Align::left, 0});
  columns.push_back({"Rank", Align::left, 0});
  if (has_gates) columns.push_back({"Gate", Align::left, 0});
  Table table(std::move(columns));
  std::vector<std::string_view> ids;
  for (const auto& run : rows) ids.push_back(run.id);
  const std::size_t id_width = telling_width(std::move(ids));
  for (const auto& run : rows) {
    std::vector<std::string> cells{run.id.substr(0, id_width), base::printable(run.suite),
                                   base::printable(run.model), score_or_none(run.before),
                                   score_or_none(run.after)};
    if (has_intervals) cells.push_back(new_interval_cell(run));
    cells.push_back(rank_cell(run));
    if (has_gates) cells.push_back(gate_cell(run));
    table.add(std::move(cells));
  }
  return table.to_text(style.width);
}

}  // namespace vibe::report
