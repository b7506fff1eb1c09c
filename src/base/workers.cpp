#include "base/workers.h"

#include <algorithm>
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

bool Workers::add(std::function<void()> task, const std::string& owner) {
  const std::lock_guard lock(mutex_);
  if (const auto found = counts_.find(owner);
      found != counts_.end() && found->second.waiting >= most_waiting_)
    return false;
  if (idle_ <= tasks_.size() && threads_.size() < most_) add_thread();
  if (threads_.empty()) return false;
  tasks_.push_back({std::move(task), owner});
  ++counts_[owner].waiting;
  wake_.notify_one();
  return true;
}

void Workers::add_thread() {
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    return;  // too many threads: the running ones take the task
  }
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] { return closing_ || next() != tasks_.end(); });
    --idle_;
    const auto found = next();
    if (found == tasks_.end()) return;  // the threads that block the remaining tasks will run them
    Task task = std::move(*found);
    tasks_.erase(found);
    Count& count = counts_[task.owner];
    --count.waiting;
    ++count.running;
    lock.unlock();
    task.run();
    task.run = nullptr;  // destroys its captures outside the lock
    lock.lock();
    if (--count.running == 0 && count.waiting == 0) counts_.erase(task.owner);
  }
}

Workers::Tasks::iterator Workers::next() {
  return std::find_if(tasks_.begin(), tasks_.end(), [this](const Task& task) {
    return task.owner.empty() || counts_[task.owner].running < most_ - most_ / 2;
  });
}

}  // namespace vibe::base
