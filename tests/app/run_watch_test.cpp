#include "app/team/run_watch.h"

#include <thread>

#include <gtest/gtest.h>

#include "app/server_world.h"

namespace vibe::app {
namespace {

using std::chrono::milliseconds;

void hint(ServerWorld& world, std::string_view organisation, std::string_view run) {
  world.tenants->events().publish({store::Event::Kind::changed, organisation, run});
}

TEST(RunWatch, WakesThoseWhoWaitForThatRunAlone) {
  ServerWorld world;
  const auto watch = RunWatch::make(*world.tenants);
  std::atomic<int> woken = 0, others = 0;
  const auto one = watch->watch("a", "1", milliseconds(0), [&] { ++woken; });
  const auto two = watch->watch("a", "2", milliseconds(0), [&] { ++others; });
  const auto three = watch->watch("b", "1", milliseconds(0), [&] { ++others; });
  hint(world, "a", "1");
  EXPECT_TRUE(wait_until([&] { return woken == 1; }));
  EXPECT_EQ(others, 0);
  watch->wake_all();
  EXPECT_TRUE(wait_until([&] { return woken == 2 && others == 2; }));
}

TEST(RunWatch, ManyChangesAreOneWakeWithinThePause) {
  ServerWorld world;
  const auto watch = RunWatch::make(*world.tenants);
  std::atomic<int> woken = 0;
  // Longer than any machine has been up: the first wake is due at once, not a pause after the boot.
  constexpr auto kPause = std::chrono::years(20);
  const auto watcher = watch->watch("a", "1", kPause, [&] { ++woken; });
  for (int i = 0; i < 10'000; ++i) hint(world, "a", "1");
  EXPECT_TRUE(wait_until([&] { return woken == 1; }));
  // Somebody else, who is called after all that was due before.
  std::atomic<bool> other = false;
  const auto next = watch->watch("a", "1", milliseconds(0), [&] { other = true; });
  hint(world, "a", "1");
  EXPECT_TRUE(wait_until([&] { return other.load(); }));
  EXPECT_EQ(woken, 1);
}

TEST(RunWatch, AChangeDuringThePauseIsToldAfterIt) {
  ServerWorld world;
  const auto watch = RunWatch::make(*world.tenants);
  std::atomic<int> woken = 0;
  const auto watcher = watch->watch("a", "1", milliseconds(50), [&] { ++woken; });
  hint(world, "a", "1");
  ASSERT_TRUE(wait_until([&] { return woken == 1; }));
  hint(world, "a", "1");
  EXPECT_TRUE(wait_until([&] { return woken == 2; }));
}

TEST(RunWatch, IsNotCalledAfterItsEnd) {
  ServerWorld world;
  const auto watch = RunWatch::make(*world.tenants);
  for (int i = 0; i < 200; ++i) {
    auto alive = std::make_unique<std::atomic<int>>(0);  // gone with the watcher
    std::atomic<int>* const seen = alive.get();
    auto watcher = watch->watch("a", "1", milliseconds(0), [seen] { ++*seen; });
    hint(world, "a", "1");
    if (i % 2 == 0) std::this_thread::yield();
    watcher.reset();
    alive.reset();
  }
}

TEST(RunWatch, TheEndWaitsForACallThatIsUnderWay) {
  ServerWorld world;
  const auto watch = RunWatch::make(*world.tenants);
  std::atomic<bool> is_inside = false, may_leave = false, has_left = false;
  auto watcher = watch->watch("a", "1", milliseconds(0), [&] {
    is_inside = true;
    while (!may_leave) std::this_thread::yield();
    has_left = true;
  });
  hint(world, "a", "1");
  ASSERT_TRUE(wait_until([&] { return is_inside.load(); }));
  std::thread other([&] { may_leave = true; });
  watcher.reset();
  EXPECT_TRUE(has_left);
  other.join();
}

TEST(RunWatch, MayEndItselfAndWatchAnother) {
  ServerWorld world;
  const auto watch = RunWatch::make(*world.tenants);
  std::unique_ptr<RunWatch::Watcher> watcher, second;
  std::atomic<bool> has_ended = false;
  std::atomic<int> of_second = 0;
  watcher = watch->watch("a", "1", milliseconds(0), [&] {
    second = watch->watch("a", "2", milliseconds(0), [&] { ++of_second; });
    watcher.reset();
    has_ended = true;
  });
  hint(world, "a", "1");
  ASSERT_TRUE(wait_until([&] { return has_ended.load(); }));
  hint(world, "a", "2");
  EXPECT_TRUE(wait_until([&] { return of_second == 1; }));
  second.reset();
}

TEST(RunWatch, SeesWhatOtherProcessesDo) {
  ServerWorld world;
  const auto watch = RunWatch::make(*world.tenants);
  const auto id = world.queue(ServerWorld::suite("sums", 1));
  std::atomic<int> woken = 0;
  const auto watcher = watch->watch(world.organisation.id, id, milliseconds(0), [&] { ++woken; });
  ASSERT_TRUE(wait_until([&] { return woken == 1; }));  // the first look
  score::Result result;
  result.eval_name = "1";
  const auto held = world.claim(id);
  ASSERT_TRUE(world.local()->store->journal().add(held.held.hold, result));  // nobody says so
  EXPECT_TRUE(wait_until([&] { return woken == 2; }));
  auto run = world.run(id);
  run.status = score::RunStatus::cancelled;
  ASSERT_TRUE(world.local()->store->journal().write(held.held.hold, run, {}));
  EXPECT_TRUE(wait_until([&] { return woken == 3; }));
}

TEST(RunWatch, AWatcherMayOutliveIt) {
  ServerWorld world;
  auto watch = RunWatch::make(*world.tenants);
  auto watcher = watch->watch("a", "1", milliseconds(0), [] {});
  watch.reset();
  watcher.reset();
}

}  // namespace
}  // namespace vibe::app
