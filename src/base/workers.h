// Workers: threads that do what they are given, each task on a thread of its own as long as there
// are any to be had. Safe from any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace vibe::base {

class Workers {
 public:
  // At most so many threads. Tasks that wait, such as for programs, may have any number of them.
  explicit Workers(std::size_t most = std::numeric_limits<std::size_t>::max()) : most_(most) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();  // once every task is done

  // False, and nothing is done, if not even one thread can be started.
  bool add(std::function<void()> task);

 private:
  void add_thread();
  void work();

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool closing_ = false;
};

}  // namespace vibe::base
