// Table: figures for the documentation. A field has the lowest and the highest of the figures that
// were added to it. Not thread-safe.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace vibe::simulation {

class Table {
 public:
  // Columns without a figure are shown as well if they are in `columns`.
  Table(std::string name, std::string corner, std::vector<std::string> columns, int decimals = 0)
      : name_(std::move(name)),
        corner_(std::move(corner)),
        columns_(std::move(columns)),
        decimals_(decimals) {}

  void add(const std::string& row, const std::string& column, double value);
  const std::string& name() const { return name_; }
  bool is_empty() const { return rows_.empty(); }
  std::string markdown() const;

 private:
  struct Range {
    double least = std::numeric_limits<double>::infinity(), most = -least;
  };
  std::string text(const Range& range) const;

  std::string name_, corner_;
  std::vector<std::string> rows_, columns_;  // in order of appearance
  int decimals_;
  std::map<std::pair<std::string, std::string>, Range> fields_;
};

// The document with the tables between `<!-- simulated: NAME -->` and `<!-- end -->`; empty tables
// stay as they are. None if a table has no place.
std::optional<std::string> with_tables(std::string document, std::span<const Table* const> tables);

}  // namespace vibe::simulation
