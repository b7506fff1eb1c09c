#include "server/rendered_runs.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace vibe::server {

namespace {

using store::ListedRun;

constexpr const char* kOne = "019a8c4f-0000-7000-8000-000000000001";
constexpr const char* kOther = "019a8c4f-0000-7000-8000-000000000002";

void keep(RenderedRuns& texts, std::string_view organisation, const ListedRun& run,
          std::string text) {
  texts.keep(organisation, run, std::make_shared<const std::string>(std::move(text)));
}

// `-` where there is none.
std::string found(RenderedRuns& texts, std::string_view organisation,
                  const std::vector<ListedRun>& runs) {
  std::string out;
  for (const auto& text : texts.find(organisation, runs)) out += text ? *text : "-";
  return out;
}

}  // namespace

TEST(RenderedRuns, GivesEachRunItsTextInOrder) {
  RenderedRuns texts;
  EXPECT_EQ(found(texts, kOne, {}), "");
  EXPECT_EQ(found(texts, kOne, {{"a", 0}}), "-");
  keep(texts, kOne, {"a", 0}, "A");
  keep(texts, kOne, {"b", 3}, "B");
  EXPECT_EQ(found(texts, kOne, {{"b", 3}, {"c", 0}, {"a", 0}}), "B-A");
}

TEST(RenderedRuns, NeverGivesAnOlderText) {
  RenderedRuns texts;
  keep(texts, kOne, {"a", 1}, "old");
  EXPECT_EQ(found(texts, kOne, {{"a", 2}}), "-");
  keep(texts, kOne, {"a", 2}, "new");
  EXPECT_EQ(found(texts, kOne, {{"a", 2}}), "new");
  EXPECT_EQ(found(texts, kOne, {{"a", 1}}), "new");
  // By a thread that was slow.
  keep(texts, kOne, {"a", 1}, "old");
  EXPECT_EQ(found(texts, kOne, {{"a", 2}}), "new");
}

TEST(RenderedRuns, OrganisationsDoNotSeeEachOthers) {
  RenderedRuns texts;
  keep(texts, kOne, {"a", 0}, "A");
  EXPECT_EQ(found(texts, kOther, {{"a", 0}}), "-");
  keep(texts, kOther, {"a", 5}, "other");
  EXPECT_EQ(found(texts, kOne, {{"a", 0}}), "A");
  EXPECT_EQ(found(texts, kOther, {{"a", 5}}), "other");
}

TEST(RenderedRuns, ForgetsWhatWasNotListedForLongest) {
  RenderedRuns texts(5000);
  for (const char* id : {"a", "b", "c"}) keep(texts, kOne, {id, 0}, std::string(1000, *id));
  EXPECT_EQ(found(texts, kOne, {{"a", 0}}).size(), 1000u);  // now `b` is the one
  for (const char* id : {"d", "e"}) keep(texts, kOne, {id, 0}, std::string(1000, *id));
  const auto left = texts.find(kOne, std::vector<ListedRun>{{"a", 0}, {"b", 0}, {"e", 0}});
  EXPECT_TRUE(left[0]);
  EXPECT_FALSE(left[1]);
  EXPECT_TRUE(left[2]);
}

TEST(RenderedRuns, TakesNoMoreRoomThanItMay) {
  RenderedRuns texts(50'000);
  for (int i = 0; i < 1000; ++i) {
    keep(texts, kOne, {std::to_string(i % 300), i}, std::string(static_cast<std::size_t>(i), 'x'));
    EXPECT_LE(texts.bytes(), 50'000u);
    EXPECT_EQ(found(texts, kOne, {{std::to_string(i % 300), i}}).size(),
              static_cast<std::size_t>(i));
  }
  // What is larger than all the room is not kept, and what is replaced gives its room back.
  keep(texts, kOne, {"large", 0}, std::string(60'000, 'x'));
  EXPECT_EQ(found(texts, kOne, {{"large", 0}}), "-");
  EXPECT_EQ(texts.bytes(), 0u);
  for (int i = 0; i < 100; ++i) keep(texts, kOne, {"a", i}, std::string(1000, 'x'));
  EXPECT_LT(texts.bytes(), 2000u);
}

TEST(RenderedRuns, IsSafeFromAnyThread) {
  RenderedRuns texts(20'000);
  const auto work = [&](int thread) {
    for (int i = 0; i < 2000; ++i) {
      const ListedRun run{std::to_string(i % 50), i / 50};
      const auto text = texts.find(kOne, std::span(&run, 1)).front();
      EXPECT_GE(text ? std::stoi(*text) : run.stamp, run.stamp) << thread;
      keep(texts, kOne, run, std::to_string(run.stamp) + std::string(500, ' '));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
  EXPECT_LE(texts.bytes(), 20'000u);
}

}  // namespace vibe::server
