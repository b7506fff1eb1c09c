// Values: the JSON objects of a log, one at a time, however they are separated: one per line,
// several glued together, spread over lines, elements of one array. Everything else is skipped and
// counted: torn and garbled lines, bare numbers, conflict markers. Lines with bytes that are not
// UTF-8 also count as bad, but their object is used. A truncated object does not hide the next one.
// Memory is limited to the largest object, and time is linear in the size of the log, whatever its
// content. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "trace/json.h"

namespace vibe::trace {

// Lines that could not be read.
struct BadLines {
  static constexpr std::size_t kMostShown = 10;
  std::uint64_t count = 0;
  std::vector<std::uint64_t> first;  // numbers, 1-based
  std::uint64_t last = 0;            // the last line added, which is not counted again

  void add(std::uint64_t line) {
    if (line == last) return;
    last = line;
    if (++count <= kMostShown) first.push_back(line);
  }
};

class Values {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // per object

  explicit Values(base::ByteSource& source, std::size_t most = kMostBytes,
                  std::uint64_t first_line = 1);

  // The next object, valid until the next call; absent at the end.
  Json next();
  std::string_view text() const { return text_; }  // the raw text of that object
  std::uint64_t line() const { return line_; }     // where it begins
  const BadLines& bad_lines() const { return bad_; }
  // Why the input could not be read to its end.
  const std::optional<base::Diagnostics>& failure() const { return failure_; }
  // The work done: bytes searched, scanned or parsed, counted each time.
  std::uint64_t looked_at() const { return looked_at_; }

 private:
  class Scan;
  enum class Stop;

  bool fill();                  // reads more bytes; false at the end
  int look(std::size_t ahead);  // the byte at that offset from the position; -1 at the end
  std::optional<std::size_t> line_end(std::size_t from, std::size_t most);
  Json take(std::size_t length);
  Json object();
  Json whole_line();
  Stop walk(Scan& scan);
  bool another_begins(Scan& scan);
  bool stands_alone(std::size_t from);
  bool objects_follow(std::size_t from);
  Json broken(const Scan& scan);
  Json too_long(const Scan& scan);
  bool may_begin(std::size_t column) const { return column == 0 || column == good_column_; }
  void pass(std::size_t length);
  void pass_spaces();
  void pass_line();

  base::ByteSource& source_;
  std::size_t most_;
  JsonParser parser_;
  std::string buffer_;
  std::string_view text_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of the buffer
  bool at_end_ = false;
  std::uint64_t first_line_, lines_, line_;
  std::size_t column_ = 0;       // of the position, in bytes
  std::size_t indent_ = 0;       // of its line: the column of the first character
  std::size_t good_column_ = 0;  // of the last object
  bool lost_ = false;            // inside something broken: looking for the begin of an object
  std::uint64_t passed_ = 0;     // bytes before the position
  std::uint64_t walked_to_ = 0;  // by a failed scan over lines: never scanned that far again
  std::uint64_t looked_at_ = 0;
  BadLines bad_;
  std::optional<base::Diagnostics> failure_;
};

}  // namespace vibe::trace
