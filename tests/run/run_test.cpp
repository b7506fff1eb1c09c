#include "run/run.h"

#include <chrono>
#include <thread>
#include <unordered_map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/finish.h"
#include "run/world.h"

namespace vibe::run {

using score::ResultStatus;
using score::RunStatus;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr std::string_view kSuite = R"(metadata: {name: s, model: openai/x, threads: 3}
evals:
  - {name: a, prompt: alpha, repeat: 4, checks: [match: "*alpha*"]}
  - {name: b, prompt: beta, repeat: 4, checks: [match: "*gamma*"]}
)";

struct Setting {
  World world{std::string(kSuite)};
  std::optional<Plan> plan = world.plan();
  FakeModel model;
  Collector seen;
  Job job = job_of(*plan, model);
};

}  // namespace

TEST(Run, JudgesEveryAnswer) {
  Setting at;
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::finished);
  ASSERT_EQ(at.seen.results.size(), 8U);
  for (const auto& result : at.seen.results) {
    EXPECT_EQ(result.status, result.eval == "a" ? ResultStatus::passed : ResultStatus::failed);
    EXPECT_EQ(result.checks.size(), 1U);
    EXPECT_EQ(result.latency, 0.5);
    EXPECT_EQ(result.cost, 0.001);
  }
}

TEST(Run, KeepsToTheNumberInFlight) {
  Setting at;
  at.model.holds_back = true;
  at.seen.tick = [&] { at.model.let_go(); };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::finished);
  EXPECT_EQ(at.model.most_in_flight, 3U);
  EXPECT_EQ(at.seen.results.size(), 8U);
}

TEST(Run, AFailureIsAnErrorThatCostsNothing) {
  Setting at;
  at.model.reply = [](const model::Request&) {
    return tl::unexpected(model::Failure{model::Failure::Kind::refused, "HTTP 401: no", 2});
  };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::finished);
  const auto& result = at.seen.results.at(0);
  EXPECT_EQ(result.status, ResultStatus::error);
  EXPECT_EQ(result.error, "HTTP 401: no");
  EXPECT_EQ(result.cost, 0);
  EXPECT_EQ(result.latency, std::nullopt);
  EXPECT_EQ(result.tries, 2U);
}

TEST(Run, StopsAtOnceAndCountsNothingThatComesLater) {
  Setting at;
  at.model.holds_back = true;
  at.seen.tick = [&] { at.seen.stopping = true; };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::stopped);
  EXPECT_TRUE(at.seen.results.empty());
  EXPECT_EQ(at.model.asked.size(), 3U);
}

TEST(Run, WhatIsInFlightMayFinishWhenItIsHandedOver) {
  Setting at;
  at.model.holds_back = true;
  at.seen.tick = [&] {
    if (std::exchange(at.seen.draining, true)) at.model.let_go();
  };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::interrupted);
  EXPECT_EQ(at.seen.results.size(), 3U);
  EXPECT_EQ(at.model.asked.size(), 3U);
}

TEST(Run, HandedOverAndStoppedItIsNotTheUsersStop) {
  Setting at;
  at.model.holds_back = true;
  at.seen.tick = [&] { at.seen.stopping = std::exchange(at.seen.draining, true); };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::interrupted);
  EXPECT_TRUE(at.seen.results.empty());
}

TEST(Run, HandedOverWithNothingLeftItIsFinished) {
  Setting at;
  at.job.pending = {0, 1, 2};
  at.model.holds_back = true;
  at.seen.tick = [&] {
    if (std::exchange(at.seen.draining, true)) at.model.let_go();
  };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::finished);
  EXPECT_EQ(at.seen.results.size(), 3U);
}

TEST(Run, EndsWhenItsTimeIsOver) {
  Setting at;
  at.model.holds_back = true;
  at.job.timeout = 0;
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::timed_out);
}

TEST(Run, AResultThatCannotBeKeptBreaksIt) {
  Setting at;
  at.seen.breaks_at = 2;
  const auto ended = run_one(at.job, at.seen);
  EXPECT_EQ(ended.ending, Ending::broken);
  EXPECT_THAT(render(ended.problems), HasSubstr("the disk is full"));
  EXPECT_EQ(at.seen.results.size(), 2U);
}

