#include "base/workers.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

#include <gtest/gtest.h>

namespace vibe::base {
namespace {

// Tasks that run until they are let go.
class Gate {
 public:
  std::function<void()> task() {
    return [this] {
      std::unique_lock lock(mutex_);
      ++begun_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return is_open_; });
      ++done_;
    };
  }
  bool wait_for_begun(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return begun_ >= count; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  int begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }
  int done() {
    const std::lock_guard lock(mutex_);
    return done_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0, done_ = 0;
  bool is_open_ = false;
};

TEST(Workers, DoEverythingBeforeTheyEnd) {
  std::atomic<int> done = 0;
  {
    Workers workers(3);
    for (int i = 0; i < 1000; ++i)
      EXPECT_TRUE(workers.add([&] { ++done; }, i % 2 == 0 ? "one" : ""));
  }
  EXPECT_EQ(done, 1000);
}

TEST(Workers, LeaveHalfOfTheThreadsToOthers) {
  Gate one, other;
  {
    Workers workers(4);
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(workers.add(one.task(), "one"));
    EXPECT_TRUE(one.wait_for_begun(2));
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(workers.add(other.task(), "other"));
    EXPECT_TRUE(other.wait_for_begun(2));
    EXPECT_EQ(one.begun(), 2);
    other.open();
    one.open();
  }
  EXPECT_EQ(one.done(), 10);
  EXPECT_EQ(other.done(), 2);
}

TEST(Workers, GiveAllThreadsToTasksOfNobody) {
  Gate gate;
  Workers workers(4);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(workers.add(gate.task()));
  EXPECT_TRUE(gate.wait_for_begun(4));
  gate.open();
}

TEST(Workers, TakeNoMoreThanMayWait) {
  Gate one, other;
  {
    Workers workers(2, 3);
    EXPECT_TRUE(workers.add(one.task(), "one"));
    EXPECT_TRUE(one.wait_for_begun(1));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(workers.add(one.task(), "one"));
    EXPECT_FALSE(workers.add(one.task(), "one"));
    EXPECT_TRUE(workers.add(other.task(), "other"));
    EXPECT_TRUE(other.wait_for_begun(1));
    one.open();
    other.open();
  }
  EXPECT_EQ(one.done(), 4);
  EXPECT_EQ(other.done(), 1);
}

}  // namespace
}  // namespace vibe::base
