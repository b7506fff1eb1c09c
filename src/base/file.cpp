#include "base/file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::base {
namespace {

tl::unexpected<Diagnostics> cannot_read(const std::string& name, int error) {
  return fail(Code::cannot_read, {make_source(name, ""), {}},
              fmt::format("cannot read `{}`: {}", name, reason(error)),
              hint_for(error, error == EISDIR ? "give a file in that folder" : ""));
}

std::string in_units(std::size_t bytes) {
  if (bytes >= 1u << 20 && bytes % (1u << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= 1u << 10 && bytes % (1u << 10) == 0) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} bytes", bytes);
}

tl::unexpected<Diagnostics> too_large(const std::string& name, std::size_t limit) {
  return fail(Code::too_large, {make_source(name, ""), {}},
              fmt::format("`{}` is larger than {}", name, in_units(limit)));
}

ssize_t read_some(int fd, char* to, std::size_t most) {
  ssize_t got;
  do got = ::read(fd, to, most);
  while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

std::string reason(int error) {
  std::array<char, 128> room;
  std::string text = ::strerror_r(error, room.data(), room.size());
  if (!text.empty()) text[0] = lower_ascii(text[0]);
  return text;
}

std::string hint_for(int error, std::string_view otherwise) {
  switch (error) {
    case EMFILE: return "allow more open files with `ulimit -n NUMBER`, or lower `--threads`";
    case ENFILE:
      return "the whole system has too many open files: close programs, or raise `fs.file-max`";
    default: return std::string(otherwise);
  }
}

std::string reason_and_hint(int error) {
  const std::string hint = hint_for(error);
  return hint.empty() ? reason(error) : fmt::format("{} ({})", reason(error), hint);
}

int lack_of_files() {
  const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == EMFILE || errno == ENFILE ? errno : 0;
  ::close(file);
  return 0;
}

Result<Descriptor> Descriptor::open(const std::string& path) {
  Descriptor file;
  file.owned_ = path != "-";
  do file.fd_ = file.owned_ ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  while (file.fd_ < 0 && errno == EINTR);
  if (file.fd_ < 0) return cannot_read(display_name(path), errno);
  struct stat status{};
  if (::fstat(file.fd_, &status) != 0) return cannot_read(display_name(path), errno);
  if (S_ISDIR(status.st_mode)) return cannot_read(display_name(path), EISDIR);
  if (S_ISREG(status.st_mode)) file.size_ = static_cast<std::size_t>(status.st_size);
  return file;
}

Descriptor::Descriptor(Descriptor&& other) noexcept { *this = std::move(other); }

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(owned_, other.owned_);
  std::swap(size_, other.size_);
  return *this;
}

Descriptor::~Descriptor() {
  if (owned_ && fd_ >= 0) ::close(fd_);
}

std::string display_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  const std::string name = display_name(path);
  VIBE_TRY(const auto file, Descriptor::open(path));
  if (path != "-" && file.size() > limit) return too_large(name, limit);
  const std::size_t expected = std::max(kChunk, file.size());
  std::string text;
  for (std::size_t size = 0;;) {
    if (size == text.size()) text.resize(std::min(limit, std::max(expected, 2 * size)) + 1);
    const ssize_t got = read_some(file.get(), text.data() + size, text.size() - size);
    if (got < 0) return cannot_read(name, errno);
    size += static_cast<std::size_t>(got);
    if (size > limit) return too_large(name, limit);
    if (got == 0) {
      text.resize(size);
      return text;
    }
  }
}

Result<Input> Input::open(const std::string& path) {
  VIBE_TRY(auto file, Descriptor::open(path));
  Input input;
  input.file_ = std::move(file);
  input.name_ = display_name(path);
  return input;
}

Input Input::of(std::string name, std::string bytes) {
  Input input;
  input.name_ = std::move(name);
  input.head_ = std::move(bytes);
  return input;
}

Input Input::of(std::string name, std::unique_ptr<ByteSource> source) {
  Input input;
  input.name_ = std::move(name);
  input.source_ = std::move(source);
  return input;
}

