#include "suite/table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::suite {

using base::Code;

namespace {

constexpr std::string_view kId = "id";

std::uint32_t line_of(const base::Where& where) {
  return where.source->position(where.span.begin).line;
}

}  // namespace

std::string_view Table::cell(std::size_t row, std::size_t column) const {
  const std::size_t at = row * columns_.size() + column;
  const std::size_t begin = at == 0 ? 0 : ends_[at - 1];
  return std::string_view(text_).substr(begin, ends_[at] - begin);
}

std::optional<std::size_t> Table::find(std::string_view column) const {
  const auto it = by_name_.find(std::string(column));
  if (it == by_name_.end()) return std::nullopt;
  return it->second;
}

void TableBuilder::fail(const base::Where& where, std::string message, std::string hint) {
  failed_ = true;
  reading_.add(Code::bad_case, where, std::move(message), std::move(hint));
}

bool TableBuilder::set_columns(const std::vector<Cell>& names) {
  bool good = true;
  for (const Cell& name : names) {
    const bool empty = base::trim(name.text).empty();
    if (empty || !table_.by_name_.emplace(name.text, table_.columns_.size()).second) {
      fail(name.where, empty ? "a column without a name"
                             : fmt::format("the column {} occurs twice", check::quoted(name.text)));
      good = false;
    }
    table_.columns_.push_back(name.text);
  }
  id_column_ = table_.find(kId);
  last_row_of_.assign(names.size(), 0);
  ordered_.assign(names.size(), nullptr);
  return good;
}

bool TableBuilder::start_row(const base::Where& where) {
  if (seen_rows_ == most_) {
    failed_ = true;
    reading_.add(Code::too_many, where, fmt::format("more than {} cases", most_),
                 "each case counts as an eval");
    return false;
  }
  ++seen_rows_;
  return true;
}

void TableBuilder::add_cell(const Cell& cell) {
  table_.text_ += cell.text;
  table_.ends_.push_back(static_cast<std::uint32_t>(table_.text_.size()));
}

void TableBuilder::check_id(const Cell& cell) {
  if (base::trim(cell.text).empty()) {
    fail(cell.where, "the `id` of this case is empty");
    return;
  }
  const auto [it, is_new] = ids_.emplace(cell.text, cell.where);
  if (!is_new)
    fail(cell.where, fmt::format("the id {} is already taken", check::quoted(cell.text)),
         fmt::format("line {} also has it", line_of(it->second)));
}

bool TableBuilder::add_row(const std::vector<Cell>& cells, const base::Where& where) {
  if (!start_row(where)) return false;
  const std::size_t width = table_.columns_.size();
  if (cells.size() < width) {
    fail(where, fmt::format("this row has {} of {} cells", cells.size(), width),
         fmt::format("the first missing one is {}", check::quoted(table_.columns_[cells.size()])));
    return true;
  }
  if (cells.size() > width) {
    fail(cells[width].where,
         fmt::format("this row has {} cells, but there are {} columns", cells.size(), width),
         "quote cells that contain a comma");
    return true;
  }
  for (const Cell& cell : cells) add_cell(cell);
  if (id_column_) check_id(cells[*id_column_]);
  ++table_.rows_;
  return true;
}

bool TableBuilder::add_row(const std::vector<NamedCell>& cells, const base::Where& where) {
  if (!has_columns()) {
    std::vector<Cell> names;
    names.reserve(cells.size());
    for (const NamedCell& cell : cells) names.push_back(cell.name);
    if (names.empty()) fail(where, "a case without columns");
    if (names.empty() || !set_columns(names)) return false;
  }
  if (!start_row(where)) return false;

  bool good = true;
  for (const NamedCell& cell : cells) {
    const auto column = table_.find(cell.name.text);
    if (!column || last_row_of_[*column] == seen_rows_) {
      std::string hint;
      if (!column && reading_.may_suggest()) {
        const std::vector<std::string_view> names(table_.columns_.begin(), table_.columns_.end());
        hint = base::did_you_mean(base::nearest(cell.name.text, names));
      }
      fail(cell.name.where,
           fmt::format("{} {}{}", column ? "the column" : "the first case has no column",
                       check::quoted(cell.name.text), column ? " occurs twice" : ""),
           std::move(hint));
      good = false;
      continue;
    }
    last_row_of_[*column] = seen_rows_;
    ordered_[*column] = &cell.value;
  }
  // Stops at the first missing column, so it takes no longer than the row is wide.
  const auto missing = std::find_if(last_row_of_.begin(), last_row_of_.end(),
                                    [this](std::size_t row) { return row != seen_rows_; });
  if (missing != last_row_of_.end()) {
    if (good)
      fail(where,
           fmt::format(
               "this case has no {}",
               check::quoted(
                   table_.columns_[static_cast<std::size_t>(missing - last_row_of_.begin())])),
           "every case has the columns of the first; write `\"\"` for an empty cell");
    return true;
  }
  if (!good) return true;
  for (const Cell* cell : ordered_) add_cell(*cell);
  if (id_column_) check_id(*ordered_[*id_column_]);
  ++table_.rows_;
  return true;
}

std::shared_ptr<const Table> TableBuilder::finish(const base::Where& where) {
  if (seen_rows_ == 0 && !failed_) {
    failed_ = true;
    reading_.add(Code::empty_list, where, "the table has no cases");
  }
  if (failed_) return nullptr;
  return std::make_shared<const Table>(std::move(table_));
}

}  // namespace vibe::suite
