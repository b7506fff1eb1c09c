// File: reads whole files and lines of files; `-` is standard input. The one place that turns errno
// into a diagnostic. A LineReader belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace vibe::base {

inline constexpr std::size_t kChunk = 64u << 10;  // bytes read or written at a time

std::string reason(int error);  // an errno in words, in lower case

// The hint for an errno whose remedy is always the same, such as too many open files; else
// `otherwise`.
std::string hint_for(int error, std::string_view otherwise = {});
// The reason, with the hint if hint_for() has one: for messages without a separate hint.
std::string reason_and_hint(int error);
// EMFILE if no further file can be opened now, else 0: for libraries that do not say why they
// failed.
int lack_of_files();

// An open file, or standard input for `-`, which is never closed.
class Descriptor {
 public:
  static Result<Descriptor> open(const std::string& path);
  Descriptor() = default;
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const { return fd_; }
  std::size_t size() const { return size_; }  // of a regular file, when it was opened; else 0

 private:
  int fd_ = -1;
  bool owned_ = false;
  std::size_t size_ = 0;
};

// At most `limit` bytes; a larger file is Code::too_large and is not read further.
Result<std::string> read_file(const std::string& path, std::size_t limit);

std::string display_name(const std::string& path);  // `<stdin>` for `-`

// A stream of bytes.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // At most `most` bytes, and at least one; 0 only at the end.
  virtual Result<std::size_t> read(char* to, std::size_t most) = 0;
};

// A file, standard input, memory or another source. Its beginning can be inspected before it is
// read.
class Input final : public ByteSource {
 public:
  static Result<Input> open(const std::string& path);
  static Input of(std::string name, std::string bytes);
  static Input of(std::string name, std::unique_ptr<ByteSource> source);

  const std::string& name() const { return name_; }  // for messages
  // The first `most` unread bytes; fewer at the end, or before an error, which the next read
  // reports.
  Result<std::string_view> peek(std::size_t most);
  Result<std::size_t> read(char* to, std::size_t most) override;
  // Call before reading: makes `read_at()` possible. Input that is not a regular file is loaded
  // into memory, up to `limit` bytes; more is Code::too_large. Returns the total size.
  Result<std::size_t> make_seekable(std::size_t limit);
  // Reads `count` bytes from an offset; false if the input ends before.
  Result<bool> read_at(std::size_t offset, char* to, std::size_t count) const;

 private:
  Input() = default;
  Result<std::size_t> read_behind_head(char* to, std::size_t most);
  Result<void> fill_head(std::size_t most);  // tries to buffer that many unread bytes

  Descriptor file_;
  std::unique_ptr<ByteSource> source_;  // null, and no open file: the head is everything
  std::string name_, head_;
  std::size_t begin_ = 0;  // how much of the head was read
};

// Lines of a file of any size, in constant memory.
class LineReader {
 public:
  static constexpr std::size_t kMaxLine = 16u << 20;

  static Result<LineReader> open(const std::string& path, std::size_t most_line = kMaxLine);
  explicit LineReader(Input input, std::size_t most_line = kMaxLine);

  // False at the end. The line has no line break (and the first no byte order mark), is followed by
  // at least kPadding readable bytes, and is valid until the next call. A line over the limit is
  // Code::too_large, a read error Code::cannot_read; both end the file.
  Result<bool> next(std::string_view& line);
  std::uint64_t line_number() const { return line_number_; }  // of the last line, 1-based

  static constexpr std::size_t kPadding = 64;

 private:
  Input input_;
  bool at_end_ = false;
  std::size_t most_line_ = kMaxLine;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of the buffer
  std::uint64_t line_number_ = 0;
};

}  // namespace vibe::base