TEST(Run, NeverGoesOverItsBudget) {
  for (const double budget : {0.0, 0.0005, 0.004, 0.008, 1.0}) {
    Setting at;
    at.job.model.price = price::Price{1, 1, {}, {}};  // a dollar for a million tokens
    at.job.budget = budget;
    at.model.holds_back = true;
    // As expensive as the estimate allows: 1,024 tokens of output.
    at.model.reply = [](const model::Request&) { return answer("alpha", 1024e-6 + 5e-6); };
    at.seen.tick = [&] { at.model.let_go(); };
    const auto ended = run_one(at.job, at.seen);
    double spent = 0;
    for (const auto& result : at.seen.results) spent += result.cost.value_or(0);
    EXPECT_LE(spent, budget);
    EXPECT_EQ(ended.ending, budget == 1.0 ? Ending::finished : Ending::over_budget);
    if (budget == 0.008) {
      EXPECT_EQ(at.seen.results.size(), 7U);
    }
  }
}

TEST(Run, SaysWhatTheNextSampleWouldHaveNeeded) {
  for (const bool by_purse : {false, true}) {
    Setting at;
    at.job.model.price = price::Price{1, 1, {}, {}};
    SpendingLimit small(0.0001, 0);
    if (by_purse)
      at.job.spending_limit = &small;
    else
      at.job.budget = 0.0001;
    const auto ended = run_one(at.job, at.seen);
    EXPECT_EQ(ended.ending, by_purse ? Ending::no_credit : Ending::over_budget);
    EXPECT_TRUE(at.seen.results.empty());
    EXPECT_GT(ended.needed, 1024e-6);
    Setting again;  // with as much as that, it is asked
    again.job.model.price = price::Price{1, 1, {}, {}};
    again.model.reply = [](const model::Request&) { return answer("alpha", 1e-3); };
    SpendingLimit enough(ended.needed, 0);
    if (by_purse)
      again.job.spending_limit = &enough;
    else
      again.job.budget = ended.needed;
    run_one(again.job, again.seen);
    EXPECT_EQ(again.seen.results.size(), 1U);
  }
}

TEST(SpendingLimit, WhatRoundingLeftIsNoMoneyAndWhatItTookIsNotMissing) {
  double nothing = 0, tenth = 0.1;
  EXPECT_EQ(SpendingLimit(1, 1 - 1e-16).hold(nothing), SpendingLimit::Answer::no);
  EXPECT_EQ(SpendingLimit(1, 1 - 1e-9).hold(nothing), SpendingLimit::Answer::no);
  EXPECT_EQ(SpendingLimit(1, 0.999999).hold(nothing), SpendingLimit::Answer::yes);
  SpendingLimit spending_limit(0.3, 0.1 + 0.1);  // 0.09999999999999998 is left
  EXPECT_EQ(spending_limit.hold(tenth), SpendingLimit::Answer::yes);
  EXPECT_EQ(SpendingLimit(0.3, 0.1 + 0.1 + 0.1).hold(nothing), SpendingLimit::Answer::no);
}

TEST(Run, WaitsForAnswersThatCostLessThanWasReserved) {
  Setting at;
  at.job.model.price = price::Price{1, 1, {}, {}, {}};
  at.job.budget = 0.0011;  // one request at a time, by the estimate
  at.model.holds_back = true;
  at.model.reply = [](const model::Request&) { return answer("alpha", 5e-6); };
  at.seen.tick = [&] { at.model.let_go(); };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::finished);
  EXPECT_EQ(at.model.most_in_flight, 1U);
}

TEST(Run, RunsThatShareAPurseSpendNoMoreThanIsInIt) {
  for (const double dollars : {0.0, 0.0005, 0.004, 0.008, 1.0}) {
    Setting one, other;
    SpendingLimit spending_limit(dollars, 0);
    for (Setting* at : {&one, &other}) {
      at->job.model.price = price::Price{1, 1, {}, {}};
      at->job.spending_limit = &spending_limit;
      at->model.holds_back = true;
      at->model.reply = [](const model::Request&) { return answer("alpha", 1024e-6 + 5e-6); };
    }
    one.seen.tick = [&] {
      one.model.let_go();
      other.model.let_go();
    };
    std::vector<Job> jobs{std::move(one.job), std::move(other.job)};
    const auto ended = run_all(jobs, one.seen);
    double spent = 0;
    for (const auto& result : one.seen.results) spent += result.cost.value_or(0);
    EXPECT_LE(spent, dollars);
    for (const auto& end : ended)
      EXPECT_EQ(end.ending, dollars == 1.0 ? Ending::finished : Ending::no_credit);
    if (dollars == 0.008) {
      EXPECT_EQ(one.seen.results.size(), 7U);
    }
  }
}

