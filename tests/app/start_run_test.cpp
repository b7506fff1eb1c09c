#include "app/team/start_run.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "app/server_world.h"
#include "app/suites/validate.h"

namespace vibe::app {
namespace {

using base::Code;

std::vector<Code> codes(const base::Diagnostics& found) {
  std::vector<Code> out;
  for (const auto& one : found.all())
    if (one.severity == base::Severity::error) out.push_back(one.code);
  return out;
}

base::JsonValue json(std::string_view text) {
  auto value = base::parse_json(text);
  EXPECT_TRUE(value) << value.error();
  return *std::move(value);
}

// ---- what a client sent

struct Sent {
  Local local;
  base::Diagnostics out;
  std::optional<SentSuite> read(std::string_view eval_suite,
                                const std::optional<std::string>& yaml = std::nullopt) {
    local.permissions = ServerWorld::server_permissions();
    return read_sent_suite(json(eval_suite), yaml, local, out);
  }
};

constexpr const char* kFile = R"(metadata:
  name: sums
  model: openai/gpt-4o-mini
  system_prompt: Be brief
evals:  # all of them
  - name: two
    tags: [easy]
    repeat: 3
    prompt: What is 2 + 2?
    checks:
      - match: "*4*"
      - semantic: {expected: four, threshold: 0.80}
  - prompt: What is 3 + 3?
    checks: {match: "*6*"}
score:
  formula: two * 10
)";
// What is left of it once the client has stripped what it does not know.
constexpr const char* kStripped =
    R"({"metadata":{"name":"sums","model":"openai/gpt-4o-mini","system_prompt":"Be brief"},
        "evals":[{"prompt":"What is 2 + 2?","checks":[{"match":"*4*"},{"semantic":{"expected":"four","threshold":0.8}}]},
                 {"prompt":"What is 3 + 3?","checks":{"match":"*6*"}}]})";

std::string with(std::string_view text, std::string_view what, std::string_view by) {
  std::string out(text);
  const auto at = out.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return out.replace(at, what.size(), by);
}

TEST(SentSuite, WhatWasStrippedComesFromTheFile) {
  Sent sent;
  const auto suite = sent.read(kStripped, kFile);
  ASSERT_TRUE(suite) << base::render(sent.out);
  EXPECT_EQ(suite->text(), kFile);  // to the byte
  EXPECT_EQ(suite->name(), "sums");
  EXPECT_EQ(suite->loaded.suite->evals.size(), 2u);
  EXPECT_FALSE(suite->model || suite->plan.system_prompt || suite->plan.threads ||
               suite->tools.url);
}

TEST(SentSuite, WhatIsSaidOtherwiseCounts) {
  Sent sent;
  const auto suite = sent.read(with(kStripped, "What is 2 + 2?", "What is\\n\\u2028 007?"), kFile);
  ASSERT_TRUE(suite) << base::render(sent.out);
  const suite::Suite& read = *suite->loaded.suite;
  EXPECT_EQ(read.evals[0].prompt, "What is\n\u2028 007?");
  EXPECT_EQ(read.evals[0].name, "two");
  EXPECT_EQ(read.evals[0].repeat, 3);
  EXPECT_EQ(read.evals[0].tags, std::vector<std::string>{"easy"});
  EXPECT_EQ(read.evals[0].checks.all.size(), 2u);
  EXPECT_EQ(read.evals[1].prompt, "What is 3 + 3?");
  EXPECT_EQ(read.score.formula, "two * 10");
  EXPECT_EQ(read.metadata.system_prompt, "Be brief");
}

TEST(SentSuite, WarnsOfWhatIsSaidOtherwise) {
  Sent sent;
  ASSERT_TRUE(sent.read(with(kStripped, "2 + 2", "{{column}}"), kFile)) << base::render(sent.out);
  ASSERT_EQ(sent.out.all().size(), 1u) << base::render(sent.out);
  EXPECT_EQ(sent.out.all()[0].code, Code::unused_template);
}

TEST(SentSuite, OverridesComeBeforeTheFile) {
  Sent sent;
  const auto suite =
      sent.read(with(kStripped, R"("model":"openai/gpt-4o-mini","system_prompt":"Be brief")",
                     R"("model":"openai/gpt-4o","system_prompt":"Be long","threads":9,
              "mcp_server":{"url":"https://tools.example/mcp","name":"t","authorization_token":"{{secret('T')}}"})"),
                kFile);
  ASSERT_TRUE(suite) << base::render(sent.out);
  EXPECT_EQ(suite->text(), kFile);
  EXPECT_EQ(suite->model, "openai/gpt-4o");
  EXPECT_EQ(suite->plan.system_prompt, "Be long");
  EXPECT_EQ(suite->plan.threads, 9);
  EXPECT_EQ(suite->tools.url, "https://tools.example/mcp");
  EXPECT_EQ(suite->tools.name, "t");
  EXPECT_EQ(suite->tools.token, "{{secret('T')}}");
}

