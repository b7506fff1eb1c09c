// File: reading whole files and lines of files, `-` being standard input. The one
// place that turns errno into a diagnostic. A LineReader belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace vibe::base {

inline constexpr std::size_t kChunk = 64u << 10;  // bytes, of what is read or written at once

std::string reason(int error);  // what an errno means, in lower case

// What to do about an errno where that is the same wherever it is met, as for too many open files;
// else `otherwise`.
std::string hint_for(int error, std::string_view otherwise = {});
// The reason and, where hint_for() knows one, the hint: for messages that have no place for it.
std::string reason_and_hint(int error);
// EMFILE where no other file can be opened just now, 0 where one can: of libraries that do not say
// why they failed.
int lack_of_files();

// An open file, or standard input for `-`, which stays open.
class Descriptor {
 public:
  static Result<Descriptor> open(const std::string& path);
  Descriptor() = default;
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const { return fd_; }
  std::size_t size() const { return size_; }  // of a plain file, when it was opened; else 0

 private:
  int fd_ = -1;
  bool owned_ = false;
  std::size_t size_ = 0;
};

// At most `limit` bytes; a larger file is Code::too_large and is not read further.
Result<std::string> read_file(const std::string& path, std::size_t limit);

std::string display_name(const std::string& path);  // `<stdin>` for `-`

// Bytes, one after the other.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // At most `most` bytes, at least one but at the end, where it is 0.
  virtual Result<std::size_t> read(char* to, std::size_t most) = 0;
};

// A file, standard input, memory or another source, whose beginning can be looked at before it is
// read.
class Input final : public ByteSource {
 public:
  static Result<Input> open(const std::string& path);
  static Input of(std::string name, std::string bytes);
  static Input of(std::string name, std::unique_ptr<ByteSource> source);

  const std::string& name() const { return name_; }  // to be shown
  // The first `most` bytes that are not read yet, fewer at the end and before an error, which is
  // for who reads on.
  Result<std::string_view> peek(std::size_t most);
  Result<std::size_t> read(char* to, std::size_t most) override;
  // Before anything is read: makes `read_at()` possible. What is no plain file is taken into
  // memory, up to `limit` bytes; more is Code::too_large. The size of it all.
  Result<std::size_t> make_seekable(std::size_t limit);
  // All of the bytes from an offset on; false where the input ends before.
  Result<bool> read_at(std::size_t offset, char* to, std::size_t count) const;

 private:
  Input() = default;
  Result<std::size_t> read_behind_head(char* to, std::size_t most);
  Result<void> fill_head(std::size_t most);  // with what can be had of so many unread bytes

  Descriptor file_;
  std::unique_ptr<ByteSource> source_;  // null, and no open file: the head is all there is
  std::string name_, head_;
  std::size_t begin_ = 0;  // of the head, how much is read
};

// Lines of a file of any size, in memory that does not grow with it.
class LineReader {
 public:
  static constexpr std::size_t kMaxLine = 16u << 20;

  static Result<LineReader> open(const std::string& path, std::size_t most_line = kMaxLine);
  explicit LineReader(Input input, std::size_t most_line = kMaxLine);

  // False at the end. The line is without its break (and the first without a byte order mark),
  // followed by at least kPadding readable bytes, and valid until the next call. A line over
  // the most is Code::too_large; a read error Code::cannot_read; both end the file.
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
