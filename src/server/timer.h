// Timer: runs tasks later, on one thread. Tasks must not take long. Safe from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace vibe::server {

class Timer {
 public:
  using Clock = std::chrono::steady_clock;
  using Task = std::function<void()>;
  using Id = std::uint64_t;

  Timer();
  ~Timer() { end(); }  // tasks that are not due yet are dropped
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Waits for the current task; runs none after it. Must not be called from a task.
  void end();

  Id after(std::chrono::milliseconds delay, Task task);
  void cancel(Id id);  // a running task continues; a finished one does not matter

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::pair<Clock::time_point, Id>, Task> tasks_;  // by due time
  std::map<Id, Clock::time_point> due_;
  Id last_ = 0;
  bool is_ending_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace vibe::server