TEST(SentSuite, AnEmptySystemPromptOverridesThatOfTheFile) {
  Sent sent;
  const auto suite = sent.read(with(kStripped, R"("Be brief")", R"("")"), kFile);
  ASSERT_TRUE(suite) << base::render(sent.out);
  EXPECT_EQ(suite->plan.system_prompt, "");
  const auto without = sent.read(with(kStripped, R"(,"system_prompt":"Be brief")", ""), kFile);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->plan.system_prompt, std::nullopt);  // it comes from the file
}

TEST(SentSuite, AToolServerMayHaveAnEmptyName) {
  Sent sent;
  const auto tools = R"("mcp_server":{"url":"https://tools.example/mcp","name":""},"model")";
  for (const auto& yaml : {std::optional<std::string>(kFile), std::optional<std::string>()}) {
    const auto suite = sent.read(with(kStripped, R"("model")", tools), yaml);
    ASSERT_TRUE(suite) << base::render(sent.out);
    if (!yaml) continue;
    EXPECT_EQ(suite->tools.url, "https://tools.example/mcp");
    EXPECT_EQ(suite->tools.name, std::nullopt);
  }
}

TEST(SentSuite, WhatItMayNotUseIsFoundWithoutARun) {
  const auto check = [](std::string_view what, std::string_view by) {
    Sent sent;
    auto suite = sent.read(with(kStripped, what, by));
    EXPECT_TRUE(suite) << base::render(sent.out);
    const bool is_permitted = suite && permit_sent(*suite, sent.local, sent.out);
    EXPECT_EQ(is_permitted, sent.out.empty()) << base::render(sent.out);
    return codes(sent.out);
  };
  const std::vector refused{Code::not_permitted};
  EXPECT_EQ(check("openai/gpt-4o-mini", "exec:id"), refused);
  EXPECT_EQ(check(R"({"match":"*4*"})", R"({"exec":{"command":["true"]}})"), refused);
  EXPECT_EQ(check(R"({"match":"*4*"})", R"({"or":[{"match":"a"},{"exec":{"command":["true"]}}]})"),
            refused);
  EXPECT_EQ(check(R"({"match":"*4*"})", R"({"llm_judge":{"criteria":"c","model":"exec:id"}})"),
            refused);
  EXPECT_EQ(check("Be brief", "Be long"), std::vector<Code>());
}

TEST(SentSuite, WithoutAFileItIsAll) {
  Sent sent;
  const auto suite = sent.read(with(kStripped, "Be brief", "Be\\nbrief: \\\"x\\\"\\u007f"));
  ASSERT_TRUE(suite) << base::render(sent.out);
  const suite::Suite& read = *suite->loaded.suite;
  EXPECT_EQ(read.metadata.system_prompt, "Be\nbrief: \"x\"\x7f");
  ASSERT_EQ(read.evals.size(), 2u);
  EXPECT_EQ(read.evals[0].checks.all.size(), 2u);
  EXPECT_EQ(suite->text().find('{'), std::string::npos) << suite->text();  // as people write it
}

struct Refusal {
  const char* name;
  std::string eval_suite;
  std::optional<std::string> yaml;
  std::vector<Code> codes;
  const char* message;  // of the first
};
class RefusedSuites : public testing::TestWithParam<Refusal> {};
TEST_P(RefusedSuites, Say) {
  Sent sent;
  EXPECT_FALSE(sent.read(GetParam().eval_suite, GetParam().yaml));
  EXPECT_EQ(codes(sent.out), GetParam().codes) << base::render(sent.out);
  ASSERT_FALSE(sent.out.empty());
  EXPECT_NE(sent.out.all().front().message.find(GetParam().message), std::string::npos)
      << sent.out.all().front().message;
}
const std::string kOneEval =
    R"({"metadata":{"name":"NAME","model":"openai/gpt-4o-mini"},
        "evals":[{"prompt":"What is 2 + 2?","checks":[{"match":"*4*"}]}]})";
