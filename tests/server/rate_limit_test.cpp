#include "server/rate_limit.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace vibe::server {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const RateLimit::Time kStart = RateLimit::Time() + std::chrono::hours(1);

// How many of so many requests at one time are answered.
int answered(RateLimit& limit, const std::string& key, std::int64_t a_minute, RateLimit::Time now,
             int requests = 1000) {
  int out = 0;
  for (int i = 0; i < requests; ++i) out += limit.refuse(key, a_minute, now) ? 0 : 1;
  return out;
}

struct BurstCase {
  std::int64_t a_minute;
  int at_once, after_a_minute;  // at most as many as at once
};

}  // namespace

TEST(RateLimit, LetsAQuarterOfAMinuteComeAtOnce) {
  const BurstCase cases[] = {{600, 150, 150}, {60, 15, 15}, {40, 10, 10}, {6, 10, 6}, {1, 10, 1}};
  for (const auto& each : cases) {
    RateLimit limit;
    EXPECT_EQ(answered(limit, "k", each.a_minute, kStart), each.at_once) << each.a_minute;
    EXPECT_EQ(answered(limit, "k", each.a_minute, kStart + seconds(60)), each.after_a_minute)
        << each.a_minute;
  }
}

TEST(RateLimit, LetsAllOfAMinuteComeAtOnceIfItIsToldTo) {
  RateLimit limit(100, 1);
  EXPECT_EQ(answered(limit, "k", 1000, kStart, 2000), 1000);
  EXPECT_EQ(answered(limit, "k", 1000, kStart + seconds(6), 2000), 100);
}

TEST(RateLimit, GivesBackWithTime) {
  RateLimit limit;
  EXPECT_EQ(answered(limit, "k", 60, kStart), 15);
  EXPECT_EQ(answered(limit, "k", 60, kStart + milliseconds(900)), 0);
  EXPECT_EQ(answered(limit, "k", 60, kStart + milliseconds(3100)), 3);
  // No more than the most, however long it was quiet.
  EXPECT_EQ(answered(limit, "k", 60, kStart + std::chrono::hours(24)), 15);
}

TEST(RateLimit, SaysHowLongToWait) {
  RateLimit limit;
  answered(limit, "slow", 6, kStart);
  EXPECT_EQ(limit.refuse("slow", 6, kStart), 10);
  EXPECT_EQ(limit.refuse("slow", 6, kStart + seconds(7)), 3);
  EXPECT_EQ(limit.refuse("slow", 6, kStart + milliseconds(10'001)), std::nullopt);
  answered(limit, "fast", 6000, kStart, 2000);
  EXPECT_EQ(limit.refuse("fast", 6000, kStart), 1);  // a whole second, at least
}

TEST(RateLimit, KeysDoNotTakeFromEachOther) {
  RateLimit limit;
  EXPECT_EQ(answered(limit, "a", 60, kStart), 15);
  EXPECT_EQ(answered(limit, "b", 60, kStart), 15);
  EXPECT_EQ(answered(limit, "a", 60, kStart), 0);
}

TEST(RateLimit, TimesOutOfOrderGiveNothing) {
  RateLimit limit;
  EXPECT_EQ(answered(limit, "k", 60, kStart + seconds(10)), 15);
  EXPECT_EQ(answered(limit, "k", 60, kStart), 0);
  EXPECT_EQ(answered(limit, "k", 60, kStart + seconds(10)), 0);  // no time has passed since
}

TEST(RateLimit, ForgetsTheKeysThatWereNotUsedForLongest) {
  RateLimit limit(3);
  for (const char* key : {"a", "b", "c"}) answered(limit, key, 60, kStart);
  EXPECT_TRUE(limit.refuse("a", 60, kStart));  // now `b` is the one
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(limit.refuse("new " + std::to_string(i), 60, kStart), std::nullopt);
    EXPECT_TRUE(limit.refuse("a", 60, kStart));
    EXPECT_LE(limit.keys(), 3u);
  }
}

TEST(RateLimit, CountsEveryThread) {
  RateLimit limit;
  std::atomic<int> count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { count += answered(limit, "k", 600, kStart); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(count, 150);
}

}  // namespace vibe::server
