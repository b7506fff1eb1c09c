#include "trace/values.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace vibe::trace {

namespace {

constexpr std::size_t kChunk = 256u << 10;

// Walks over an object, piece by piece, to find its end.
class Scan {
 public:
  enum class State { inside, ended, broken };

  State state() const { return state_; }
  bool in_string() const { return in_string_; }
  bool in_array() const { return !open_.empty() && open_.back(); }
  std::size_t position() const { return position_; }  // behind the object, once it has ended

  // Goes on with `text`, of which what was walked over before is the beginning.
  void walk(std::string_view text) {
    for (; position_ < text.size() && state_ == State::inside; ++position_) step(text[position_]);
  }

 private:
  void step(char c) {
    if (in_string_) {
      if (escaped_)
        escaped_ = false;
      else if (c == '\\')
        escaped_ = true;
      else if (c == '"')
        in_string_ = false;
      else if (c == '\n')
        state_ = State::broken;  // no string of JSON goes over lines
      return;
    }
    if (c == '"')
      in_string_ = true;
    else if (c == '{' || c == '[')
      open_.push_back(c == '[');
    else if (c == '}' || c == ']')
      close();
  }
  void close() {
    open_.pop_back();
    if (open_.empty()) state_ = State::ended;
  }

  State state_ = State::inside;
  bool in_string_ = false, escaped_ = false;
  std::vector<bool> open_;  // brackets; true: of an array
  std::size_t position_ = 0;
};

bool is_space(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

Values::Values(base::ByteSource& source, std::size_t most, std::uint64_t first_line)
    : source_(source),
      most_(most),
      first_line_(first_line),
      lines_(first_line),
      line_(first_line) {}

bool Values::fill() {
  if (at_end_) return false;
  if (begin_ > 0 && begin_ >= (end_ - begin_)) {  // moving costs no more than what was read
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < end_ + kChunk + JsonParser::kPadding)
    buffer_.resize(std::max(buffer_.size() * 2, end_ + kChunk + JsonParser::kPadding));
  const auto count = source_.read(buffer_.data() + end_, kChunk);
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

// Where the line ends that begins or goes on at an offset from the position: at its break or the
// end of the input. None where that is too far away.
std::optional<std::size_t> Values::line_end(std::size_t from) {
  for (;;) {
    const char* data = buffer_.data() + begin_;
    const std::size_t size = end_ - begin_;
    const void* found = from < size ? std::memchr(data + from, '\n', size - from) : nullptr;
    from = found ? static_cast<std::size_t>(static_cast<const char*>(found) - data) : size;
    if (from > most_) return too_long();
    if (found || !fill()) return std::min(from, end_ - begin_);
  }
}

// Passes the line, of which nothing is kept.
std::nullopt_t Values::too_long() {
  base::Diagnostics problem;
  problem.add(base::Code::too_large, {},
              fmt::format("line {} has more than {} MB, and was passed over", lines_, most_ >> 20));
  if (!failure_) failure_ = std::move(problem);
  bad_.add(lines_);
  for (;;) {
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    const std::size_t line_break = rest.find('\n');
    if (line_break != std::string_view::npos && line_break > 0) {
      pass(line_break);
      break;
    }
    column_ += rest.size();
    begin_ = end_;
    if (!fill()) break;
  }
  return std::nullopt;
}

void Values::pass(std::size_t length) {
  const std::string_view passed(buffer_.data() + begin_, length);
  lines_ += static_cast<std::uint64_t>(std::count(passed.begin(), passed.end(), '\n'));
  const std::size_t last = passed.rfind('\n');
  column_ = last == std::string_view::npos ? column_ + length : length - last - 1;
  begin_ += length;
}

void Values::pass_line() {
  const auto end = line_end(0);
  if (end) pass(std::min(*end + 1, end_ - begin_));
}

Json Values::take(std::size_t length) {
  text_ = {buffer_.data() + begin_, length};
  const Json value = parser_.parse(text_, end_ + JsonParser::kPadding <= buffer_.size());
  if (value.there() && !parser_.was_utf8()) bad_.add(lines_);
  return value;
}

Json Values::next() {
  for (;;) {
    const int c = look(0);
    if (c < 0) return {};
    if (is_space(c) || c == ',' || c == '[' || c == ']') {
      pass(1);
    } else if (c == '{' && (!lost_ || column_ == 0 || column_ == good_column_)) {
      lost_ = false;
      line_ = lines_;
      const std::size_t column = column_;
      if (const Json value = object(); value.there()) {
        good_column_ = column;
        return value;
      }
    } else if (c == 0xEF && lines_ == first_line_ && look(1) == 0xBB && look(2) == 0xBF) {
      pass(3);  // a byte order mark
    } else {
      const bool comment = c == '/' && look(1) == '/';
      if (!lost_ && !comment) bad_.add(lines_);
      lost_ = lost_ || (column_ > 0 && (c == '"' || c == '}'));  // inside of an object
      pass_line();
    }
  }
}

// What begins with `{` here. Absent where it is broken; the position is then behind it.
Json Values::object() {
  const auto end = line_end(0);
  if (!end) return {};
  std::size_t length = *end;
  while (length > 1 &&
         (is_space(buffer_[begin_ + length - 1]) || buffer_[begin_ + length - 1] == ','))
    --length;
  if (buffer_[begin_ + length - 1] == '}')
    if (const Json whole = take(length); whole.there()) {
      pass(length);
      return whole;
    }
  Scan scan;
  bool indented = false;
  for (std::size_t line = *end;;) {
    scan.walk({buffer_.data() + begin_, std::min(line + 1, end_ - begin_)});
    if (scan.state() == Scan::State::ended) {
      const Json value = take(scan.position());
      if (!value.there()) return broken(line);
      pass(scan.position());
      return value;
    }
    const bool last = begin_ + line >= end_ && at_end_;
    if (scan.state() == Scan::State::broken || scan.in_string() || last) return broken(line);
    // The object goes on in the next line, unless another one begins there.
    const int first = look(line + 1);
    const auto next_end = first < 0 ? line : line_end(line + 1);
    if (!next_end) return {};
    if (first < 0) return broken(line);
    const std::string_view next(buffer_.data() + begin_ + line + 1, *next_end - line - 1);
    const bool another =
        first == '{' && (indented || !scan.in_array() || parser_.parse(next).is_object());
    if (another) return broken(line);
    indented = indented || first == ' ' || first == '\t';
    line = *next_end;
  }
}

// Passes what is broken, up to an offset; but in one line, an object that stands whole at its end
// and begins as the line does is what another write left there, and is taken.
Json Values::broken(std::size_t end) {
  bad_.add(lines_);
  const std::string_view text(buffer_.data() + begin_, end);
  const std::size_t one_line = std::min(text.find('\n'), end);
  if (one_line < end) {
    lost_ = true;
    pass(one_line);
    return {};
  }
  const std::string_view key = text.substr(0, std::min(text.find('"', 2), text.size() - 1) + 1);
  if (key.size() < 3) {
    pass(std::min(end + 1, end_ - begin_));
    return {};
  }
  const std::size_t at = text.rfind(key);
  if (at > 0) {
    Scan scan;
    scan.walk(text.substr(at));
    if (scan.state() == Scan::State::ended) {
      pass(at);
      line_ = lines_;
      const Json value = take(scan.position());
      pass(scan.position());
      return value;
    }
  }
  pass(std::min(end + 1, end_ - begin_));
  return {};
}

}  // namespace vibe::trace
