#include "store/locks.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"

namespace vibe::store {

using base::Code;

namespace {

// Each has its own open file: for the kernel, that file owns the lock.
class FileLock : public RunLock {
 public:
  explicit FileLock(int fd) : fd_(fd) {}
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() override { ::close(fd_); }

 private:
  int fd_;
};

tl::unexpected<base::Diagnostics> lock_failure(const std::string& path, std::string_view what) {
  const int error = errno;
  return base::fail(
      Code::store_unusable, {}, fmt::format("cannot {} `{}`: {}", what, path, base::reason(error)),
      base::hint_for(error, "make the folder writable, or set `VIBECHECK_HOME` to one that is"));
}

int open_file(const std::string& path) {
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

}  // namespace

base::Result<std::unique_ptr<RunLock>> try_lock(const std::string& path, std::int64_t number) {
  const int fd = open_file(path);
  if (fd < 0) return lock_failure(path, "open");
  auto lock = std::make_unique<FileLock>(fd);
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = number;
  range.l_len = 1;
  if (::fcntl(fd, F_OFD_SETLK, &range) == 0) return std::unique_ptr<RunLock>(std::move(lock));
  if (errno == EAGAIN || errno == EACCES) return std::unique_ptr<RunLock>();
  return lock_failure(path, "lock");
}

base::Result<void> make_lock_file(const std::string& path) {
  const int fd = open_file(path);
  if (fd < 0) return lock_failure(path, "open");
  ::close(fd);
  return {};
}

}  // namespace vibe::store
