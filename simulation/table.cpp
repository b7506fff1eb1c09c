#include "simulation/table.h"

#include <algorithm>

#include <fmt/format.h>

namespace vibe::simulation {

namespace {

void add_name(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

void Table::add(const std::string& row, const std::string& column, double value) {
  add_name(rows_, row);
  add_name(columns_, column);
  Range& range = fields_[{row, column}];
  range.least = std::min(range.least, value);
  range.most = std::max(range.most, value);
}

std::string Table::text(const Range& range) const {
  const auto least = fmt::format("{:.{}f}", range.least, decimals_);
  const auto most = fmt::format("{:.{}f}", range.most, decimals_);
  return least == most ? least : least + "–" + most;
}

std::string Table::markdown() const {
  std::string out = "| " + corner_, rule = "|---";
  for (const auto& column : columns_) {
    out += " | " + column;
    rule += "|---";
  }
  out += " |\n" + rule + "|\n";
  for (const auto& row : rows_) {
    out += "| " + row;
    for (const auto& column : columns_) {
      const auto found = fields_.find({row, column});
      out += " | " + (found == fields_.end() ? "–" : text(found->second));
    }
    out += " |\n";
  }
  return out;
}

std::optional<std::string> with_tables(std::string document, std::span<const Table* const> tables) {
  for (const Table* table : tables) {
    const std::string marker = "<!-- simulated: " + table->name() + " -->\n";
    const std::size_t place = document.find(marker);
    if (place == std::string::npos) return std::nullopt;
    const std::size_t begin = place + marker.size(), end = document.find("<!-- end -->", begin);
    if (end == std::string::npos) return std::nullopt;
    if (!table->is_empty()) document.replace(begin, end - begin, table->markdown());
  }
  return document;
}

}  // namespace vibe::simulation