TEST(Run, WaitsForWhatAnotherHoldsOfThePurse) {
  Setting at;
  SpendingLimit spending_limit(0.0015, 0);  // one request, by the estimate
  at.job.model.price = price::Price{1, 1, {}, {}};
  at.job.spending_limit = &spending_limit;
  at.model.reply = [](const model::Request&) { return answer("alpha", 5e-6); };
  double held = 0.001;
  ASSERT_EQ(spending_limit.hold(held), SpendingLimit::Answer::yes);
  bool is_released = false;
  at.seen.tick = [&] {
    if (std::exchange(is_released, true)) return;
    EXPECT_TRUE(at.seen.results.empty());
    spending_limit.release(0.001);
  };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::finished);
  EXPECT_EQ(at.seen.results.size(), 8U);
}

TEST(Run, TheBudgetCountsWhatMayHaveBeenPaidFor) {
  for (const auto& outcome :
       {model::Outcome(model::Answer{}),  // of unknown cost
        model::Outcome(tl::unexpected(model::Failure{model::Failure::Kind::malformed, "", 1})),
        model::Outcome(tl::unexpected(model::Failure{model::Failure::Kind::timed_out, "", 1}))}) {
    Setting at;
    at.job.model.price = price::Price{1, 1, {}, {}, {}};
    at.job.budget = 0.0025;  // two requests of 1,024 tokens
    at.model.reply = [&](const model::Request&) { return outcome; };
    EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::over_budget);
    EXPECT_EQ(at.seen.results.size(), 2U);
  }
}

TEST(Run, ACancelledAnswerOfALiveRunIsAnError) {
  Setting at;
  at.model.reply = [](const model::Request&) {
    return tl::unexpected(model::Failure{model::Failure::Kind::cancelled, "cancelled", 1});
  };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::finished);
  ASSERT_EQ(at.seen.results.size(), 8U);
  EXPECT_EQ(at.seen.results[0].status, ResultStatus::error);
}

TEST(Run, WhatCameBeforeTheStopIsKept) {
  Setting at;
  at.model.holds_back = true;
  at.seen.tick = [&] {
    at.model.let_go();
    at.seen.stopping = true;
  };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::stopped);
  EXPECT_EQ(at.seen.results.size(), 3U);
}

TEST(Run, AJobThatEndsIsCancelledWhileOthersGoOn) {
  Setting one, two;
  one.model.holds_back = two.model.holds_back = true;
  one.job.timeout = 0;
  Job jobs[] = {one.job, two.job};
  Collector seen;
  bool was_cancelled = false;
  seen.tick = [&] {
    was_cancelled = was_cancelled || (one.model.in_flight() == 0 && two.model.in_flight() > 0);
    if (was_cancelled) two.model.let_go();
  };
  const auto ended = run_all(jobs, seen);
  EXPECT_TRUE(was_cancelled);
  EXPECT_EQ(ended.at(0).ending, Ending::timed_out);
  EXPECT_EQ(ended.at(1).ending, Ending::finished);
}

class Cache final : public AnswerCache {
 public:
  std::unordered_map<std::string, model::Outcome> kept;
  std::function<void()> on_find = [] {};
  std::optional<model::Outcome> find(const std::string& key) override {
    on_find();
    const auto found = kept.find(key);
    return found == kept.end() ? std::nullopt : std::optional(found->second);
  }
  base::Result<void> keep(const std::string& key, const model::Outcome& outcome) override {
    kept.insert_or_assign(key, outcome);
    return {};
  }
};

