// Runs suites on a server: a real one, and a stub with unusual answers.
#include "app/runs/remote_runner.h"

#include <functional>

#include <gtest/gtest.h>

#include "app/served_world.h"
#include "app/world.h"
#include "base/json_value.h"

namespace vibe::app {
namespace {

using base::Code;
using score::RunStatus;

struct RunOnServer : ServedWorld {
  const base::TempFolder files = base::TempFolder::make().value();
  config::Config config;
  RemoteRunner runner{config, *server, *archive};
  base::Diagnostics out;

  std::string write(const std::string& name, const std::string& text) const {
    test::write_bytes(files.path() + "/" + name, text);
    return files.path() + "/" + name;
  }
  std::optional<Prepared> prepare(const RunRequest& request) {
    out = {};
    return runner.prepare(request, out);
  }
  std::vector<FinishedRun> run(const RunRequest& request, Watcher& watcher) {
    auto prepared = prepare(request);
    EXPECT_TRUE(prepared) << base::render(out);
    if (!prepared) return {};
    EXPECT_TRUE(runner.start({&*prepared, 1}, out)) << base::render(out);
    return runner.follow({&*prepared, 1}, watcher, out);
  }
  FinishedRun run(const RunRequest& request) {
    SeenRuns seen;
    auto all = run(request, seen);
    EXPECT_EQ(all.size(), 1u) << base::render(out);
    return all.empty() ? FinishedRun() : std::move(all.front());
  }
  std::size_t kept() const { return archive->runs().list({})->runs.size(); }
};

TEST(RemoteRunner, ARunIsWhatALocalOneWouldBe) {
  RunOnServer world;
  const auto path =
      world.write("suite.yaml", suite_of(3) + "score: {formula: 10 * e1 + e2 - e3, min: 5}\n");
  auto prepared = world.prepare(request_for(path));
  ASSERT_TRUE(prepared) << base::render(world.out);
  EXPECT_EQ(world.kept(), 0u);  // nothing is sent yet
  EXPECT_EQ(prepared->runs.at(0).run.planned, 3u);
  EXPECT_EQ(prepared->gates.min_score, 5);
  ASSERT_TRUE(world.runner.start({&*prepared, 1}, world.out)) << base::render(world.out);
  const std::string id = prepared->runs[0].run.id;
  EXPECT_EQ(id.size(), 36u);
  SeenRuns seen;
  const auto finished = world.runner.follow({&*prepared, 1}, seen, world.out);
  EXPECT_TRUE(world.out.empty()) << base::render(world.out);
  EXPECT_EQ(seen.started, std::vector{id});
  EXPECT_EQ(seen.results.size(), 3u);
  ASSERT_EQ(finished.size(), 1u);
  const FinishedRun& done = finished[0];
  EXPECT_EQ(done.run.id, id);
  EXPECT_EQ(done.run.status, RunStatus::completed);
  EXPECT_EQ(done.run.suite_path, path);
  EXPECT_EQ(done.run.score, 10);
  EXPECT_EQ(done.score.value, 10);
  EXPECT_FALSE(done.score.explanation.children.empty());
  ASSERT_EQ(done.results.size(), 3u);
  EXPECT_EQ(done.results[2].eval, "e3");
  EXPECT_TRUE(world.runner.is_detached());
}

TEST(RemoteRunner, EachModelHasARun) {
  RunOnServer world;
  auto request = request_for(world.write("suite.yaml", suite_of(1)));
  request.models = {"openai/gpt-4o", "openai/gpt-4o-mini"};
  SeenRuns seen;
  const auto finished = world.run(request, seen);
  ASSERT_EQ(finished.size(), 2u);
  EXPECT_EQ(finished[0].run.model, "openai/gpt-4o");
  EXPECT_EQ(finished[1].run.model, "openai/gpt-4o-mini");
}

TEST(RemoteRunner, CasesGoWithTheSuite) {
  RunOnServer world;
  world.write("cases.csv", "city\nParis\nHanoi\n");
  const auto done = world.run(request_for(world.write(
      "suite.yaml",
      "metadata: {name: cities, model: openai/gpt-4o-mini}\n"
      "evals: [{prompt: \"where is {{city}}?\", cases: cases.csv, checks: [match: '*4*']}]\n")));
  EXPECT_EQ(done.run.results, 2u);
  EXPECT_EQ(done.run.passed, 2u);
  EXPECT_EQ(done.run.suite_text.find("cases.csv"), std::string::npos);
}

TEST(RemoteRunner, ValuesAreThoseOfTheServer) {
  RunOnServer world;
  ASSERT_TRUE(world.archive->variables().set("word", "please"));
  ASSERT_TRUE(world.archive->variables().set_secret("key", "open sesame"));
  const auto done = world.run(request_for(world.write(
      "suite.yaml",
      "metadata: {name: s, model: openai/gpt-4o-mini}\n"
      "evals: [{prompt: \"{{var('word')}} {{secret('key')}}\", checks: [match: '*4*']}]\n")));
  EXPECT_EQ(done.run.passed, 1u);
  ASSERT_EQ(world.wire.asked().size(), 1u);
  EXPECT_NE(world.wire.asked()[0].find("please open sesame"), std::string::npos);
  EXPECT_EQ(done.results.at(0).prompt, "please [key]");
}

TEST(RemoteRunner, AStoredSuiteIsTheServers) {
  RunOnServer world;
  world.run(request_for(world.write("suite.yaml", suite_of(2))));
  const auto done = world.run(request_for("sums"));
  EXPECT_EQ(done.run.results, 2u);
  EXPECT_EQ(done.run.suite_path, "");
}

// ---- errors before anything is sent

struct UnsentRun {
  const char* name;
  std::string suite;
  std::function<void(RunRequest&)> change;
  Found want;
};
class UnsentRuns : public testing::TestWithParam<UnsentRun> {};

TEST_P(UnsentRuns, AreNotStarted) {
  StubServer stub;
  stub.answer("GET /api/runtime/vars", R"({"vars": []})");
  stub.answer("GET /api/runtime/secrets", R"({"secrets": []})");
  stub.answer("GET /api/suite/list", R"({"suites": []})");
  const base::TempFolder files = base::TempFolder::make().value();
  test::write_bytes(files.path() + "/suite.yaml", GetParam().suite);
  auto request = request_for(files.path() + "/suite.yaml");
  if (GetParam().change) GetParam().change(request);
  const config::Config config;
  RemoteRunner runner(config, *stub.server, *stub.archive);
  base::Diagnostics out;
  EXPECT_FALSE(runner.prepare(request, out));
  EXPECT_EQ(all_codes(out), GetParam().want) << base::render(out);
  EXPECT_TRUE(stub.asked("POST /api/eval/run").empty());
}

INSTANTIATE_TEST_SUITE_P(
    RemoteRunner, UnsentRuns,
    testing::Values(UnsentRun{"broken_suite",
                              "metadata: {name: s}\n",
                              nullptr,
                              {Code::missing_key, Code::missing_key}},
                    UnsentRun{"unknown_suite",
                              "",
                              [](RunRequest& request) { request.suite = "sums"; },
                              {Code::not_found}},
                    UnsentRun{"recording",
                              suite_of(1),
                              [](RunRequest& request) { request.record = "new"; },
                              {Code::bad_usage}},
                    UnsentRun{"look_at_an_earlier_run",
                              suite_of(1),
                              [](RunRequest& request) {
                                request.earlier = "0199";
                                request.dry_run = true;
                              },
                              {Code::bad_usage}},
                    UnsentRun{"missing_run",
                              suite_of(1),
                              [](RunRequest& request) { request.earlier = "0199"; },
                              {Code::not_found}},
                    UnsentRun{"unknown_variable",
                              suite_of(1, "  system_prompt: \"{{var('none')}}\"\n"),
                              nullptr,
                              {Code::unknown_name}},
                    UnsentRun{"empty_selection",
                              suite_of(1),
                              [](RunRequest& request) { request.plan.only = {"none"}; },
                              {Code::nothing_selected}},
                    UnsentRun{"rubric_of_this_machine",
                              suite_of(1) + "score: {rubric: none.yaml}\n",
                              nullptr,
                              {Code::cannot_read}},
                    UnsentRun{"token_without_a_server",
                              suite_of(1),
                              [](RunRequest& request) { request.tools.token = "t"; },
                              {Code::bad_usage}},
                    UnsentRun{"warnings_where_they_count",
                              suite_of(1) + "colour: blue\n",
                              [](RunRequest& request) { request.strict = true; },
                              {Code::unknown_key}}),
    [](const auto& row) { return row.param.name; });

TEST(RemoteRunner, WhatTheServerRefusesPointsIntoTheSuite) {
  RunOnServer world;
  auto prepared = world.prepare(
      request_for(world.write("suite.yaml",
                              "metadata: {name: s, model: openai/gpt-4o-mini}\n"
                              "evals: [{prompt: p, checks: [exec: {command: [cat]}]}]\n")));
  ASSERT_TRUE(prepared) << base::render(world.out);
  EXPECT_FALSE(world.runner.start({&*prepared, 1}, world.out));
  ASSERT_EQ(all_codes(world.out), Found{Code::not_permitted}) << base::render(world.out);
  const auto& problem = world.out.all().front();
  ASSERT_TRUE(problem.source);
  EXPECT_EQ(base::slice(problem.source->text(), problem.span), "exec");
}

TEST(RemoteRunner, RunsBeforeOneThatCannotBeStartedAreCancelled) {
  RunOnServer world;
  world.wire.hold();
  auto request = request_for(world.write("suite.yaml", suite_of(1)));
  request.models = {"openai/gpt-4o", "http:none"};
  auto prepared = world.prepare(request);
  ASSERT_TRUE(prepared) << base::render(world.out);
  EXPECT_FALSE(world.runner.start({&*prepared, 1}, world.out));
  EXPECT_EQ(all_codes(world.out), Found{Code::unknown_model}) << base::render(world.out);
  const std::string id = prepared->runs[0].run.id;
  EXPECT_TRUE(wait_until(
      [&] { return (*world.archive->runs().find(id))->status == RunStatus::cancelled; }));
}

// ---- runs that are stopped or resumed

TEST(RemoteRunner, AStopCancelsTheRun) {
  RunOnServer world;
  world.wire.hold();
  SeenRuns seen;
  seen.stops_after = 0;
  const auto finished = world.run(request_for(world.write("suite.yaml", suite_of(2))), seen);
  ASSERT_EQ(finished.size(), 1u) << base::render(world.out);
  EXPECT_EQ(finished[0].run.status, RunStatus::cancelled);
}

TEST(RemoteRunner, FailedSamplesAreAskedAgain) {
  RunOnServer world;
  world.wire.set_status([](const std::string& body) {
    return body.find("question 2") == std::string::npos ? 200 : 400;
  });
  const auto first = world.run(request_for(world.write("suite.yaml", suite_of(3))));
  EXPECT_EQ(first.run.errors, 1u);
  world.wire.set_status([](const std::string&) { return 200; });

  RunRequest request;
  request.earlier = first.run.id;
  request.how = Continue::failed;
  SeenRuns seen;
  const auto finished = world.run(request, seen);
  ASSERT_EQ(finished.size(), 1u) << base::render(world.out);
  EXPECT_EQ(finished[0].run.id, first.run.id);
  EXPECT_EQ(finished[0].run.errors, 0u);
  EXPECT_EQ(finished[0].results.size(), 3u);
  ASSERT_EQ(seen.results.size(), 1u);  // earlier results are not shown again
  EXPECT_EQ(seen.results[0].second.eval, "e2");

  EXPECT_FALSE(world.prepare(request));
  EXPECT_EQ(all_codes(world.out), Found{Code::nothing_selected});
  request.how = Continue::missing;
  EXPECT_FALSE(world.prepare(request));
  EXPECT_EQ(all_codes(world.out), Found{Code::nothing_selected});
}

// ---- requests, and unusual answers

struct StubbedRun : StubServer {
  const base::TempFolder files = base::TempFolder::make().value();
  config::Config config;
  RemoteRunner runner{config, *server, *archive};
  base::Diagnostics out;
  std::optional<Prepared> prepared;