INSTANTIATE_TEST_SUITE_P(
    StartRun, RefusedSuites,
    testing::Values(
        Refusal{"another_number_of_evals", kOneEval, kFile, {Code::bad_value}, "has 1 evals"},
        Refusal{"both_are_checked",
                "{}",
                "metadata: 1",
                {Code::missing_key, Code::wrong_type, Code::missing_key},
                "the suite has no `evals`"},
        Refusal{"one_mistake_in_both_is_one",
                with(kStripped, "match", "mtch"),
                with(kFile, "match", "mtch"),
                {Code::unknown_check},
                "mtch"},
        Refusal{"mistakes_of_each",
                with(kStripped, "match", "mtch"),
                with(kFile, "two * 10", "tow * 10"),
                {Code::unknown_variable, Code::unknown_check},
                "tow"},
        Refusal{"no_suite", "[1]", std::nullopt, {Code::wrong_type}, "the suite is a list"},
        Refusal{"bad_check",
                with(kOneEval, "match", "mtch"),
                std::nullopt,
                {Code::unknown_check},
                "mtch"},
        Refusal{"list",
                with(kOneEval, "NAME", "list"),
                std::nullopt,
                {Code::bad_name},
                "`list` cannot be a suite name"},
        Refusal{"slash", with(kOneEval, "NAME", "a/b"), std::nullopt, {Code::bad_name}, "a `/`"},
        Refusal{"control",
                with(kOneEval, "NAME", "a\\u0007b"),
                std::nullopt,
                {Code::bad_name},
                "unprintable character"},
        Refusal{"long",
                with(kOneEval, "NAME", std::string(201, 'x')),
                std::nullopt,
                {Code::bad_name},
                "longer than 200 bytes"},
        Refusal{"file_of_cases",
                with(kOneEval, R"("checks")", R"("cases":"/etc/passwd.csv","checks")"),
                std::nullopt,
                {Code::unreadable_cases},
                "files are not allowed here"},
        Refusal{"rubric",
                with(kOneEval, R"("evals")", R"("score":{"rubric":"r.yaml"},"evals")"),
                std::nullopt,
                {Code::not_permitted},
                "may not use files"}),
    [](const auto& row) { return row.param.name; });

// ---- starting

struct Starting : ServerWorld {
  using ServerWorld::ServerWorld;
  base::Diagnostics out;

  std::optional<StartedRun> start(std::string text, const SentOptions& options = {}) {
    return start_run(ServerWorld::sent(std::move(text)), options, now(organisation), *local(), out);
  }
};

TEST(StartRun, SavesTheSuiteAndQueuesTheRun) {
  Starting world;
  const auto text = ServerWorld::suite("sums", 3);
  const auto first = world.start(text);
  ASSERT_TRUE(first) << base::render(world.out);
  EXPECT_FALSE(first->is_update);
  EXPECT_EQ(first->run.id.size(), 36u);
  EXPECT_EQ(first->run.id[14], '7');
  const auto run = world.run(first->run.id);
  EXPECT_EQ(run.status, score::RunStatus::queued);
  EXPECT_EQ(run.suite_name, "sums");
  EXPECT_EQ(run.model, "openai/gpt-4o-mini");
  EXPECT_EQ(run.planned, 3u);
  EXPECT_EQ(run.suite_text, text);
  const auto saved = world.local()->store->archive().suites().last("sums");
  ASSERT_TRUE(saved && *saved);
  EXPECT_EQ((*saved)->text, text);
  EXPECT_EQ((*saved)->evals, 3u);
  const auto second = world.start(text);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->is_update);
  EXPECT_EQ(world.local()->store->queue().depth()->waiting, 2u);
}

TEST(StartRun, FindsWhatIsWrongBeforeItIsQueued) {
  Starting world;
  EXPECT_FALSE(world.start(with(ServerWorld::suite("s", 1), "asks 0", "{{secret('K')}}")));
  EXPECT_EQ(codes(world.out), std::vector{Code::unknown_name});
  world.out = {};
  EXPECT_FALSE(
      world.start(with(ServerWorld::suite("s", 1), "openai/gpt-4o-mini", "http:unheard-of")));
  EXPECT_EQ(codes(world.out), std::vector{Code::unknown_model}) << base::render(world.out);
  world.out = {};
  EXPECT_FALSE(world.start(with(ServerWorld::suite("s", 1), "openai/", "anthropic/")));
  EXPECT_EQ(codes(world.out), std::vector{Code::missing_credential}) << base::render(world.out);
  world.out = {};
  ASSERT_TRUE(world.local()->store->archive().variables().set("name", "list"));
  EXPECT_FALSE(
      world.start(with(ServerWorld::suite("s", 1), "name: s", "name: \"{{var('name')}}\"")));
  EXPECT_EQ(codes(world.out), std::vector{Code::bad_name}) << base::render(world.out);
  EXPECT_EQ(world.local()->store->queue().depth()->waiting, 0u);
  EXPECT_TRUE(world.local()->store->archive().suites().list()->empty());
}