Result<std::size_t> Input::read_behind_head(char* to, std::size_t most) {
  if (source_) return source_->read(to, most);
  if (file_.get() < 0) return std::size_t{0};
  const ssize_t got = read_some(file_.get(), to, most);
  if (got < 0) return cannot_read(name_, errno);
  return static_cast<std::size_t>(got);
}

Result<void> Input::fill_head(std::size_t most) {
  const bool has_more = source_ || file_.get() >= 0;
  while (has_more && head_.size() - begin_ < most) {
    const std::size_t had = head_.size();
    head_.resize(had + std::min(kChunk, most - (had - begin_)));
    const auto got = read_behind_head(head_.data() + had, head_.size() - had);
    head_.resize(had + got.value_or(0));
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) break;
  }
  return {};
}

Result<std::string_view> Input::peek(std::size_t most) {
  const auto filled = fill_head(most);
  if (!filled && begin_ == head_.size()) return tl::unexpected(filled.error());
  return std::string_view(head_).substr(begin_, most);
}

Result<std::size_t> Input::read(char* to, std::size_t most) {
  if (begin_ == head_.size()) return read_behind_head(to, most);
  const std::size_t count = std::min(most, head_.size() - begin_);
  std::memcpy(to, head_.data() + begin_, count);
  begin_ += count;
  return count;
}

Result<std::size_t> Input::make_seekable(std::size_t limit) {
  if (file_.get() >= 0 && file_.size() > 0) return file_.size();
  VIBE_TRY(fill_head(limit + 1));
  if (head_.size() > limit) return too_large(name_, limit);
  file_ = {};
  source_.reset();
  return head_.size();
}

Result<bool> Input::read_at(std::size_t offset, char* to, std::size_t count) const {
  if (file_.get() < 0) {
    if (offset > head_.size() || count > head_.size() - offset) return false;
    std::memcpy(to, head_.data() + offset, count);
    return true;
  }
  while (count > 0) {
    const ssize_t got = ::pread(file_.get(), to, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(name_, errno);
    if (got == 0) return false;
    to += got;
    offset += static_cast<std::size_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

Result<LineReader> LineReader::open(const std::string& path, std::size_t most_line) {
  VIBE_TRY(auto input, Input::open(path));
  return LineReader(std::move(input), most_line);
}

LineReader::LineReader(Input input, std::size_t most_line)
    : input_(std::move(input)), most_line_(most_line), buffer_(kChunk + kPadding, '\0') {}

Result<bool> LineReader::next(std::string_view& line) {
  const std::size_t most_bytes = most_line_ + 2;  // with its `\r\n`
  std::size_t searched = 0;                       // bytes of the unread part without a line break
  const auto take = [&](std::size_t length, std::size_t with_break) -> Result<bool> {
    line = std::string_view(buffer_).substr(begin_, length);
    begin_ += with_break;
    ++line_number_;
    if (line.ends_with('\r') && with_break > length) line.remove_suffix(1);
    if (line_number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (line.size() <= most_line_) return true;
    at_end_ = true;
    begin_ = end_;
    return fail(Code::too_large, {},
                fmt::format("line {} of `{}` is longer than {}", line_number_, input_.name(),
                            in_units(most_line_)));
  };
  for (;;) {
    const char* unread = buffer_.data() + begin_;
    const void* found = std::memchr(unread + searched, '\n', end_ - begin_ - searched);
    if (found != nullptr) {
      const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - unread);
      return take(length, length + 1);
    }
    searched = end_ - begin_;
    if (searched >= most_bytes || (at_end_ && searched > 0)) return take(searched, searched);
    if (at_end_) return false;
    if (begin_ > 0 && end_ + kPadding == buffer_.size()) {
      std::memmove(buffer_.data(), unread, searched);
      begin_ = 0;
      end_ = searched;
    }
    if (end_ + kPadding == buffer_.size())
      buffer_.resize(std::min(2 * end_, most_bytes) + kPadding);
    const auto got = input_.read(buffer_.data() + end_, buffer_.size() - kPadding - end_);
    if (!got) {
      at_end_ = true;
      begin_ = end_;
      return tl::unexpected(got.error());
    }
    end_ += *got;
    at_end_ = *got == 0;
  }
}

}  // namespace vibe::base
