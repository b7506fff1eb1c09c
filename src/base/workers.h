// Workers: threads that do what they are given, each task on a thread of its own as long as there
// are any to be had. Tasks may have an owner, of whom none gets more than half of the threads. Safe
// from any thread.
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

  // At most so many threads, and tasks of each owner that wait for one. Tasks that wait, such as
  // for programs, may have any number of threads.
  explicit Workers(std::size_t most = kAny, std::size_t most_waiting = kAny)
      : most_(most), most_waiting_(most_waiting) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();  // once every task is done

  // False, and nothing is done, if too many wait, or not even one thread can be started. Those
  // without an owner may have all threads.
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
  Tasks::iterator next();  // the first that may run

  const std::size_t most_, most_waiting_;
  std::mutex mutex_;
  std::condition_variable wake_;
  Tasks tasks_;
  std::map<std::string, Count> counts_;  // by owner, of those that have any
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool closing_ = false;
};

}  // namespace vibe::base
