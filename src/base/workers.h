// Workers: a pool of threads. Each task gets its own thread as long as there are any. Tasks may
// have an owner; no owner gets more than half of the threads. Safe from any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace vibe::base {

class Workers {
 public:
  static constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

  // `most`: maximum number of threads. `most_waiting`: maximum number of queued tasks per owner.
  // Use many threads for tasks that mostly wait, for example for a child process.
  explicit Workers(std::size_t most = kAny, std::size_t most_waiting = kAny)
      : most_(most), most_waiting_(most_waiting) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();  // after every task is done

  // False, and the task is dropped, if too many wait, or if not even one thread can be started.
  // Tasks without an owner may use all threads.
  bool add(std::function<void()> task, const std::string& owner = {});

 private:
  struct Task {
    std::function<void()> run;
    std::string owner;
  };
  struct Count {
    std::size_t waiting = 0, running = 0;
  };
  using Tasks = std::deque<Task>;

  void add_thread();
  void work();
  Tasks::iterator next();  // the first task that may run

  const std::size_t most_, most_waiting_;
  std::mutex mutex_;
  std::condition_variable wake_;
  Tasks tasks_;
  std::map<std::string, Count> counts_;  // for owners with tasks
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool closing_ = false;
};

}  // namespace vibe::base
