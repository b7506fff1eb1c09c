#include <utility>

#include "suite/cases.h"

namespace vibe::suite {

namespace {

class CsvReader {
 public:
  CsvReader(const base::SourcePtr& file, TableBuilder& table)
      : file_(file), text_(file->text()), table_(table) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  void read() {
    std::vector<Cell> row;
    while (at_ < text_.size()) {
      if (line_break()) continue;
      const std::size_t begin = at_;
      row.clear();
      const bool good = read_row(row);
      const std::size_t end = at_;
      line_break();
      if (!good) {
        if (!table_.has_columns()) return;
        continue;
      }
      if (!table_.has_columns()) {
        if (!table_.set_columns(row)) return;
      } else if (!table_.add_row(row, where(begin, end))) {
        return;
      }
    }
  }

 private:
  // Skips a line break.
  bool line_break() {
    const auto rest = text_.substr(at_);
    const std::size_t length = rest.starts_with("\r\n") ? 2 : rest.starts_with('\n') ? 1 : 0;
    at_ += length;
    return length > 0;
  }

  bool at_row_end() const {
    return at_ == text_.size() || text_[at_] == '\n' || text_.substr(at_).starts_with("\r\n");
  }

  bool read_row(std::vector<Cell>& row) {
    bool good = true;
    while (true) {
      Cell cell;
      const std::size_t begin = at_;
      good = (at_ < text_.size() && text_[at_] == '"' ? read_quoted(cell.text)
                                                      : read_plain(cell.text)) &&
             good;
      cell.where = where(begin, at_);
      row.push_back(std::move(cell));
      if (at_row_end()) return good;
      ++at_;  // the comma
    }
  }

  bool read_plain(std::string& out) {
    bool good = true;
    const std::size_t begin = at_;
    while (!at_row_end() && text_[at_] != ',') {
      if (text_[at_] == '"' && good) {
        good = false;
        table_.fail(where(at_, at_ + 1), "a quote inside a cell that does not begin with one",
                    "put the whole cell in quotes, and write `\"\"` for each quote in it");
      }
      ++at_;
    }
    out = text_.substr(begin, at_ - begin);
    return good;
  }

  bool read_quoted(std::string& out) {
    const std::size_t begin = at_++;
    while (true) {
      const auto quote = text_.find('"', at_);
      if (quote == std::string_view::npos) {
        table_.fail(where(begin, begin + 1), "a quoted cell that is not closed",
                    "write `\"\"` for a quote inside it");
        at_ = text_.size();
        return false;
      }
      out += text_.substr(at_, quote - at_);
      at_ = quote + 1;
      if (at_ < text_.size() && text_[at_] == '"') {
        out += '"';
        ++at_;
        continue;
      }
      break;
    }
    if (at_row_end() || text_[at_] == ',') return true;
    const std::size_t after = at_;
    while (!at_row_end() && text_[at_] != ',') ++at_;
    table_.fail(where(after, at_), "text after the quote that ends a cell",
                "write `\"\"` for a quote inside a cell");
    return false;
  }

  base::Where where(std::size_t begin, std::size_t end) const {
    return {file_, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}};
  }

  const base::SourcePtr& file_;
  std::string_view text_;
  TableBuilder& table_;
  std::size_t at_ = 0;
};

}  // namespace

void read_csv(const base::SourcePtr& file, TableBuilder& table) { CsvReader(file, table).read(); }

}  // namespace vibe::suite
