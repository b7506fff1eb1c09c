// JsonStream: walks JSON of any size, in memory that does not grow with it, and copies out the
// parts that a reader wants. What is passed over is only looked at for its strings and brackets;
// what is copied is for `parse_json()`. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"

namespace vibe::base {

class JsonStream {
 public:
  static constexpr std::size_t kMaxDepth = 256;

  explicit JsonStream(ByteSource& source);

  // The first character of the next value; 0 at the end of the input and after a failure.
  char next();
  std::uint64_t line();  // of the next value, 1-based

  // Walks the object or array that comes next; true if it is one, whole and sound. The function
  // takes the value by one of these calls, else it is passed over.
  using OnMember = std::function<void(std::string_view key)>;
  bool object(const OnMember& on_member);
  bool array(const std::function<void()>& on_item);

  bool skip();
  // Appends the value that comes next to `out`. `NaN` and `Infinity`, which some write and JSON
  // does not have, become null. Text over the limit is a failure.
  bool copy(std::string& out, std::size_t limit);
  // The same, with only these members of objects: `response/cost` is `cost` of `response`.
  bool copy_members(std::span<const std::string_view> paths, std::string& out, std::size_t limit);

  // What went wrong first. After it nothing more is read.
  struct Failure {
    std::string message;  // `a string does not end`
    std::uint64_t line = 1;
    std::optional<Diagnostics> source;  // set: the bytes themselves could not be had
  };
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  bool fill();  // more bytes behind those that are read
  std::uint64_t line_here();
  void count_lines(std::size_t end);  // as far as that in the buffer
  int look();                         // the next character that is no white space; -1 at the end
  int character();                    // the next character as it is; -1 at the end
  bool fail(std::string message);
  bool string(std::string* out, std::size_t limit);
  bool value(std::string* out, std::size_t limit);
  bool keep(std::string* out, std::string_view bytes, std::size_t limit);
  bool read_key();
  bool separator(char close, bool& first, bool& more);

  ByteSource& source_;
  std::string buffer_, key_;
  std::size_t position_ = 0, end_ = 0, depth_ = 0;
  std::uint64_t lines_ = 0;  // breaks in what was passed, as far as they were counted:
  std::size_t counted_ = 0;  // to here in the buffer
  std::uint64_t taken_ = 0;  // values, to see whether a function took its own
  std::optional<Failure> failure_;
};

}  // namespace vibe::base
