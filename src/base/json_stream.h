// JsonStream: walks JSON of any size in constant memory, and copies out the parts that a reader
// wants. Skipped parts are only scanned for strings and brackets; copied parts are meant for
// `parse_json()`. Belongs to one thread.
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

  // Walks the next value, an object or array; true if it is one, complete and well-formed. The
  // callback consumes each value with one of these calls; otherwise it is skipped.
  using OnMember = std::function<void(std::string_view key)>;
  bool object(const OnMember& on_member);
  bool array(const std::function<void()>& on_item);

  bool skip();
  // Appends the next value to `out`. `NaN` and `Infinity`, which some tools write although JSON
  // does not have them, become null. Text over the limit is a failure.
  bool copy(std::string& out, std::size_t limit);
  // The same, but keeps only these members of objects: `response/cost` is `cost` in `response`.
  bool copy_members(std::span<const std::string_view> paths, std::string& out, std::size_t limit);

  // The first failure. Nothing more is read after it.
  struct Failure {
    std::string message;  // `a string does not end`
    std::uint64_t line = 1;
    std::optional<Diagnostics> source;  // set: the bytes themselves could not be read
  };
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  bool fill();  // reads more bytes after the buffered ones
  std::uint64_t line_here();
  void count_lines(std::size_t end);  // up to `end` in the buffer
  int look();                         // the next character that is not white space; -1 at the end
  int character();                    // the next character; -1 at the end
  bool fail(std::string message);
  bool string(std::string* out, std::size_t limit);
  bool value(std::string* out, std::size_t limit);
  bool keep(std::string* out, std::string_view bytes, std::size_t limit);
  bool read_key();
  bool separator(char close, bool& first, bool& more);

  ByteSource& source_;
  std::string buffer_, key_;
  std::size_t position_ = 0, end_ = 0, depth_ = 0;
  std::uint64_t lines_ = 0;  // line breaks passed, counted up to:
  std::size_t counted_ = 0;  // this offset in the buffer
  std::uint64_t taken_ = 0;  // values consumed: shows whether a callback consumed its own
  std::optional<Failure> failure_;
};

}  // namespace vibe::base