  void prepare(RunRequest request = {}, const std::string& suite = suite_of(1)) {
    test::write_bytes(files.path() + "/suite.yaml", suite);
    request.suite = files.path() + "/suite.yaml";
    prepared = runner.prepare(request, out);
    ASSERT_TRUE(prepared) << base::render(out);
  }
  bool start() { return runner.start({&*prepared, 1}, out); }
  std::vector<FinishedRun> follow() {
    SeenRuns seen;
    return runner.follow({&*prepared, 1}, seen, out);
  }
  base::JsonValue sent() const {
    const auto all = asked("POST /api/eval/run");
    EXPECT_EQ(all.size(), 1u);
    return *base::parse_json(all.at(0).body);
  }
};

TEST(RemoteRunner, SendsNothingThatNobodySaid) {
  StubbedRun world;
  world.answer("POST /api/eval/run", R"({"runId": "r1"})");
  world.prepare();
  ASSERT_TRUE(world.start());
  const auto sent = world.sent();
  EXPECT_EQ(sent.text_of("yamlContent"), suite_of(1));
  ASSERT_TRUE(sent.find("options") && sent.find("options")->object());
  EXPECT_TRUE(sent.find("options")->object()->empty());
  EXPECT_EQ(world.prepared->runs[0].run.id, "r1");
  EXPECT_EQ(world.prepared->runs[0].queued_after, 0);
}

TEST(RemoteRunner, SendsWhatWasSaidInsteadOfTheSuite) {
  StubbedRun world;
  world.answer("POST /api/eval/run", R"({"runId": "r1", "after": 7})");
  world.config.run_timeout = 60;
  RunRequest request;
  request.models = {"openai/gpt-4o"};
  request.budget = 0;
  request.cache = true;
  request.plan.only = {"e1"};
  request.plan.repeat = 2;
  request.plan.threads = 3;
  request.plan.system_prompt = "";
  request.tools.url = "https://tools.example/mcp";
  request.tools.token = "t";
  world.prepare(request);
  ASSERT_TRUE(world.start());
  EXPECT_EQ(world.prepared->runs[0].queued_after, 7);
  EXPECT_EQ(base::to_text(*world.sent().find("options")),
            base::to_text(*base::parse_json(
                R"({"budget":0,"run_timeout":60,"cache":true,"threads":3,)"
                R"("model":"openai/gpt-4o","system_prompt":"","repeat":2,"only":["e1"],)"
                R"("mcp_server":{"url":"https://tools.example/mcp","authorization_token":"t"}})")));
}

TEST(RemoteRunner, AStartWithoutAnIdIsStrange) {
  StubbedRun world;
  world.answer("POST /api/eval/run", R"({"ok": true})");
  world.prepare();
  EXPECT_FALSE(world.start());
  EXPECT_EQ(all_codes(world.out), Found{Code::strange_server});
}

TEST(RemoteRunner, WarningsOfTheServerAreToldOnce) {
  StubbedRun world;
  world.answer(
      "POST /api/eval/run",
      R"({"runId": "r1", "warnings": [)"
      R"({"code": "W0651", "message": "no price"}, {"code": "W0651", "message": "no price"},)"
      R"({"code": "E0503", "message": "an error"}, {"code": "W9999", "message": "unheard of"}]})");
  world.prepare();
  ASSERT_TRUE(world.start());
  EXPECT_EQ(all_codes(world.out), Found{Code::unpriced_model}) << base::render(world.out);
}

TEST(RemoteRunner, ARunThatCannotBeFollowedGoesOn) {
  struct Row {
    int status;
    Code want;
  };
  for (const auto& [status, want] : {Row{401, Code::refused_key}, Row{403, Code::refused_key},
                                     Row{500, Code::unreachable_server}}) {
    StubbedRun world;
    world.answer("POST /api/eval/run", R"({"runId": "r1"})");
    world.answer("GET /api/runs/r1/events", R"({"error": "no"})", status);
    world.prepare();
    ASSERT_TRUE(world.start());
    EXPECT_TRUE(world.follow().empty());
    EXPECT_EQ(all_codes(world.out), Found(2, want)) << base::render(world.out);
    EXPECT_NE(world.out.all().back().message.find("`r1`"), std::string::npos);
    EXPECT_TRUE(world.asked("POST /api/runs/r1/cancel").empty());
  }
}

TEST(RemoteRunner, ARunThatIsOverMayBeFetchedLater) {
  StubbedRun world;
  world.answer("POST /api/eval/run", R"({"runId": "r1"})");
  world.answer("GET /api/runs/r1/events", "event: status\ndata: {\"status\": \"completed\"}\n\n",
               200, "text/event-stream");
  world.answer("GET /api/runs/r1", R"({"error": "out of order"})", 503);
  world.prepare();
  ASSERT_TRUE(world.start());
  EXPECT_TRUE(world.follow().empty());
  EXPECT_EQ(all_codes(world.out), Found(2, Code::unreachable_server)) << base::render(world.out);
  EXPECT_GT(world.asked("GET /api/runs/r1").size(), 1u);  // it was asked again
}

TEST(RemoteRunner, WhatIsPreparedForALookDescribesTheJudges) {
  StubbedRun world;
  RunRequest request;
  request.dry_run = true;
  world.prepare(
      request,
      "metadata: {name: s, model: openai/gpt-4o-mini, judge_model: openai/gpt-4o}\n"
      "evals:\n"
      "  - {prompt: p, checks: [llm_judge: {criteria: c}]}\n"
      "  - {prompt: q, checks: [llm_judge: {criteria: c, model: openai/nobody-knows-it}]}\n");
  const auto& judges = world.prepared->runs.at(0).judges.models;
  ASSERT_EQ(judges.size(), 2u);
  EXPECT_EQ(judges.at("").name, "openai/gpt-4o");
  EXPECT_TRUE(judges.at("").price);
  EXPECT_FALSE(judges.at("openai/nobody-knows-it").price);
}

}  // namespace
}  // namespace vibe::app
