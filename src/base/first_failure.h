// FirstFailure: keeps the first exception that one of several threads throws (out of memory, say),
// until the thread that waits for them rethrows it. Safe from any thread.
#pragma once

#include <exception>
#include <mutex>

namespace vibe::base {

class FirstFailure {
 public:
  // False if the task failed.
  template <class Task>
  bool attempt(Task task) {
    try {
      task();
      return true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
      return false;
    }
  }

  void rethrow() const {  // if there is one, once all threads have ended
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

}  // namespace vibe::base
