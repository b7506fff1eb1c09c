#include "server/timer.h"

#include <condition_variable>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace vibe::server {
namespace {

using std::chrono::milliseconds;

// What was done, in order.
class Done {
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

TEST(Timer, DoesThingsWhenTheyAreDue) {
  Done done;
  Timer timer;
  timer.after(milliseconds(60), [&] { done.add(3); });
  timer.after(milliseconds(30), [&] { done.add(2); });
  timer.after(milliseconds(0), [&] { done.add(1); });
  EXPECT_EQ(done.wait_for(3), (std::vector{1, 2, 3}));
}

TEST(Timer, DoesNotDoWhatWasCancelled) {
  Done done;
  Timer timer;
  const auto first = timer.after(milliseconds(20), [&] { done.add(1); });
  timer.after(milliseconds(40), [&] { done.add(2); });
  timer.cancel(first);
  timer.cancel(first);
  timer.cancel(12345);
  EXPECT_EQ(done.wait_for(1), std::vector{2});
}

TEST(Timer, ATaskMayAddAndCancel) {
  Done done;
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

}  // namespace
}  // namespace vibe::server
