#include "server/timer.h"

namespace vibe::server {

Timer::Timer() : thread_([this] { work(); }) {}

void Timer::end() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Timer::Id Timer::after(std::chrono::milliseconds delay, Task task) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point due = Clock::now() + delay;
  const Id id = ++last_;
  const bool is_next = tasks_.empty() || due < tasks_.begin()->first.first;
  tasks_.emplace(std::pair(due, id), std::move(task));
  due_.emplace(id, due);
  if (is_next) wake_.notify_all();
  return id;
}

void Timer::cancel(Id id) {
  Task dropped;  // destroyed without the lock: its destructor may cancel others
  const std::lock_guard lock(mutex_);
  const auto found = due_.find(id);
  if (found == due_.end()) return;
  const auto task = tasks_.find(std::pair(found->second, id));
  dropped = std::move(task->second);
  tasks_.erase(task);
  due_.erase(found);
}

void Timer::work() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    if (tasks_.empty()) {
      wake_.wait(lock);
      continue;
    }
    const auto next = tasks_.begin();
    const Clock::time_point due = next->first.first;
    if (Clock::now() < due) {
      wake_.wait_until(lock, due);
      continue;
    }
    Task task = std::move(next->second);
    due_.erase(next->first.second);
    tasks_.erase(next);
    lock.unlock();
    task();
    task = nullptr;  // without the lock
    lock.lock();
  }
}

}  // namespace vibe::server
