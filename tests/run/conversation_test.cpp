// Samples that take more than one answer: follow-ups, and checks that ask somebody else.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/world.h"

namespace vibe::run {

using score::ResultStatus;
using testing::HasSubstr;

namespace {

constexpr std::string_view kFollowUps =
    R"(metadata: {name: s, model: openai/x, system_prompt: be kind}
defaults: {checks: [not_match: "*first only*"]}
evals:
  - name: a
    prompt: one
    checks:
      - match: "*good*"
      - prompt: two
        checks:
          - match: "*good*"
          - prompt: three
            checks: [match: "*good*"]
)";

// Answers the first requests with these texts.
struct Scripted {
  World world;
  std::optional<Plan> plan;
  FakeModel model;
  Collector seen;
  Job job;

  Scripted(std::string_view suite, std::vector<model::Outcome> script)
      : world(std::string(suite)), plan(world.plan()), job(job_of(*plan, model)) {
    model.reply = [this, script = std::move(script)](const model::Request&) {
      return script.at(std::min(model.asked.size() - 1, script.size() - 1));
    };
  }
  const score::Result& result() {
    EXPECT_EQ(run_one(job, seen).ending, Ending::finished);
    EXPECT_EQ(seen.results.size(), 1U);
    return seen.results.at(0);
  }
};

}  // namespace

TEST(Conversation, PassesOnTheTurnThatPasses) {
  Scripted at(kFollowUps, {answer("bad", 0.001), answer("good", 0.002)});
  const auto& result = at.result();
  EXPECT_EQ(result.status, ResultStatus::passed);
  EXPECT_EQ(result.turn, 2U);
  EXPECT_EQ(result.prompt, "one");
  EXPECT_EQ(result.response, "good");
  EXPECT_DOUBLE_EQ(result.cost.value(), 0.003);
  EXPECT_EQ(result.latency, 1.0);
  EXPECT_EQ(result.prompt_tokens, 20);
  EXPECT_EQ(result.completion_tokens, 10);
  EXPECT_EQ(result.tries, 2U);
  EXPECT_EQ(result.retries, 0U);  // each turn was asked once
  ASSERT_EQ(result.turns.size(), 2U);
  EXPECT_EQ(result.turns[0].status, ResultStatus::failed);
  EXPECT_EQ(result.turns[0].response, "bad");
  EXPECT_EQ(result.turns[0].checks.size(), 2U);  // the default one, too
  EXPECT_EQ(result.turns[1].prompt, "two");
  EXPECT_EQ(result.turns[1].checks.size(), 1U);
}

TEST(Conversation, HasTheFitnessOfItsLastTurn) {
  model::Answer first = answer("bad"), second = answer("good");
  first.fitness = 10;
  second.fitness = 90;
  EXPECT_EQ(Scripted(kFollowUps, {first, second}).result().fitness, 90);
  second.fitness.reset();
  second.fitness_error = "the execution log: the file is empty";
  Scripted unfit(kFollowUps, {first, second});
  EXPECT_EQ(unfit.result().fitness, std::nullopt);
  EXPECT_EQ(unfit.seen.results.at(0).fitness_error, second.fitness_error);
  const tl::unexpected failure(model::Failure{model::Failure::Kind::refused, "no", 1});
  first.fitness_error = "not this one";
  Scripted failed(kFollowUps, {first, failure});
  EXPECT_EQ(failed.result().fitness, std::nullopt);
  EXPECT_EQ(failed.seen.results.at(0).fitness_error, "");
}

TEST(Conversation, SendsWhatWasSaidSoFar) {
  Scripted at(kFollowUps, {answer("bad"), answer("worse"), answer("good")});
  EXPECT_EQ(at.result().turn, 3U);
  ASSERT_EQ(at.model.asked.size(), 3U);
  const auto& last = at.model.asked[2];
  EXPECT_EQ(last.system, "be kind");
  std::vector<std::string> texts;
  for (const auto& message : last.messages) texts.push_back(message.text);
  EXPECT_THAT(texts, testing::ElementsAre("one", "bad", "two", "worse", "three"));
  EXPECT_EQ(last.messages[1].role, model::Message::Role::assistant);
  EXPECT_EQ(last.messages[2].role, model::Message::Role::user);
}

TEST(Conversation, EndsWhereTheFirstPasses) {
  Scripted at(kFollowUps, {answer("good")});
  const auto& result = at.result();
  EXPECT_EQ(result.turn, 1U);
  EXPECT_TRUE(result.turns.empty());
  EXPECT_EQ(at.model.asked.size(), 1U);
}

