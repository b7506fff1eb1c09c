#include "base/line_log.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"

namespace vibe::base {

namespace {

using Clock = std::chrono::steady_clock;

tl::unexpected<Diagnostics> cannot_write_log(const std::string& path, const std::string& why) {
  return fail(Code::cannot_write, {}, fmt::format("cannot write `{}`: {}", path, why));
}

class File {
 public:
  explicit File(const std::string& path)
      : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);  // which releases the lock
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// 0, or an errno. A process that was suspended with the lock must not block the others.
int lock(int file, Clock::time_point deadline) {
  constexpr auto kPause = std::chrono::microseconds(500);
  for (;;) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return 0;
    if (errno != EWOULDBLOCK && errno != EINTR) return errno;
    if (Clock::now() >= deadline) return EWOULDBLOCK;
    std::this_thread::sleep_for(kPause);
  }
}

// False if another process has renamed the file meanwhile.
bool is_at(const std::string& path, const struct stat& status) {
  struct stat now{};
  return ::stat(path.c_str(), &now) == 0 && now.st_ino == status.st_ino &&
         now.st_dev == status.st_dev;
}

bool ends_torn(int file, off_t size) {
  char last = '\n';
  return size > 0 && ::pread(file, &last, 1, size - 1) == 1 && last != '\n';
}

// 0, or an errno; then the file is unchanged.
int write_line(int file, std::string_view line, off_t size) {
  std::string text;
  text.reserve(line.size() + 2);
  if (ends_torn(file, size)) text += '\n';
  text.append(line) += '\n';
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      const int error = errno;
      [[maybe_unused]] const int taken_back = ::ftruncate(file, size);
      return error;
    }
  }
  return 0;
}

// Calls `write` with the file, locked and within its limit, and its size. `write` returns 0 or an
// errno.
template <class Write>
Result<void> with_log(const std::string& path, const LineLogLimits& limits, const Write& write) {
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(limits.wait));
  do {
    const File file(path);
    if (file.get() < 0) return cannot_write_log(path, reason_and_hint(errno));
    if (const int error = lock(file.get(), deadline))
      return cannot_write_log(
          path, error == EWOULDBLOCK ? "another process holds its lock" : reason(error));
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) return cannot_write_log(path, reason(errno));
    if (!S_ISREG(status.st_mode)) return cannot_write_log(path, "it is not a regular file");
    if (!is_at(path, status)) continue;
    if (limits.most_bytes > 0 && status.st_size >= static_cast<off_t>(limits.most_bytes)) {
      if (std::rename(path.c_str(), (path + ".1").c_str()) != 0)
        return cannot_write_log(path, reason(errno));
      continue;
    }
    if (const int error = write(file.get(), status.st_size))
      return cannot_write_log(path, reason(error));
    return {};
  } while (Clock::now() < deadline);
  return cannot_write_log(path, "it keeps being renamed");
}

}  // namespace

Result<void> make_private_folder(const std::string& folder, Code code, std::string hint) {
  std::filesystem::path made;
  for (const auto& part : std::filesystem::path(folder)) {
    made /= part;
    if (::mkdir(made.c_str(), 0700) == 0) continue;
    const int error = errno;
    struct stat status{};
    if (::stat(made.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
      return fail(code, {},
                  fmt::format("cannot create the folder `{}`: {}", folder,
                              reason(error == EEXIST ? ENOTDIR : error)),
                  std::move(hint));
  }
  return {};
}

Result<void> append_line(const std::string& path, std::string_view line,
                         const LineLogLimits& limits) {
  return with_log(path, limits, [&](int file, off_t size) { return write_line(file, line, size); });
}

Result<void> make_room(const std::string& path, const LineLogLimits& limits) {
  return with_log(path, limits, [](int, off_t) { return 0; });
}

}  // namespace vibe::base
