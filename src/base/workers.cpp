#include "base/workers.h"

#include <system_error>
#include <utility>

namespace vibe::base {

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::add(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (idle_ <= tasks_.size() && threads_.size() < most_) add_thread();
  if (threads_.empty()) return false;
  tasks_.push_back(std::move(task));
  wake_.notify_one();
  return true;
}

void Workers::add_thread() {
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    return;  // there are too many: those that run will do it
  }
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
    --idle_;
    if (tasks_.empty()) return;
    const auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace vibe::base