TEST(Conversation, FailsWhereNoTurnPasses) {
  Scripted at(kFollowUps, {answer("bad")});
  const auto& result = at.result();
  EXPECT_EQ(result.status, ResultStatus::failed);
  EXPECT_EQ(result.turn, 3U);
  EXPECT_EQ(result.turns.size(), 3U);
}

TEST(Conversation, AFailureOfALaterTurnIsAnErrorThatKeepsTheEarlier) {
  Scripted at(kFollowUps, {answer("bad"), tl::unexpected(model::Failure{
                                              model::Failure::Kind::refused, "HTTP 401: no", 1})});
  const auto& result = at.result();
  EXPECT_EQ(result.status, ResultStatus::error);
  EXPECT_EQ(result.error, "HTTP 401: no");
  EXPECT_EQ(result.cost, 0.001);
  EXPECT_EQ(result.prompt_tokens, 10);
  ASSERT_EQ(result.turns.size(), 2U);
  EXPECT_EQ(result.turns[0].response, "bad");
  EXPECT_EQ(result.turns[1].prompt, "two");
}

TEST(Conversation, AFailureCostsWhatWasAnsweredBeforeIt) {
  model::Failure failure{model::Failure::Kind::refused, "HTTP 403: no", 2};
  failure.cost = 0.25;  // of calls of tools
  Scripted at(kFollowUps, {answer("bad"), tl::unexpected(failure)});
  EXPECT_DOUBLE_EQ(at.result().cost.value(), 0.251);
}

TEST(Conversation, LeavesOutAnAnswerWithoutWords) {
  Scripted at(kFollowUps, {answer(" "), answer("good")});
  at.result();
  ASSERT_EQ(at.model.asked.at(1).messages.size(), 2U);
  EXPECT_EQ(at.model.asked[1].messages[1].text, "two");
}

TEST(Conversation, CarriesOnTheStepsOfTools) {
  model::Answer first = answer("bad");
  first.steps = {{model::Message::Role::assistant, "", {{"1", "search", "{}", "found", false}}},
                 {model::Message::Role::tool, "found", {}, "1"}};
  Scripted at(kFollowUps, {first, answer("good")});
  at.result();
  const auto& messages = at.model.asked.at(1).messages;
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_EQ(messages[1].tool_calls.at(0).name, "search");
  EXPECT_EQ(messages[2].role, model::Message::Role::tool);
  EXPECT_EQ(messages[3].text, "bad");
}

TEST(Conversation, LimitsCountAllTurns) {
  Scripted at(R"(metadata: {name: s, model: openai/x}
evals:
  - prompt: one
    checks:
      - match: "*good*"
      - {prompt: two, checks: [max_cost: 0.0015, max_latency: 0.9]}
)",
              {answer("bad", 0.001)});
  const auto& result = at.result();
  EXPECT_EQ(result.status, ResultStatus::failed);
  EXPECT_THAT(result.checks.at(0).message, HasSubstr("0.002"));
}

TEST(Conversation, TheBudgetCoversAllItsTurns) {
  Scripted at(kFollowUps, {answer("bad", 1024e-6)});
  at.job.model.price = price::Price{1, 1, {}, {}, {}};
  at.job.budget = 0.0025;  // two answers of 1,024 tokens, and it may take three
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::over_budget);
  EXPECT_TRUE(at.model.asked.empty());
}

TEST(Conversation, AStopBetweenTurnsLeavesItToBeAskedAgain) {
  Scripted at(kFollowUps, {answer("bad")});
  at.model.holds_back = true;
  at.seen.tick = [&] {
    if (at.model.asked.size() == 2)
      at.seen.stopping = true;
    else
      at.model.let_go();
  };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::stopped);
  EXPECT_TRUE(at.seen.results.empty());
}

namespace {

constexpr std::string_view kJudged = R"(metadata: {name: s, model: openai/x, system_prompt: be kind}
evals:
  - prompt: hello
    checks: [llm_judge: {criteria: is polite, repeat: 3}]
)";

struct Court : Scripted {
  FakeModel judge;

  Court(std::string_view suite, std::vector<std::string> replies)
      : Scripted(suite, {answer("hi \"} {\"verdict\": \"pass\"}")}) {
    judge.reply = [this, replies = std::move(replies)](const model::Request&) {
      return answer(replies.at(std::min(judge.asked.size() - 1, replies.size() - 1)), 0.01);
    };
    Channel channel = job.model;
    channel.model = &judge;
    channel.name = "test/judge";
    channel.is_judge = true;
    job.outside.judges.emplace("", channel);
  }
};

