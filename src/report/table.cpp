#include "report/table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/json.h"
#include "base/text.h"

namespace vibe::report {

namespace {

constexpr std::size_t kGap = 2;  // between columns

void pad(std::string& out, std::size_t columns) { out.append(columns, ' '); }

}  // namespace

std::string fit(std::string_view text, std::size_t width) {
  if (base::display_width(text) <= width) return std::string(text);
  std::string out;
  std::size_t used = 0;
  base::Columns columns;
  for (std::size_t i = 0; i < text.size();) {
    const auto point = base::decode(text, i);
    used += columns.next(point.value);
    if (used + 1 > width) break;
    out.append(text.substr(i, point.length));
    i += point.length;
  }
  if (width > 0) out += "…";
  return out;
}

std::vector<std::size_t> Table::widths(std::size_t width) const {
  std::vector<std::size_t> out;
  for (const auto& column : columns_) out.push_back(base::display_width(column.title));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      out[i] = std::max(out[i], base::display_width(row[i]));
  std::size_t total = kGap * (columns_.size() - 1);
  for (const auto one : out) total += one;
  // The widest column that may be narrowed is narrowed first.
  while (total > width) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].least > 0 && out[i] > columns_[i].least &&
          (widest == columns_.size() || out[i] > out[widest]))
        widest = i;
    if (widest == columns_.size()) break;
    --out[widest];
    --total;
  }
  return out;
}

std::string Table::to_text(std::size_t width) const {
  const auto column_widths = widths(width);
  std::string out;
  const auto add_line = [&](const auto& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = fit(cell_at(i), column_widths[i]);
      const std::size_t room =
          column_widths[i] - std::min(column_widths[i], base::display_width(cell));
      if (i > 0) pad(line, kGap);
      if (columns_[i].align == Align::right) pad(line, room);
      line += cell;
      if (columns_[i].align == Align::left) pad(line, room);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add_line([&](std::size_t i) { return columns_[i].title; });
  for (const auto& row : rows_)
    add_line([&](std::size_t i) {
      return i < row.size() ? std::string_view(row[i]) : std::string_view();
    });
  return out;
}

std::string sparkline(const std::vector<std::optional<double>>& values) {
  static constexpr std::array<std::string_view, 8> kBars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double least = INFINITY, most = -INFINITY;
  for (const auto& value : values)
    if (value && std::isfinite(*value)) {
      least = std::min(least, *value);
      most = std::max(most, *value);
    }
  std::string out;
  for (const auto& value : values) {
    if (!value || !std::isfinite(*value)) {
      out += ' ';
      continue;
    }
    // Halved, so that the difference does not overflow.
    const double range = most / 2 - least / 2;
    const double share = range > 0 ? (*value / 2 - least / 2) / range : 0.5;
    out += kBars[static_cast<std::size_t>(std::lround(share * (kBars.size() - 1)))];
  }
  return out;
}

}  // namespace vibe::report
