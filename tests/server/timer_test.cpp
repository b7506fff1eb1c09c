#include "server/timer.h"

#include <condition_variable>
#include <future>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace vibe::server {
namespace {

using std::chrono::milliseconds;

// What was done, in order.
class DoneInOrder {
 public:
  void add(int which) {
    const std::lock_guard lock(mutex_);
    all_.push_back(which);
    added_.notify_all();
  }
  std::vector<int> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    added_.wait_for(lock, std::chrono::seconds(60), [&] { return all_.size() >= count; });
    return all_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  std::vector<int> all_;
};

// A task that the timer is at until it is let go: what is added meanwhile is all due then.
class Busy {
 public:
  explicit Busy(Timer& timer) {
    timer.after(milliseconds(0), [freed = free_.get_future().share()] { freed.wait(); });
  }
  void let_go() { free_.set_value(); }

 private:
  std::promise<void> free_;
};

TEST(Timer, DoesThingsInTheOrderInWhichTheyAreDue) {
  DoneInOrder done;
  Timer timer;
  Busy busy(timer);
  timer.after(milliseconds(0), [&] { done.add(3); });
  timer.after(-std::chrono::hours(1), [&] { done.add(2); });
  timer.after(-std::chrono::hours(2), [&] { done.add(1); });
  busy.let_go();
  EXPECT_EQ(done.wait_for(3), (std::vector{1, 2, 3}));
}

TEST(Timer, DoesNothingBeforeItIsDue) {
  DoneInOrder done;
  Timer timer;
  const auto begin = Timer::Clock::now();
  timer.after(milliseconds(50), [&] { done.add(1); });
  EXPECT_EQ(done.wait_for(1), std::vector{1});
  EXPECT_GE(Timer::Clock::now() - begin, milliseconds(50));
}

TEST(Timer, DoesNotDoWhatWasCancelled) {
  DoneInOrder done;
  Timer timer;
  Busy busy(timer);
  const auto first = timer.after(milliseconds(0), [&] { done.add(1); });
  timer.after(milliseconds(0), [&] { done.add(2); });
  timer.cancel(first);
  timer.cancel(first);
  timer.cancel(12345);
  busy.let_go();
  EXPECT_EQ(done.wait_for(1), std::vector{2});
}

TEST(Timer, ATaskMayAddAndCancel) {
  DoneInOrder done;
  Timer timer;
  const auto never = timer.after(std::chrono::hours(1), [&] { done.add(9); });
  timer.after(milliseconds(1), [&] {
    timer.cancel(never);
    timer.after(milliseconds(1), [&] { done.add(1); });
  });
  EXPECT_EQ(done.wait_for(1), std::vector{1});
}

TEST(Timer, ItsEndLetsGoOfWhatIsNotDue) {
  const auto held = std::make_shared<int>(5);
  {
    Timer timer;
    timer.after(std::chrono::hours(1), [held] {});
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Timer, EndsOnceWhatItIsAtIsDone) {
  DoneInOrder done;
  Timer timer;
  std::promise<void> begun;
  timer.after(milliseconds(0), [&] {
    begun.set_value();
    std::this_thread::yield();
    done.add(1);
  });
  begun.get_future().wait();
  timer.end();
  EXPECT_EQ(done.wait_for(1), std::vector<int>{1});
  timer.after(milliseconds(0), [&] { done.add(2); });
  timer.end();  // once more is no matter
  EXPECT_EQ(done.wait_for(1), std::vector<int>{1});
}

}  // namespace
}  // namespace vibe::server