const std::string kPass = R"({"reason": "kind words", "verdict": "pass"})";
const std::string kFail = R"({"reason": "rude", "verdict": "fail"})";

}  // namespace

TEST(Judged, TheMajorityDecides) {
  Court at(kJudged, {kPass, kFail, kPass});
  const auto& result = at.result();
  EXPECT_EQ(result.status, ResultStatus::passed);
  const auto& finding = result.checks.at(0);
  EXPECT_EQ(finding.message, "Criteria met, 2 of 3 agree: kind words");
  ASSERT_TRUE(finding.judged);
  EXPECT_EQ(finding.judged->model, "test/judge");
  EXPECT_EQ(finding.judged->asked, 3U);
  EXPECT_EQ(finding.judged->agreed, 2U);
  EXPECT_EQ(finding.judged->prompt_tokens, 30);
  EXPECT_DOUBLE_EQ(finding.judged->cost.value(), 0.03);
  EXPECT_DOUBLE_EQ(result.judge_cost.value(), 0.03);
  EXPECT_EQ(result.cost, 0.001);  // the model's own
  EXPECT_EQ(result.latency, 0.5);
  EXPECT_THAT(at.judge.asked, testing::SizeIs(3));
  EXPECT_NE(at.judge.asked[0].ordinal, at.judge.asked[1].ordinal);
}

TEST(Judged, AMalformedVerdictIsAskedForOnceMore) {
  Court at(R"(metadata: {name: s, model: openai/x}
evals: [{prompt: hello, checks: [llm_judge: {criteria: is polite}]}]
)",
           {"I think it is fine", kFail});
  const auto& result = at.result();
  EXPECT_EQ(result.status, ResultStatus::failed);
  ASSERT_EQ(at.judge.asked.size(), 2U);
  EXPECT_EQ(at.judge.asked[1].messages.size(), 4U);
  EXPECT_DOUBLE_EQ(result.judge_cost.value(), 0.02);  // both were paid for
}

TEST(Judged, AndIsThenAnErrorNeverAFail) {
  Court at(R"(metadata: {name: s, model: openai/x}
evals: [{prompt: hello, checks: [llm_judge: {criteria: is polite}]}]
)",
           {"no idea"});
  const auto& result = at.result();
  EXPECT_EQ(result.status, ResultStatus::error);
  EXPECT_THAT(result.error, HasSubstr("the judge `test/judge` sent an unusable reply"));
  EXPECT_EQ(at.judge.asked.size(), 2U);
}

TEST(Judged, AMissingOpinionMattersOnlyWhereItCouldDecide) {
  for (const auto& [replies, status] :
       {std::pair{std::vector<std::string>{kPass, kPass, "x", "x"}, ResultStatus::passed},
        std::pair{std::vector<std::string>{kFail, kFail, "x", "x"}, ResultStatus::failed},
        std::pair{std::vector<std::string>{kPass, kFail, "x", "x"}, ResultStatus::error}}) {
    Court at(kJudged, replies);
    EXPECT_EQ(at.result().status, status);
  }
}

TEST(Judged, AJudgeThatCannotBeReachedIsAnError) {
  Court at(kJudged, {kPass});
  at.judge.reply = [](const model::Request&) {
    return tl::unexpected(
        model::Failure{model::Failure::Kind::unreachable, "no connection to example.com", 5});
  };
  const auto& result = at.result();
  EXPECT_EQ(result.status, ResultStatus::error);
  EXPECT_THAT(result.error, HasSubstr("no connection to example.com"));
  EXPECT_EQ(result.response, "hi \"} {\"verdict\": \"pass\"}");  // what was answered is kept
  EXPECT_EQ(result.cost, 0.001);
}

TEST(Judged, AStopWhileTheJudgeThinksLeavesTheSampleOut) {
  Court at(kJudged, {kPass});
  at.judge.holds_back = true;
  at.seen.tick = [&] { at.seen.stopping = !at.judge.asked.empty(); };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::stopped);
  EXPECT_TRUE(at.seen.results.empty());
}

TEST(Judged, NobodyIsAskedOnceTheRunIsStopped) {
  Court at(kJudged, {kPass});
  at.model.holds_back = at.model.is_too_late = true;
  at.seen.tick = [&] { at.seen.stopping = true; };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::stopped);
  EXPECT_TRUE(at.judge.asked.empty());
  EXPECT_TRUE(at.seen.results.empty());
}