TEST(Run, TakesAnswersFromTheCacheFirst) {
  Cache cache;
  Setting first;
  first.job.model.cache = &cache;
  run_one(first.job, first.seen);
  EXPECT_EQ(cache.kept.size(), 8U);  // repeats are answers of their own

  Setting second;
  second.job.model.cache = &cache;
  run_one(second.job, second.seen);
  EXPECT_TRUE(second.model.asked.empty());
  ASSERT_EQ(second.seen.results.size(), 8U);
  EXPECT_TRUE(second.seen.results[0].from_cache);
  EXPECT_EQ(second.seen.results[0].cost, 0.001);
  EXPECT_EQ(second.seen.results[0].latency, 0.5);
}

TEST(Run, ManyCachedAnswersDoNotKeepItFromStopping) {
  Setting first;
  Cache cache;
  first.job.model.cache = &cache;
  run_one(first.job, first.seen);
  Setting second;
  second.job.model.cache = &cache;
  cache.on_find = [&] {  // slow: a tick for each
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    second.seen.stopping = true;
  };
  EXPECT_EQ(run_one(second.job, second.seen).ending, Ending::stopped);
  EXPECT_LT(second.seen.results.size(), 8U);
}

TEST(Run, AnAnswerThatRepeatsASecretIsNotCached) {
  World world(R"(metadata: {name: s, model: openai/x}
evals: [{prompt: "use {{secret('token')}}", checks: [match: "*"]}]
)");
  const auto plan = world.plan({}, {}, {{"token", "s3cret"}});
  FakeModel model;
  Collector seen;
  Cache cache;
  Job job = job_of(*plan, model);
  job.model.cache = &cache;
  run_one(job, seen);
  EXPECT_TRUE(cache.kept.empty());
}

TEST(Run, RedactsSecretsWhereverTheyWouldBeKept) {
  World world(R"(metadata: {name: s, model: openai/x}
evals:
  - prompt: "use {{secret('token')}}"
    checks: [{equals: "no {{secret('token')}}"}, {match: "*s3cret*"}]
)");
  const auto plan = world.plan({}, {}, {{"token", "s3cret"}});
  FakeModel model;
  Collector seen;
  Job job = job_of(*plan, model);
  run_one(job, seen);
  EXPECT_EQ(model.asked.at(0).messages.at(0).text, "use s3cret");  // the model gets it
  const auto& result = seen.results.at(0);
  EXPECT_EQ(result.prompt, "use [token]");
  EXPECT_EQ(result.response, "use [token]");
  EXPECT_EQ(result.checks.at(1).verdict, score::Verdict::pass);  // judged as it came
  for (const auto& finding : result.checks)
    EXPECT_EQ(finding.message.find("s3cret"), std::string::npos) << finding.message;
}

// In what is quoted it is masked, wherever it came from; our own words stay as they are.
TEST(Run, ASecretOfOneLetterIsNotTakenOutOfOurOwnWords) {
  World world(R"(metadata: {name: s, model: openai/x}
evals:
  - name: greeting
    prompt: "use {{secret('shorty')}}"
    checks:
      - max_tokens: 1
      - equals: "x{{secret('shorty')}}y"
      - match: "*{{secret('shorty')}}*"
      - regex: "e z"
      - json: true
      - tool_called: {name: "t{{secret('shorty')}}"}
      - max_latency: 100
      - or: [{match: "*seen*"}, {max_tokens: 2}]
)");
  const auto plan = world.plan({}, {}, {{"shorty", "e"}});
  FakeModel model;
  Collector seen;
  Job job = job_of(*plan, model);
  run_one(job, seen);
  const auto& result = seen.results.at(0);
  EXPECT_EQ(result.eval_name, "greeting");
  EXPECT_EQ(result.response, "us[shorty] [shorty]");
  ASSERT_EQ(result.checks.size(), 8U);
  const auto message = [&](std::size_t i) { return result.checks.at(i).message; };
  EXPECT_EQ(message(0), "Token count: 2 tokens (max: 1)");
  EXPECT_EQ(message(1), R"(Response is "us[shorty] [shorty]", not "x[shorty]y")");
  EXPECT_EQ(message(2), R"(Pattern "*[shorty]*" found in response)");
  EXPECT_EQ(message(3), R"(Pattern "[shorty] z" not found in response)");
  EXPECT_THAT(message(4), HasSubstr("not JSON: "));
  EXPECT_THAT(message(4), testing::Not(HasSubstr("shorty")));
  EXPECT_EQ(message(5), R"(Tool "t[shorty]" not called; no tool was called)");
  EXPECT_THAT(message(6), testing::Not(HasSubstr("shorty")));
  EXPECT_EQ(result.checks.at(7).children.at(0).message,
            R"(Pattern "*s[shorty][shorty]n*" not found in response)");
  EXPECT_THAT(message(7), testing::Not(HasSubstr("shorty")));

  model.reply = [](const model::Request&) {
    auto failure = model::own_failure(model::Failure::Kind::refused, "HTTP 401, refused");
    failure.message += ": no such key: e";
    return model::Outcome(tl::unexpected(failure));
  };
  Job failing = job_of(*plan, model);
  Collector errors;
  run_one(failing, errors);
  EXPECT_EQ(errors.results.at(0).error, "HTTP 401, refused: no such k[shorty]y: [shorty]");
}

