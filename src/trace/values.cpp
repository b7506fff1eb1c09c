#include "trace/values.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace vibe::trace {

namespace {

constexpr std::size_t kFirstChunk = 4u << 10, kChunk = 256u << 10;
constexpr std::size_t kMostWhole = 16u << 20;  // of a line that is parsed as a whole
constexpr std::size_t kMostKey = 256;          // recognises a second write in a line

bool is_space(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_blank(int c) { return c == ' ' || c == '\t'; }
bool is_between(int c) { return c == ',' || c == '[' || c == ']'; }

}  // namespace

// Where the scan of an object stops.
enum class Values::Stop {
  at_end,        // at the end of the text
  behind,        // after the object
  at_break,      // at a line break outside strings
  in_string,     // at a line break: JSON strings do not span lines
  before_other,  // at a misplaced `{` with the same first key: another write
};

// Scans text that begins with `{`, piece by piece, to find its end.
class Values::Scan {
 public:
  std::size_t position() const { return position_; }
  std::size_t first_line() const { return over_lines_ ? first_line_ : position_; }  // its length
  bool over_lines() const { return over_lines_; }
  bool in_array() const { return !open_.empty() && open_.back(); }

  // Continues with `text`, which begins with the part that was already scanned.
  Stop walk(std::string_view text, bool is_all) {
    for (; position_ < text.size(); ++position_) {
      const char c = text[position_];
      if (c == '{' && may_be_other()) {
        const std::string_view here = text.substr(position_, key_), key = text.substr(0, key_);
        if (here == key) return Stop::before_other;
        if (!is_all && key.starts_with(here)) return Stop::at_end;
      }
      if (c == '\n') return in_string_ ? Stop::in_string : Stop::at_break;
      if (in_string_)
        step_in_string(c);
      else if (!is_space(c) && step(c))
        return Stop::behind;
    }
    return Stop::at_end;
  }

  // Continues after a line break.
  void go_on() {
    if (!over_lines_) first_line_ = position_;
    over_lines_ = true;
    ++position_;
  }

  bool deeper = false;     // some line is indented more than the first
  bool tolerated = false;  // a line begins with an object that was assumed to be an element

 private:
  void step_in_string(char c) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
      if (!has_key_ && position_ < kMostKey) key_ = position_ + 1;
      has_key_ = true;
    }
  }

  // True at the end of the object.
  bool step(char c) {
    before_ = c;
    if (c == '"') in_string_ = true;
    if (c == '{' || c == '[') open_.push_back(c == '[');
    if (c != '}' && c != ']') return false;
    open_.pop_back();
    if (open_.empty()) ++position_;
    return open_.empty();
  }

  // The key with its quotes cannot be inside a string, and an object can only be a value.
  bool may_be_other() const {
    if (key_ == 0 || over_lines_) return false;
    const bool is_value = before_ == ':' || (in_array() && (before_ == '[' || before_ == ','));
    return in_string_ || !is_value;
  }

  bool in_string_ = false, escaped_ = false, over_lines_ = false, has_key_ = false;
  char before_ = 0;         // the last character outside strings that is not white space
  std::vector<bool> open_;  // brackets; true: an array
  std::size_t position_ = 0, first_line_ = 0;
  std::size_t key_ = 0;  // the length of `{"key"`; 0: not known, or too long
};

Values::Values(base::ByteSource& source, std::size_t most, std::uint64_t first_line)
    : source_(source),
      most_(most),
      first_line_(first_line),
      lines_(first_line),
      line_(first_line) {}