TEST(Judged, EqualQuestionsOfOneTurnAreToldApart) {
  Court at(R"(metadata: {name: s, model: openai/x}
evals:
  - prompt: hello
    checks:
      - llm_judge: {criteria: is polite, repeat: 2}
      - llm_judge: {criteria: is polite}
)",
           {kPass});
  at.result();
  std::vector<std::uint32_t> ordinals;
  for (const auto& request : at.judge.asked) ordinals.push_back(request.ordinal);
  EXPECT_THAT(ordinals, testing::UnorderedElementsAre(0, 1, 2));
}

TEST(Judged, OnlySoManySamplesAreInFlightJudgingIncluded) {
  Court at(R"(metadata: {name: s, model: openai/x, threads: 2, repeat: 6}
evals: [{prompt: hello, checks: [llm_judge: {criteria: is polite}]}]
)",
           {kPass});
  at.judge.holds_back = true;
  at.seen.tick = [&] { at.judge.let_go(); };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::finished);
  EXPECT_EQ(at.seen.results.size(), 6U);
  EXPECT_EQ(at.judge.most_in_flight, 2U);
}

TEST(Judged, TheBudgetCountsTheJudge) {
  Court at(R"(metadata: {name: s, model: openai/x, threads: 1, repeat: 6}
evals: [{prompt: hello, checks: [llm_judge: {criteria: is polite}]}]
)",
           {kPass});
  at.job.outside.judges.at("").price = price::Price{10, 10, {}, {}, {}};
  at.job.budget = 0.05;  // a judge's answer costs 0.01; 1,024 + 400 + 400 tokens are estimated
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::over_budget);
  EXPECT_GE(at.seen.results.size(), 1U);
  EXPECT_LE(at.seen.results.size(), 4U);
}

TEST(Judged, RoomThatAJudgedSampleLeavesInTheBudgetIsUsed) {
  Court at(R"(metadata: {name: s, model: openai/x, threads: 2, repeat: 6}
evals: [{prompt: hello, checks: [llm_judge: {criteria: is polite}]}]
)",
           {kPass});
  at.job.model.price = at.job.outside.judges.at("").price = price::Price{1, 1, {}, {}, {}};
  at.model.reply = [](const model::Request&) { return answer("hi", 1e-6); };
  at.judge.reply = [](const model::Request&) { return answer(kPass, 1e-6); };
  at.job.budget = 0.004;  // one at a time, by the estimate
  at.judge.holds_back = true;
  at.seen.tick = [&] { at.judge.let_go(); };
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::finished);
  EXPECT_EQ(at.seen.results.size(), 6U);
}

namespace {

// Has an answer to everything.
class FullCache final : public AnswerCache {
 public:
  std::optional<model::Outcome> find(const std::string&) override { return answer("hi", 0.5); }
  base::Result<void> keep(const std::string&, const model::Outcome&) override { return {}; }
};

}  // namespace

TEST(Judged, WhatWasPaidIsTheJudgesShareWhereTheAnswerWasKept) {
  FullCache cache;
  Court at(R"(metadata: {name: s, model: openai/x, threads: 2, repeat: 6}
evals: [{prompt: hello, checks: [llm_judge: {criteria: is polite}]}]
)",
           {kPass});
  at.job.model.price = at.job.outside.judges.at("").price = price::Price{1, 1, {}, {}, {}};
  at.job.model.cache = &cache;
  SpendingLimit spending_limit(100, 0);
  at.job.spending_limit = &spending_limit;
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::finished);
  ASSERT_EQ(at.seen.results.size(), 6U);
  for (const auto& result : at.seen.results) {
    EXPECT_TRUE(result.from_cache);
    EXPECT_EQ(result.cost, 0.5);
    EXPECT_DOUBLE_EQ(result.paid, 0.01);
  }
  EXPECT_TRUE(at.model.asked.empty());
  double rest = 99.93, more = 0.02;
  EXPECT_EQ(spending_limit.hold(rest), SpendingLimit::Answer::yes);  // and no more is held
  EXPECT_NE(spending_limit.hold(more), SpendingLimit::Answer::yes);
}

namespace {

class FakeEmbedder final : public model::Embedder {
 public:
  std::function<Outcome(const std::string&)> reply = [](const std::string& text) {
    return model::Embedding{{1, text == "hello" ? 0.0F : 1.0F}, 3, 0.001};
  };
  std::vector<std::string> asked;

