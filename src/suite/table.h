// Table: the cases of an eval: named columns and rows of text. TableBuilder fills one and reports
// rows that do not fit. A Table is immutable once built and may be shared between threads; a
// builder belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "check/reading.h"

namespace vibe::suite {

class Table {
 public:
  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t rows() const { return rows_; }
  std::string_view cell(std::size_t row, std::size_t column) const;
  std::optional<std::size_t> find(std::string_view column) const;

 private:
  friend class TableBuilder;
  std::vector<std::string> columns_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::string text_;                 // all cells, concatenated
  std::vector<std::uint32_t> ends_;  // the end of each cell in the text
  std::size_t rows_ = 0;
};

struct Cell {
  std::string text;
  base::Where where;
};

struct NamedCell {
  Cell name, value;
};

class TableBuilder {
 public:
  // More rows than `most` are an error; the builder then accepts no more.
  TableBuilder(check::Reading& reading, std::size_t most) : reading_(reading), most_(most) {}

  bool has_columns() const { return !table_.columns_.empty(); }
  // False if a name is empty or taken; then no rows can be read.
  bool set_columns(const std::vector<Cell>& names);

  // `where` is the whole row. False once there are too many rows.
  bool add_row(const std::vector<Cell>& cells, const base::Where& where);
  // Cells in any order. The first row names the columns.
  bool add_row(const std::vector<NamedCell>& cells, const base::Where& where);

  // Reports a row or file that cannot be read; the table is then unusable.
  void fail(const base::Where& where, std::string message, std::string hint = {});

  // Null if there was any problem. `where` is the whole table.
  std::shared_ptr<const Table> finish(const base::Where& where);

 private:
  bool start_row(const base::Where& where);
  void add_cell(const Cell& cell);
  void check_id(const Cell& cell);

  check::Reading& reading_;
  std::size_t most_;
  Table table_;
  bool failed_ = false;
  std::size_t seen_rows_ = 0;
  std::optional<std::size_t> id_column_;
  std::unordered_map<std::string, base::Where> ids_;
  std::vector<const Cell*> ordered_;      // the current row, by column
  std::vector<std::size_t> last_row_of_;  // the last row that had the column
};

}  // namespace vibe::suite
