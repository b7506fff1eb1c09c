// Timer: does things later, on one thread of its own. What it is given must not take long.
// Safe from any thread.
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
  ~Timer() { end(); }  // what is not due by then is not done
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Once what is being done is done; nothing is done after that. Not from a task.
  void end();

  Id after(std::chrono::milliseconds delay, Task task);
  void cancel(Id id);  // one that is being done goes on; one that is done is no matter

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::pair<Clock::time_point, Id>, Task> tasks_;  // by when they are due
  std::map<Id, Clock::time_point> due_;
  Id last_ = 0;
  bool is_ending_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace vibe::server