TEST(StartRun, KeepsToTheLimits) {
  store::Limits limits;
  limits.queued_runs = 2;
  Starting world(limits);
  const auto text = ServerWorld::suite("sums", 1);
  EXPECT_TRUE(world.start(text) && world.start(text));
  EXPECT_FALSE(world.start(text));
  EXPECT_EQ(codes(world.out), std::vector{Code::limit_reached});
  EXPECT_EQ(world.out.all().front().message, "the organisation `first` already has 2 runs waiting");

  world.out = {};
  auto organisation = world.organisation;
  organisation.limits.queued_runs = 100;
  organisation.limits.runs_a_day = 3;
  ASSERT_TRUE((*world.tenants->directory())->organisations().update(organisation));
  EXPECT_TRUE(world.start(text));
  EXPECT_FALSE(world.start(text));
  EXPECT_EQ(codes(world.out), std::vector{Code::limit_reached});
  EXPECT_EQ(world.out.all().front().message, "`first` has reached its limit of 3 runs a day");
  EXPECT_EQ(world.out.all().front().hint, "wait until the oldest of them is 24 hours old");

  world.out = {};
  organisation.limits.runs_a_day = 0;
  ASSERT_TRUE((*world.tenants->directory())->organisations().update(organisation));
  EXPECT_FALSE(world.start(text));
  EXPECT_EQ(codes(world.out), std::vector{Code::limit_reached});
  EXPECT_EQ(world.out.all().front().message, "`first` may not start any runs");
  EXPECT_EQ(world.out.all().front().hint,
            "the server's operator can raise its limit of 0 runs a day");

  world.out = {};
  organisation.limits.runs_a_day.reset();
  organisation.limits.credits = 1;
  ASSERT_TRUE((*world.tenants->directory())->organisations().update(organisation));
  EXPECT_TRUE(world.start(text));
  // all but what rounding leaves
  ASSERT_TRUE((*world.tenants->accounts())->charge(organisation.id, {"run"}, 1 - 1e-16));
  EXPECT_FALSE(world.start(text));
  EXPECT_EQ(codes(world.out), std::vector{Code::no_credit});
}

// ---- what suites may use

struct Permitted {
  const char* name;
  std::string what, by;
  Permissions permissions;  // with which it goes
  Code code;                // without
  bool has_place;
};
class PermissionsOfSuites : public testing::TestWithParam<Permitted> {};
TEST_P(PermissionsOfSuites, AreTheOperatorsToGive) {
  const auto& row = GetParam();
  const auto text = with(ServerWorld::suite("s", 1), row.what, row.by);
  Starting refused;
  EXPECT_FALSE(refused.start(text));
  ASSERT_EQ(codes(refused.out), std::vector{row.code}) << base::render(refused.out);
  const auto& problem = refused.out.all().front();
  EXPECT_FALSE(problem.hint.empty());
  EXPECT_EQ(problem.source && problem.span.end > problem.span.begin, row.has_place);
  Starting permitted({}, row.permissions);
  EXPECT_TRUE(permitted.start(text)) << base::render(permitted.out);
}
INSTANTIATE_TEST_SUITE_P(
    StartRun, PermissionsOfSuites,
    testing::Values(
        Permitted{"exec_model",
                  "openai/gpt-4o-mini",
                  "exec:cat",
                  {false, false, false, {"exec:cat"}, false},
                  Code::not_permitted,
                  false},
        Permitted{"any_model",
                  "openai/gpt-4o-mini",
                  "exec:cat",
                  {false, false, true, {}, false},
                  Code::not_permitted,
                  false},
        Permitted{"judge",
                  "match: \"*4*\"",
                  "llm_judge: {criteria: is it, model: \"exec:cat\"}",
                  {false, false, false, {"exec:cat"}, false},
                  Code::not_permitted,
                  false},
        Permitted{"judge_of_the_suite",
                  "threads: 4\nevals:\n  - prompt: s asks 0\n    checks:\n      - match: \"*4*\"",
                  "judge_model: \"exec:cat\"\nevals:\n  - prompt: s asks 0\n    checks:\n      - "
                  "llm_judge: {criteria: is it}",
                  {false, false, false, {"exec:cat"}, false},
                  Code::not_permitted,
                  false},
        Permitted{"exec_check",
                  "match: \"*4*\"",
                  "exec: {command: [\"true\"]}",
                  {false, true, false, {}, false},
                  Code::not_permitted,
                  true}),
    [](const auto& row) { return row.param.name; });

