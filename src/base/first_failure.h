// FirstFailure: what one of several threads threw, as it may for want of memory, until the one that
// waits for them throws it again. Safe from any thread.
#pragma once

#include <exception>
#include <mutex>

namespace vibe::base {

class FirstFailure {
 public:
  // False where the task failed.
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

  void rethrow() const {  // if there is any, once all threads have ended
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

}  // namespace vibe::base
