// Lets the first N of SQLite's writes in this process succeed; the next one finds a full disk, or
// kills the process.
#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <functional>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace vibe::test {

class LimitedWrites {
 public:
  LimitedWrites(const LimitedWrites&) = delete;
  LimitedWrites& operator=(const LimitedWrites&) = delete;
  ~LimitedWrites() { set({}); }  // null: the default again

  static int refused() { return refused_; }  // writes, so far

 protected:
  LimitedWrites(int writes, bool is_deadly) {
    left_ = writes;
    refused_ = 0;
    is_deadly_ = is_deadly;
    set({as_call(write), as_call(pwrite), as_call(pwrite), as_call(ftruncate), as_call(fallocate)});
  }

 private:
  static constexpr std::array kNames{"write", "pwrite", "pwrite64", "ftruncate", "fallocate"};

  template <class Function>
  static sqlite3_syscall_ptr as_call(Function* function) {
    return reinterpret_cast<sqlite3_syscall_ptr>(function);
  }
  static void set(std::array<sqlite3_syscall_ptr, kNames.size()> calls) {
    sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
    for (std::size_t i = 0; i < calls.size(); ++i) vfs->xSetSystemCall(vfs, kNames[i], calls[i]);
  }
  static bool is_full() {
    if (left_-- > 0) return false;
    if (is_deadly_) ::raise(SIGKILL);
    left_ = 0;
    ++refused_;
    errno = ENOSPC;
    return true;
  }
  static ssize_t write(int fd, const void* data, std::size_t size) {
    return is_full() ? -1 : ::write(fd, data, size);
  }
  static ssize_t pwrite(int fd, const void* data, std::size_t size, off_t at) {
    return is_full() ? -1 : ::pwrite(fd, data, size, at);
  }
  static int ftruncate(int fd, off_t size) { return is_full() ? -1 : ::ftruncate(fd, size); }
  static int fallocate(int, off_t, off_t) { return is_full() ? ENOSPC : 0; }

  static inline std::atomic<int> left_ = 0, refused_ = 0;
  static inline std::atomic<bool> is_deadly_ = false;
};

class FullDisk : public LimitedWrites {
 public:
  explicit FullDisk(int writes = 0) : LimitedWrites(writes, false) {}
};

class DeadlyWrites : public LimitedWrites {
 public:
  explicit DeadlyWrites(int writes) : LimitedWrites(writes, true) {}
};

// Whether a process of its own is killed in `work`.
inline bool is_killed(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

}  // namespace vibe::test
