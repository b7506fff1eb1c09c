// Processes that are killed at an exact write of SQLite's.
#pragma once

#include <cstddef>
#include <functional>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace vibe::test {

namespace deadly {

inline int writes_left = 0;

inline void count_write() {
  if (writes_left-- <= 0) ::raise(SIGKILL);
}
inline ssize_t write(int fd, const void* data, std::size_t size) {
  count_write();
  return ::write(fd, data, size);
}
inline ssize_t pwrite(int fd, const void* data, std::size_t size, off_t at) {
  count_write();
  return ::pwrite(fd, data, size, at);
}
inline int ftruncate(int fd, off_t size) {
  count_write();
  return ::ftruncate(fd, size);
}

}  // namespace deadly

// This process may write so many times; the next write kills it.
inline void arm_deadly_writes(int writes) {
  deadly::writes_left = writes;
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  const auto set = [vfs](const char* name, auto* call) {
    vfs->xSetSystemCall(vfs, name, reinterpret_cast<sqlite3_syscall_ptr>(call));
  };
  set("write", deadly::write);
  set("pwrite", deadly::pwrite);
  set("pwrite64", deadly::pwrite);
  set("ftruncate", deadly::ftruncate);
}

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
