#include "trace/session.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vibe::trace {
namespace {

constexpr Time kSecond = 1'000'000;
const CallEnd kGood{.outcome = Outcome::success}, kBad{.outcome = Outcome::failure, .error = "no"};

Execution finish(Session& session) {
  const price::PriceTable table;
  return session.finish(Prices(table));
}

TEST(Session, CountsACallOnceByItsId) {
  Session session("s", true);
  session.begin({.name = "Bash", .id = "a"});
  session.end("a", kGood);
  session.begin({.name = "Bash", .id = "a"});  // replayed history
  session.end("a", kGood);
  const auto out = finish(session);
  EXPECT_EQ(out.tool_calls, 1);
  EXPECT_EQ(out.succeeded, 1);
  EXPECT_EQ(out.calls.size(), 1u);
}

// Results of calls that the log does not have: each is a call, and nothing is left open.
TEST(Session, TakesResultsAloneForCalls) {
  Session session("s", false);
  for (int i = 0; i < 100'000; ++i)
    session.end_unnamed({.name = "Bash", .input_hash = static_cast<std::uint64_t>(i)}, kGood);
  session.begin_unnamed({.name = "Bash", .input_hash = 1});
  session.end_unnamed({.name = "Bash", .input_hash = 2}, kBad);  // of the tool, if not of the input
  session.end_unnamed({.name = "Bash", .input_hash = 1}, kGood);
  const auto out = finish(session);
  EXPECT_EQ(out.tool_calls, 100'002);
  EXPECT_EQ(out.failed, 1);
  EXPECT_EQ(out.unanswered, 0);
}

TEST(Session, JoinsTheAnswersOfOneMessage) {
  Session session("s", false);
  session.answered("one", "a");
  session.answered("two", "a");
  session.answered("", "b");
  EXPECT_EQ(session.facts().output, "one\n\ntwo");
  session.answered("three", "b");
  EXPECT_EQ(session.facts().output, "three");
  session.answered("four");
  session.answered("five");
  EXPECT_EQ(finish(session).output, "five");
}

TEST(Session, CutsALongAnswer) {
  Session session("s", false);
  session.answered(std::string(kMostAnswer - 1, 'x') + "é");
  session.answered("more");
  EXPECT_EQ(session.facts().output, "more");
  session.answered(std::string(kMostAnswer - 1, 'x') + "é");
  const auto out = finish(session);
  EXPECT_EQ(out.output, std::string(kMostAnswer - 1, 'x'));
  EXPECT_EQ(out.notes.size(), 1u);
}

TEST(Session, KnowsToolsThatWriteFilesInAnyCase) {
  for (const auto& [tool, writes] : {std::pair("Write", true),
                                     {"apply_patch", true},
                                     {"NotebookEdit", true},
                                     {"Writes", false}}) {
    Session session("s", false);
    session.done({.name = tool}, kGood);
    EXPECT_EQ(finish(session).writes_files, writes) << tool;
  }
}

TEST(Session, KnowsTheResultThatComesBeforeItsCall) {
  Session session("s", true);
  session.end("a", kBad);
  session.begin({.name = "Bash", .id = "a"});
  const auto out = finish(session);
  EXPECT_EQ(out.failed, 1);
  EXPECT_EQ(out.orphan_results, 0);
}

TEST(Session, TellsResultsWithoutCallsAndCallsWithoutResults) {
  Session session("s", false);
  session.end("orphan", kGood);
  session.begin({.name = "Bash", .id = "open"});
  const auto out = finish(session);
  EXPECT_EQ(out.tool_calls, 1);
  EXPECT_EQ(out.orphan_results, 1);
  EXPECT_EQ(out.unanswered, 1);
  EXPECT_EQ(out.unknown, 1);
  EXPECT_EQ(out.notes.size(), 2u);
}

TEST(Session, TakesARefusalForACorrection) {
  Session session("s", true);
  session.begin({.name = "Bash", .id = "a"});
  session.end("a", {.outcome = Outcome::failure, .error = "the user said no", .refused = true});
  const auto out = finish(session);
  EXPECT_EQ(out.failed, 0);
  EXPECT_EQ(out.refused, 1);
  EXPECT_EQ(out.corrections, 1);
  EXPECT_TRUE(out.calls[0].refused);
}

TEST(Session, CountsRepeatsOfFailedCallsAlone) {
  Session session("s", false);
  const CallStart same{.name = "Bash", .input_hash = 1};
  const CallStart other{.name = "Bash", .input_hash = 2};
  session.done(same, kBad);
  session.done(same, kBad);    // a repeat
  session.done(other, kGood);  // not the same
  session.done(other, kGood);  // did not fail
  session.done(same, kBad);
  session.done(other, kGood);
  session.done(same, kGood);  // not directly after it
  EXPECT_EQ(finish(session).repeats, 1);
}

TEST(Session, PairsCallsWithoutIdsByInputThenByTool) {
  Session session("s", true);
  session.begin_unnamed({.name = "Bash", .input_hash = 1});
  session.begin_unnamed({.name = "Bash", .input_hash = 2});
  session.end_unnamed({.name = "Bash", .input_hash = 2}, kGood);
  session.end_unnamed({.name = "Bash", .input_hash = 9}, kBad);
  session.end_unnamed({.name = "Read", .input_hash = 9}, kGood);  // it has no beginning
  const auto out = finish(session);
  EXPECT_EQ(out.tool_calls, 3);
  ASSERT_EQ(out.calls.size(), 3u);
  EXPECT_EQ(out.calls[0].outcome, Outcome::failure);
  EXPECT_EQ(out.calls[1].outcome, Outcome::success);
}

TEST(Session, FailsWhatIsOpenButForTheLast) {
  Session session("s", true);
  session.begin_unnamed({.name = "Bash"});
  session.begin({.name = "Bash", .id = "a"});
  session.begin_unnamed({.name = "Read"});
  session.fail_open_calls(true);
  const auto out = finish(session);
  EXPECT_EQ(out.failed, 2);
  EXPECT_EQ(out.unknown, 1);
}

TEST(Session, TakesTheLastUsageOfAMessage) {
  Session session("s", false);
  session.spent("m1", "x", {.input = 10, .output = 1});
  session.spent("m2", "x", {.input = 5, .output = 2});
  session.spent("m1", "x", {.input = 10, .output = 7});
  session.spent("", "x", {.input = 1, .output = 1});
  session.spent("", "x", {.input = 1, .output = 1});
  const auto out = finish(session);
  EXPECT_EQ(out.tokens->input, 17);
  EXPECT_EQ(out.tokens->output, 11);
}

TEST(Session, AddsUpTheGrowthOfACounter) {
  Session session("s", false);
  for (const std::int64_t total : {100, 100, 250, 40, 90})
    session.counted("x", {.input = total, .output = total / 10});
  const auto out = finish(session);
  EXPECT_EQ(out.tokens->input, 250 + 50);
  EXPECT_EQ(out.tokens->output, 25 + 5);
  EXPECT_THAT(out.notes, testing::Contains(testing::HasSubstr("was reset")));
}

TEST(Session, PricesTokensAndCachedOnesAtTheirOwn) {
  const price::PriceTable table(
      {{.id = "mine",
        .name = {},
        .price = {.input = 10, .output = 100, .cache_read = 1, .cache_write = 20}}});
  const auto cost = [&](const Tokens& tokens) {
    Session session("s", false);
    session.spent("", "mine", tokens);
    return session.finish(Prices(table)).cost.value_or(-1);
  };
  EXPECT_DOUBLE_EQ(cost({.input = 1'000'000, .output = 1'000'000}), 110);
  EXPECT_DOUBLE_EQ(cost({.input = 0, .cache_read = 1'000'000, .cache_write = 1'000'000}), 21);
  // of OpenAI's, the cached ones are part of the input
  EXPECT_DOUBLE_EQ(cost({.input = 1'000'000, .cache_read = 400'000, .cache_in_input = true}), 6.4);
}

TEST(Session, HasNoCostWithoutAPrice) {
  Session session("s", false);
  session.spent("", "nobody/knows", {.input = 1});
  const auto out = finish(session);
  EXPECT_FALSE(out.cost);
  EXPECT_THAT(out.notes, testing::ElementsAre(testing::HasSubstr("`nobody/knows`")));
}

TEST(Session, PrefersTheCostThatTheLogStates) {
  Session session("s", false);
  session.spent("", "nobody/knows", {.input = 1});
  session.cost(0.5);
  const auto out = finish(session);
  EXPECT_DOUBLE_EQ(*out.cost, 0.5);
  EXPECT_TRUE(out.cost_is_stated);
}

TEST(Session, LeavesOutTheHoursInWhichNobodyAsked) {
  Session session("s", false);
  session.prompted(0);
  session.seen(10 * kSecond);
  session.prompted(3600 * kSecond);
  session.seen(3605 * kSecond);
  const auto out = finish(session);
  EXPECT_DOUBLE_EQ(*out.duration, 3605);
  EXPECT_DOUBLE_EQ(*out.active, 15);
}

TEST(Session, CountsHistoryThatIsReplayedOnce) {
  Session session("s", false);
  for (int round = 0; round < 3; ++round)
    for (const Time hour : {0, 1}) {
      session.prompted(hour * 3600 * kSecond);
      session.seen((hour * 3600 + 10) * kSecond);
      session.corrected((hour * 3600 + 11) * kSecond);
    }
  const auto out = finish(session);
  EXPECT_DOUBLE_EQ(*out.active, 20);
  EXPECT_EQ(out.corrections, 2);
}

TEST(Session, IsNoLongerAtWorkThanItTook) {
  Session session("s", false);
  session.prompted(0);
  session.seen(500 * kSecond);  // after the next prompt
  session.prompted(100 * kSecond);
  session.seen(200 * kSecond);
  const auto out = finish(session);
  EXPECT_DOUBLE_EQ(*out.duration, 500);
  EXPECT_DOUBLE_EQ(*out.active, 500);
}

TEST(Session, IgnoresWhatCannotBe) {
  Session session("s", false);
  session.worked(-1);
  session.worked(1e300);
  session.cost(-7);
  session.cost(1e300);
  session.answered("");
  EXPECT_FALSE(session.used());
  const auto out = finish(session);
  EXPECT_FALSE(out.active);
  EXPECT_FALSE(out.cost);
}

TEST(Session, KnowsNoDurationOfOneMoment) {
  Session session("s", false);
  session.seen(5 * kSecond);
  session.seen(5 * kSecond);
  EXPECT_FALSE(finish(session).duration);
}

TEST(Session, CountsTheTimesOfSubAgentsWithinTheTurns) {
  Session session("s", false);
  session.prompted(0);
  session.seen(10 * kSecond);
  session.read_aside();
  session.seen(4 * kSecond);
  session.seen(12 * kSecond);
  const auto out = finish(session);
  EXPECT_DOUBLE_EQ(*out.duration, 12);
  EXPECT_DOUBLE_EQ(*out.active, 10);
}

TEST(Session, NamesTheModelThatAnsweredMost) {
  Session session("s", false);
  session.spent("1", "small", {.input = 1});
  session.spent("2", "large", {.input = 1});
  session.spent("3", "large", {.input = 1});
  EXPECT_EQ(finish(session).model, "large");
}

// Steps grow with the calls, not with their square: a million open ones would take hours.
TEST(Session, FindsAmongManyOpenCalls) {
  Session session("s", false);
  for (std::uint64_t i = 0; i < 300'000; ++i)
    session.begin_unnamed({.name = "Bash", .input_hash = i});
  for (std::uint64_t i = 300'000; i-- > 0;)
    session.end_unnamed({.name = "Bash", .input_hash = i}, kGood);
  const auto out = finish(session);
  EXPECT_EQ(out.tool_calls, 300'000);
  EXPECT_EQ(out.succeeded, 300'000);
}

}  // namespace
}  // namespace vibe::trace