bool Values::fill() {
  if (at_end_) return false;
  if (begin_ > 0 && begin_ >= (end_ - begin_)) {  // moving costs no more than reading did
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t chunk = std::clamp(buffer_.size(), kFirstChunk, kChunk);
  if (buffer_.size() < end_ + chunk + JsonParser::kPadding)
    buffer_.resize(std::max(buffer_.size() * 2, end_ + chunk + JsonParser::kPadding));
  const auto count = source_.read(buffer_.data() + end_, chunk);
  if (!count) failure_ = count.error();
  at_end_ = !count || *count == 0;
  if (count) end_ += *count;
  return !at_end_;
}

int Values::look(std::size_t ahead) {
  while (begin_ + ahead >= end_)
    if (!fill()) return -1;
  return static_cast<unsigned char>(buffer_[begin_ + ahead]);
}

// The end of the line that contains the offset `from` (relative to the position): its line break or
// the end of the input. None if that is more than `most` bytes away.
std::optional<std::size_t> Values::line_end(std::size_t from, std::size_t most) {
  for (const std::size_t begin = from;;) {
    const char* data = buffer_.data() + begin_;
    const std::size_t size = std::min(end_ - begin_, begin + most + 1);
    const void* found = from < size ? std::memchr(data + from, '\n', size - from) : nullptr;
    const std::size_t end =
        found ? static_cast<std::size_t>(static_cast<const char*>(found) - data) : size;
    looked_at_ += end - std::min(from, end);
    from = end;
    if (from > begin + most) return std::nullopt;
    if (found || !fill()) return from;
  }
}

void Values::pass(std::size_t length) {
  const std::string_view passed(buffer_.data() + begin_, length);
  if (passed.find('\n') == std::string_view::npos) {
    column_ += length;
  } else {
    lines_ += static_cast<std::uint64_t>(std::count(passed.begin(), passed.end(), '\n'));
    column_ = length - passed.rfind('\n') - 1;
    indent_ = 0;
  }
  begin_ += length;
  passed_ += length;
}

void Values::pass_spaces() {
  const bool leads = column_ == indent_;
  const std::uint64_t line = lines_;
  std::size_t length = 1;
  while (begin_ + length < end_ && is_space(buffer_[begin_ + length])) ++length;
  pass(length);
  if (leads || lines_ > line) indent_ = column_;
}

// Passes the rest of the line, of any length.
void Values::pass_line() {
  for (;;) {
    const char* data = buffer_.data() + begin_;
    const void* found = begin_ < end_ ? std::memchr(data, '\n', end_ - begin_) : nullptr;
    const std::size_t length =
        found ? static_cast<std::size_t>(static_cast<const char*>(found) - data) + 1
              : end_ - begin_;
    looked_at_ += length;
    pass(length);
    if (found || !fill()) return;
  }
}

Json Values::take(std::size_t length) {
  text_ = {buffer_.data() + begin_, length};
  looked_at_ += length;
  const Json value = parser_.parse(text_, end_ + JsonParser::kPadding <= buffer_.size());
  if (value.there() && !parser_.was_utf8()) bad_.add(lines_);
  return value;
}

Json Values::next() {
  for (;;) {
    const int c = look(0);
    if (c < 0) return {};
    if (is_space(c)) {
      pass_spaces();
    } else if (is_between(c)) {
      pass(1);
    } else if (c == '{' && (!lost_ || may_begin(column_))) {
      lost_ = false;
      line_ = lines_;
      const std::size_t column = column_;
      if (const Json value = object(); value.there()) {
        good_column_ = column;
        return value;
      }
    } else if (c == 0xEF && lines_ == first_line_ && look(1) == 0xBB && look(2) == 0xBF) {
      pass(3);  // a byte order mark
      column_ = indent_;
    } else {
      const bool comment = c == '/' && look(1) == '/';
      if (!lost_ && !comment) bad_.add(lines_);
      lost_ = lost_ || (column_ > 0 && (c == '"' || c == '}'));  // inside an object
      pass_line();
    }
  }
}

// The object that begins here. Absent if it is broken; the position is then after it, or before a
// possible next object.
Json Values::object() {
  if (column_ == indent_)
    if (const Json whole = whole_line(); whole.there()) return whole;
  Scan scan;
  bool recovered = false;  // it is another write in a broken line
  for (;;) {
    const Stop stop = walk(scan);
    if (stop == Stop::before_other) {
      bad_.add(lines_);
      pass(scan.position());
      scan = {};
      recovered = true;
      continue;
    }
    if (scan.position() > most_) return too_long(scan);
    if (stop == Stop::behind) {
      const std::size_t length = scan.position();
      if (recovered && !objects_follow(length)) return broken(scan);
      const Json value = take(length);
      if (!value.there() && scan.over_lines()) return broken(scan);
      if (!value.there()) bad_.add(lines_);
      pass(length);
      return value;
    }
    if (stop == Stop::in_string || stop == Stop::at_end) return broken(scan);
    if (another_begins(scan)) {
      if (scan.tolerated) return broken(scan);
      bad_.add(lines_);
      pass(scan.position());
      return {};
    }
    scan.go_on();
  }
}

// The usual case: the object is the whole line, so no scan is needed.
Json Values::whole_line() {
  const auto end = line_end(0, std::min(most_, kMostWhole));
  std::size_t length = end.value_or(0);
  const auto last = [&] { return buffer_[begin_ + length - 1]; };
  while (length > 1 && (is_space(last()) || last() == ',')) --length;
  if (length == 0 || last() != '}') return {};
  const Json value = take(length);
  if (value.there()) pass(length);
  return value;
}

// Scans until there is a reason to stop, reading more bytes up to the limit.
Values::Stop Values::walk(Scan& scan) {
  for (;;) {
    const std::size_t before = scan.position();
    const bool is_all = at_end_;
    const Stop stop = scan.walk({buffer_.data() + begin_, end_ - begin_}, is_all);
    looked_at_ += scan.position() - before;
    if (stop != Stop::at_end || is_all || scan.position() > most_) return stop;
    fill();
  }
}

// Whether the next line, after the break that the scan reached, begins another object rather than a
// part of this one. Nested objects are indented more than their parent; in an array without
// indents, a complete object without a comma is another one.
bool Values::another_begins(Scan& scan) {
  const std::size_t begin = scan.position() + 1;
  std::size_t indent = 0;
  while (indent < most_ && is_blank(look(begin + indent))) ++indent;
  looked_at_ += indent;
  if (passed_ < walked_to_) {  // any possible begin counts: no scan passes two of them
    std::size_t column = indent;
    for (int c = look(begin + column); column < most_ && (is_blank(c) || is_between(c));)
      c = look(begin + ++column);
    looked_at_ += column;
    if (look(begin + column) == '{' && may_begin(column)) return true;
  }
  const int first = look(begin + indent);
  if (first < 0 || is_space(first)) return false;
  if (first == '{' && indent <= indent_) {
    if (scan.deeper) return true;
    if (indent == 0 && (!scan.in_array() || stands_alone(begin))) return true;
    scan.tolerated = true;
  }
  scan.deeper = scan.deeper || indent > indent_;
  return false;
}

bool Values::stands_alone(std::size_t from) {
  const auto end = line_end(from, kMostWhole);
  if (!end) return false;
  looked_at_ += *end - from;
  return parser_.parse({buffer_.data() + begin_ + from, *end - from}).is_object();
}

// Whether the rest of the line is empty or has more objects.
bool Values::objects_follow(std::size_t from) {
  const std::size_t begin = from;
  while (from < most_ && (is_blank(look(from)) || look(from) == '\r' || look(from) == ',')) ++from;
  looked_at_ += from - begin;
  const int c = look(from);
  return c < 0 || c == '\n' || c == '{';
}

// Skips a broken object: the rest of its line, or the first of its lines; then next() looks for the
// beginning of the next object.
Json Values::broken(const Scan& scan) {
  bad_.add(lines_);
  if (scan.over_lines()) {
    lost_ = true;
    walked_to_ = std::max(walked_to_, passed_ + scan.position());
    if (good_column_ == 0) good_column_ = column_;
    pass(scan.first_line());
  } else {
    pass(scan.position());
    pass_line();
  }
  return {};
}

Json Values::too_long(const Scan& scan) {
  base::Diagnostics problem;
  problem.add(base::Code::too_large, {},
              fmt::format("the object that begins on line {} is larger than {} MiB and was skipped",
                          lines_, most_ >> 20));
  if (!failure_) failure_ = std::move(problem);
  return broken(scan);
}

}  // namespace vibe::trace
