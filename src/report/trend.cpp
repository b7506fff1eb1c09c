#include "report/trend.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "formula/arithmetic.h"
#include "report/executions.h"
#include "report/table.h"
#include "score/numbers.h"

namespace vibe::report {

using fitness::Trend;
using fitness::TrendEntry;

namespace {

constexpr std::size_t kMostBars = 40;

// `2026-11-02 09:17`, in UTC.
std::string minute(const std::optional<trace::Time>& micros) {
  if (!micros) return "N/A";
  std::string text = base::iso_micros(*micros).substr(0, 16);
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text;
}

// Rounded as in decisions.
std::string hundredths(double score) {
  return score::show_score(formula::arithmetic::round_decimal(score, 2));
}

std::string bars(const Trend& trend) {
  std::vector<std::optional<double>> oldest_first;
  const std::size_t shown = std::min(trend.entries.size(), kMostBars);
  for (std::size_t i = shown; i > 0; --i) oldest_first.emplace_back(trend.entries[i - 1].score);
  return trend_line("Trend", oldest_first, 0);
}

std::string weight_of(const Trend& trend, std::size_t i) {
  if (trend.aggregate.trimmed[i]) return "left out";
  const double weight = trend.aggregate.weights[i];
  return weight > 0 ? fmt::format("{:.2f}", weight) : "-";
}

// The executions that count, and those between them; older ones are summed up in one line.
std::string entry_table(const Trend& trend, const TextStyle& style) {
  const auto& weights = trend.aggregate.weights;
  const auto last = std::find_if(weights.rbegin(), weights.rend(), [](double w) { return w > 0; });
  const auto shown = static_cast<std::size_t>(weights.rend() - last);
  const bool has_versions = !trend.versions.empty();
  std::vector<Column> columns{{"Session", Align::left, 8}, {"Ended (UTC)", Align::left, 0}};
  if (has_versions) columns.push_back({"Version", Align::left, 7});
  columns.push_back({"Score", Align::right, 0});
  columns.push_back({"Grade", Align::left, 0});
  columns.push_back({"Weight", Align::right, 0});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < shown; ++i) {
    const TrendEntry& entry = trend.entries[i];
    std::vector<std::string> cells{name_of(entry.id, entry.file), minute(entry.ended)};
    if (has_versions)
      cells.push_back(entry.version.empty() ? "N/A" : base::printable(entry.version));
    cells.push_back(score::show_score(entry.score));
    cells.push_back(base::printable(entry.grade));
    cells.push_back(weight_of(trend, i));
    table.add(std::move(cells));
  }
  std::string out = table.to_text(style.width);
  if (shown < trend.entries.size())
    out += fmt::format(
        "{} not count\n",
        base::counted(trend.entries.size() - shown, "older execution does", "older executions do"));
  return out;
}

std::string version_table(const Trend& trend, const TextStyle& style) {
  Table table({{"Version", Align::left, 7},
               {"Executions", Align::right, 0},
               {"Aggregate", Align::right, 0},
               {"95 % interval", Align::left, 0},
               {"Change", Align::right, 0},
               {"Probably better", Align::right, 0}});
  for (const auto& one : trend.versions)
    table.add({one.version.empty() ? "N/A" : base::printable(one.version),
               fmt::format("{}", one.scores), hundredths(one.value), show_interval(one.interval),
               one.delta ? fmt::format("{:+.2f}", *one.delta) : "",
               one.probability_better ? fmt::format("{:.2f}", *one.probability_better) : ""});
  return table.to_text(style.width);
}

}  // namespace

std::string show_interval(const std::optional<score::Interval>& interval, int decimals) {
  if (!interval) return "N/A";
  return fmt::format("{:.{}f} to {:.{}f}", interval->low, decimals, interval->high, decimals);
}

std::string trend_text(const Trend& trend, const TextStyle& style) {
  const auto& [value, weights, trimmed, interval] = trend.aggregate;
  std::string out =
      fmt::format("Aggregate {} ({}), from {}", hundredths(value), base::printable(trend.grade),
                  base::counted(trend.entries.size(), "execution", "executions"));
  if (interval) out += fmt::format("; 95 % interval {}", show_interval(interval));
  out += "\n";
  const auto left_out = std::count(trimmed.begin(), trimmed.end(), true);
  if (left_out > 0)
    out += left_out == 2
               ? "The highest and the lowest are left out\n"
               : fmt::format("The {0} highest and the {0} lowest are left out\n", left_out / 2);
  out += bars(trend) + "\n" + entry_table(trend, style);
  if (!trend.versions.empty()) out += "\n" + version_table(trend, style);
  return out;
}

}  // namespace vibe::report