TEST(Run, SeveralJobsGoSideBySide) {
  Setting one, two;
  one.model.holds_back = true;
  Job jobs[] = {one.job, two.job};
  Collector seen;
  seen.tick = [&] { one.model.let_go(); };
  const auto ended = run_all(jobs, seen);
  EXPECT_EQ(seen.results.size(), 16U);
  EXPECT_EQ(ended.at(0).ending, Ending::finished);
  EXPECT_EQ(ended.at(1).ending, Ending::finished);
}

struct StatusCase {
  const char* name;
  Ending ending;
  std::size_t results, errors;
  RunStatus want;
};

class RunStatusOf : public testing::TestWithParam<StatusCase> {};

TEST_P(RunStatusOf, IsCalled) {
  EXPECT_EQ(status_of(GetParam().ending, GetParam().results, GetParam().errors), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Run, RunStatusOf,
    testing::Values(StatusCase{"all_judged", Ending::finished, 3, 0, RunStatus::completed},
                    StatusCase{"some_errors", Ending::finished, 3, 1, RunStatus::partial_failure},
                    StatusCase{"only_errors", Ending::finished, 3, 3, RunStatus::failed},
                    StatusCase{"out_of_money", Ending::over_budget, 3, 0,
                               RunStatus::partial_failure},
                    StatusCase{"no_money_at_all", Ending::over_budget, 0, 0, RunStatus::failed},
                    StatusCase{"out_of_time", Ending::timed_out, 3, 0, RunStatus::timed_out},
                    StatusCase{"stopped", Ending::stopped, 3, 0, RunStatus::cancelled},
                    StatusCase{"broken", Ending::broken, 3, 0, RunStatus::failed},
                    StatusCase{"handed_over", Ending::interrupted, 3, 0, RunStatus::running}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Finish, CountsAndAddsUp) {
  Setting at;
  run_one(at.job, at.seen);
  score::Run run;
  const auto score =
      finish(run, *at.world.suite, at.seen.results, samples_of(*at.world.suite, at.seen.results));
  EXPECT_EQ(run.results, 8U);
  EXPECT_EQ(run.passed, 4U);
  EXPECT_EQ(run.score, 50);
  EXPECT_EQ(score.value, 50);
  EXPECT_EQ(run.prompt_tokens, 80);
  EXPECT_NEAR(*run.total_cost, 0.008, 1e-12);
  EXPECT_EQ(run.metrics.size(), formula::kRunMetrics.size());
  EXPECT_THAT(run.explanation, HasSubstr("success_pct"));
}

TEST(Finish, AnUnknownNumberMakesTheTotalUnknownAndAFailureDoesNot) {
  Setting at;
  run_one(at.job, at.seen);
  auto results = at.seen.results;
  results[0] = score::Result{};  // never answered
  results[0].cost = results[0].input_cost = results[0].output_cost = 0;
  score::Run run;
  finish(run, *at.world.suite, results, samples_of(*at.world.suite, results));
  EXPECT_EQ(run.prompt_tokens, 70);
  EXPECT_TRUE(run.input_cost);
  results[1].prompt_tokens.reset();
  results[1].input_cost.reset();
  finish(run, *at.world.suite, results, samples_of(*at.world.suite, results));
  EXPECT_EQ(run.prompt_tokens, std::nullopt);
  EXPECT_EQ(run.input_cost, std::nullopt);
  EXPECT_TRUE(run.output_cost);
}

}  // namespace vibe::run