TEST(StartRun, AListedModelIsListedExactly) {
  Starting world({}, {false, false, false, {"exec:cat"}, false});
  EXPECT_FALSE(world.start(with(ServerWorld::suite("s", 1), "openai/gpt-4o-mini", "exec:cat -n")));
  EXPECT_EQ(codes(world.out), std::vector{Code::not_permitted});
  world.out = {};
  EXPECT_FALSE(
      world.start(with(ServerWorld::suite("s", 1), "openai/gpt-4o-mini", "replay:/etc/passwd")));
  EXPECT_EQ(codes(world.out), std::vector{Code::not_permitted});
}

// ---- going on

TEST(ContinueRun, TakesFinishedRunsAlone) {
  Starting world;
  const auto id = world.queue(ServerWorld::suite("sums", 2));
  const auto go_on = [&](std::string_view run, Continue how) {
    world.out = {};
    return continue_run(run, how, {}, world.organisation, *world.local(), world.out);
  };
  EXPECT_FALSE(go_on(id, Continue::missing));
  EXPECT_EQ(codes(world.out), std::vector{Code::conflict});
  EXPECT_EQ(world.out.all().front().message, "run `" + id + "` is already queued");
  EXPECT_FALSE(go_on("0198c2f0-0000-7000-8000-000000000000", Continue::missing));
  EXPECT_EQ(codes(world.out), std::vector{Code::not_found});

  auto run = world.run(id);
  run.status = score::RunStatus::cancelled;
  world.write(run);
  EXPECT_FALSE(go_on(id, Continue::failed));
  EXPECT_EQ(codes(world.out), std::vector{Code::nothing_selected});
  const auto again = go_on(id, Continue::missing);
  ASSERT_TRUE(again) << base::render(world.out);
  EXPECT_EQ(world.run(id).status, score::RunStatus::queued);
  EXPECT_EQ(world.local()->store->queue().depth()->waiting, 1u);
}

TEST(AskAgain, QueuesANewRun) {
  Starting world;
  const auto id = world.queue(ServerWorld::suite("sums", 2));
  const auto again = ask_again(id, {}, world.organisation, *world.local(), world.out);
  ASSERT_TRUE(again) << base::render(world.out);
  EXPECT_NE(again->run.id, id);
  EXPECT_EQ(world.run(again->run.id).suite_text, world.run(id).suite_text);
  EXPECT_EQ(world.local()->store->queue().depth()->waiting, 2u);
  EXPECT_FALSE(ask_again("0198c2f0-0000-7000-8000-000000000000", {}, world.organisation,
                         *world.local(), world.out));
  EXPECT_EQ(codes(world.out), std::vector{Code::not_found});
}

TEST(StartRun, SaysByWhichFormulaItWillBeScored) {
  Starting world;
  const auto run = world.run(world.queue(ServerWorld::suite("sums", 1)));
  EXPECT_EQ(run.score_formula, "success_pct");
}

TEST(StartRun, LimitsHoldForThoseWhoStartAtATime) {
  store::Limits limits;
  limits.queued_runs = 3;
  Starting world(limits);
  std::atomic<int> started = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      const auto sent = ServerWorld::sent(ServerWorld::suite("sums", 1));
      base::Diagnostics out;
      const auto local = world.local();
      for (int j = 0; j < 3; ++j)
        if (start_run(sent, {}, world.organisation, *local, out)) ++started;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(started, 3);
  EXPECT_EQ(world.local()->store->queue().depth()->waiting, 3u);
}

TEST(Job, SaysWhatTheRunDoesNot) {
  RunRequest request;
  request.budget = 1.5;
  request.run_timeout = 60;
  request.cache = true;
  request.how = Continue::failed;
  request.tools.token = "secret";
  request.plan.threads = 3;
  request.worked_before = 2.5;
  store::Claim claim;
  claim.run.id = "some-run";
  claim.job = to_job(request);
  const auto read = read_job(claim);
  EXPECT_EQ(read.earlier, "some-run");
  EXPECT_EQ(read.claim, &claim);
  EXPECT_EQ(read.budget, 1.5);
  EXPECT_EQ(read.run_timeout, 60);
  EXPECT_TRUE(read.cache);
  EXPECT_EQ(read.how, Continue::failed);
  EXPECT_EQ(read.tools.token, "secret");
  EXPECT_EQ(read.plan.threads, 3);
  EXPECT_EQ(read.worked_before, 2.5);
  claim.job = to_job({});
  const auto empty = read_job(claim);
  EXPECT_FALSE(empty.budget || empty.run_timeout || empty.cache || empty.tools.token);
  EXPECT_EQ(empty.how, Continue::missing);
}

}  // namespace
}  // namespace vibe::app