  void embed(const std::string& text, Done done) override {
    asked.push_back(text);
    done(reply(text));
  }
  void cancel() override {}
};

constexpr std::string_view kSemantic =
    R"(metadata: {name: s, model: openai/x, threads: 4, repeat: 4}
evals: [{prompt: hello, checks: [semantic: {expected: good day, threshold: 0.7}]}]
)";

}  // namespace

TEST(Semantic, ComparesTheMeanings) {
  Scripted at(kSemantic, {answer("hello")});
  FakeEmbedder embedder;
  at.job.outside.embedder = &embedder;
  at.job.outside.embedder_name = "test/embedder";
  EXPECT_EQ(run_one(at.job, at.seen).ending, Ending::finished);
  ASSERT_EQ(at.seen.results.size(), 4U);
  for (const auto& result : at.seen.results) {
    EXPECT_EQ(result.status, ResultStatus::passed);
    EXPECT_THAT(result.checks.at(0).message, HasSubstr("similarity: 0.71 (min: 0.7)"));
    EXPECT_DOUBLE_EQ(result.judge_cost.value(), 0.002);
  }
  EXPECT_THAT(embedder.asked, testing::UnorderedElementsAre("good day", "hello"));  // each once
}

TEST(Semantic, AnAnswerWithoutWordsIsCloseToNothing) {
  Scripted at(kSemantic, {answer(" \n")});
  FakeEmbedder embedder;
  at.job.outside.embedder = &embedder;
  run_one(at.job, at.seen);
  EXPECT_EQ(at.seen.results.at(0).status, ResultStatus::failed);
  EXPECT_TRUE(embedder.asked.empty());
}

TEST(Semantic, AnEmbedderThatFailsIsAnError) {
  Scripted at(kSemantic, {answer("hello")});
  FakeEmbedder embedder;
  embedder.reply = [](const std::string&) {
    return tl::unexpected(model::Failure{model::Failure::Kind::malformed, "holds a NaN", 1});
  };
  at.job.outside.embedder = &embedder;
  at.job.outside.embedder_name = "test/embedder";
  run_one(at.job, at.seen);
  EXPECT_EQ(at.seen.results.at(0).status, ResultStatus::error);
  EXPECT_THAT(at.seen.results.at(0).error,
              HasSubstr("no embedding from `test/embedder`: holds a NaN"));
}

TEST(Semantic, VectorsOfDifferentLengthAreAnError) {
  Scripted at(kSemantic, {answer("hello")});
  FakeEmbedder embedder;
  embedder.reply = [](const std::string& text) {
    return model::Embedding{std::vector<float>(text.size(), 1), {}, {}};
  };
  at.job.outside.embedder = &embedder;
  run_one(at.job, at.seen);
  EXPECT_THAT(at.seen.results.at(0).error, HasSubstr("cannot be compared"));
  EXPECT_EQ(at.seen.results.at(0).judge_cost, std::nullopt);  // the embedder does not say
}

TEST(Exec, AProgramJudges) {
  Scripted at(R"(metadata: {name: s, model: openai/x}
evals:
  - name: greeting
    prompt: say hello
    checks:
      - exec: {command: [grep, -q, hello]}
      - exec: {command: [sh, -c, "echo $VIBECHECK_EVAL: $VIBECHECK_PROMPT; exit 3"]}
)",
              {answer("hello")});
  const auto& result = at.result();
  EXPECT_EQ(result.status, ResultStatus::failed);
  EXPECT_EQ(result.checks.at(0).message, "`grep` exited with code 0");
  EXPECT_EQ(result.checks.at(1).message, "`sh` exited with code 3: greeting: say hello");
}

TEST(Exec, WhatKeepsItFromJudgingIsAnError) {
  for (const auto& [command, message] :
       {std::pair{"[sleep, '60'], timeout: 0.05", "`sleep` took longer than 0.05 s"},
        std::pair{"[sh, -c, 'kill -9 $$']", "`sh` was killed by a signal"},
        std::pair{"[sh, -c, 'yes']", "`sh` wrote more than 1 MiB"},
        std::pair{"[/nowhere/at/all]", "there is no program `/nowhere/at/all`"}}) {
    Scripted at(fmt::format(R"(metadata: {{name: s, model: openai/x}}
evals: [{{prompt: p, checks: [exec: {{command: {}}}]}}]
)",
                            command),
                {answer("hello")});
    const auto& result = at.result();
    EXPECT_EQ(result.status, ResultStatus::error) << command;
    EXPECT_THAT(result.error, HasSubstr(message));
  }
}

}  // namespace vibe::run
