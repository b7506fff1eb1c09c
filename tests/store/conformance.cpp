#include "store/conformance.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/diagnostic.h"

namespace vibe::test {

using base::Code;
using score::RunStatus;
using store::RunOrder;
using store::RunQuery;

score::Run full_run(const std::string& id) {
  score::Run run;
  run.id = id;
  run.suite_name = "capitals";
  run.model = "openai/gpt-4o";
  run.source = "replay:answers.jsonl";
  run.status = RunStatus::running;
  run.error = "an error";
  run.created_at = 1'000;
  run.started_at = 2'000;
  run.completed_at = 3'000;
  run.suite_path = "suites/capitals.yaml";
  run.suite_text = "metadata:\n  name: capitals\n";
  run.suite_hash = "abcdef";
  run.system_prompt = "be terse";
  run.parameters = R"({"temperature":0.2})";
  run.version = "1.2.3";
  run.planned = 10;
  run.results = 8;
  run.passed = 6;
  run.errors = 1;
  run.duration = 12.5;
  run.total_cost = 0.1;
  run.input_cost = 0.03;
  run.output_cost = 0.07;
  run.judge_cost = 0.001;
  run.prompt_tokens = 100;
  run.completion_tokens = 200;
  run.thinking_tokens = 300;
  run.score_formula = "success_pct / total_cost";
  run.score = 750;
  run.score_error = "why not";
  run.score_metrics = {{"speed", "1 / avg_latency", 0.1, ""},
                       {"thrift", "1 / total_cost", std::nullopt, "division by zero"}};
  run.metrics = {{"total_cost", "", 0.1, ""}, {"success_pct", "", 75, ""}};
  run.explanation = R"({"expr":"x"})";
  run.min_score = 0.5;
  return run;
}

score::Result full_result(std::uint32_t sample) {
  score::Result result;
  result.sample = sample;
  result.eval = "capitals";
  result.eval_name = "capitals[2]";
  result.repeat = 3;
  result.prompt = "What is the capital of France?";
  result.response = "Paris";
  result.thinking = "hm";
  result.stop_reason = "stop";
  result.tool_calls = {{"search", R"({"q":"France"})"}};
  result.checks = {{"match", check::Verdict::pass, "Pattern \"*Paris*\" found in response", {}},
                   {"or",
                    check::Verdict::fail,
                    "none of 2",
                    {{"equals", check::Verdict::fail, "is not", {}},
                     {"llm_judge", check::Verdict::error, "unreachable", {}}}}};
  result.status = score::ResultStatus::failed;
  result.error = "no error";
  result.latency = 1.25;
  result.prompt_tokens = 10;
  result.completion_tokens = 1;
  result.thinking_tokens = 2;
  result.cached_tokens = 3;
  result.input_cost = 0.001;
  result.output_cost = 0.002;
  result.cost = 0.003;
  result.tries = 2;
  result.turn = 4;
  result.from_cache = true;
  result.output_quality = 0.75;
  result.structure_score = 0.4;
  result.fitness = 78.33;
  result.fitness_error = "no log";
  return result;
}

namespace {

std::string shown(const std::vector<score::NamedValue>& values) {
  std::string out;
  for (const auto& value : values) {
    out += value.name + ": " + value.formula + "=" +
           (value.value ? std::to_string(*value.value) : "none");
    out += " " + value.error + "; ";
  }
  return out;
}

std::string shown(const std::vector<check::Finding>& findings) {
  std::string out;
  for (const auto& finding : findings)
    out += finding.type + " " + std::to_string(static_cast<int>(finding.verdict)) + " " +
           finding.message + " (" + shown(finding.children) + "); ";
  return out;
}

std::string shown(const std::vector<score::ToolCall>& calls) {
  std::string out;
  for (const auto& call : calls) out += call.name + " " + call.arguments + "; ";
  return out;
}

score::Run run_with(const std::string& id, store::Millis created,
                    RunStatus status = RunStatus::completed) {
  score::Run run;
  run.id = id;
  run.suite_name = "suite";
  run.model = "model";
  run.created_at = created;
  run.status = status;
  return run;
}

std::vector<std::string> ids(const store::RunPage& page) {
  std::vector<std::string> out;
  for (const auto& run : page.runs) out.push_back(run.id);
  return out;
}

using Ids = std::vector<std::string>;

}  // namespace

void expect_same(const score::Run& a, const score::Run& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.suite_name, b.suite_name);
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.created_at, b.created_at);
  EXPECT_EQ(a.started_at, b.started_at);
  EXPECT_EQ(a.completed_at, b.completed_at);
  EXPECT_EQ(a.suite_path, b.suite_path);
  EXPECT_EQ(a.suite_text, b.suite_text);
  EXPECT_EQ(a.suite_hash, b.suite_hash);
  EXPECT_EQ(a.system_prompt, b.system_prompt);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.planned, b.planned);
  EXPECT_EQ(a.results, b.results);
  EXPECT_EQ(a.passed, b.passed);
  EXPECT_EQ(a.errors, b.errors);
  EXPECT_EQ(a.duration, b.duration);
  EXPECT_EQ(a.total_cost, b.total_cost);
  EXPECT_EQ(a.input_cost, b.input_cost);
  EXPECT_EQ(a.output_cost, b.output_cost);
  EXPECT_EQ(a.judge_cost, b.judge_cost);
  EXPECT_EQ(a.prompt_tokens, b.prompt_tokens);
  EXPECT_EQ(a.completion_tokens, b.completion_tokens);
  EXPECT_EQ(a.thinking_tokens, b.thinking_tokens);
  EXPECT_EQ(a.score_formula, b.score_formula);
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.score_error, b.score_error);
  EXPECT_EQ(shown(a.score_metrics), shown(b.score_metrics));
  EXPECT_EQ(shown(a.metrics), shown(b.metrics));
  EXPECT_EQ(a.explanation, b.explanation);
  EXPECT_EQ(a.min_score, b.min_score);
}

void expect_same(const score::Result& a, const score::Result& b) {
  EXPECT_EQ(a.sample, b.sample);
  EXPECT_EQ(a.eval, b.eval);
  EXPECT_EQ(a.eval_name, b.eval_name);
  EXPECT_EQ(a.repeat, b.repeat);
  EXPECT_EQ(a.prompt, b.prompt);
  EXPECT_EQ(a.response, b.response);
  EXPECT_EQ(a.thinking, b.thinking);
  EXPECT_EQ(a.stop_reason, b.stop_reason);
  EXPECT_EQ(shown(a.tool_calls), shown(b.tool_calls));
  EXPECT_EQ(shown(a.checks), shown(b.checks));
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.latency, b.latency);
  EXPECT_EQ(a.prompt_tokens, b.prompt_tokens);
  EXPECT_EQ(a.completion_tokens, b.completion_tokens);
  EXPECT_EQ(a.thinking_tokens, b.thinking_tokens);
  EXPECT_EQ(a.cached_tokens, b.cached_tokens);
  EXPECT_EQ(a.input_cost, b.input_cost);
  EXPECT_EQ(a.output_cost, b.output_cost);
  EXPECT_EQ(a.cost, b.cost);
  EXPECT_EQ(a.tries, b.tries);
  EXPECT_EQ(a.turn, b.turn);
  EXPECT_EQ(a.from_cache, b.from_cache);
  EXPECT_EQ(a.output_quality, b.output_quality);
  EXPECT_EQ(a.structure_score, b.structure_score);
  EXPECT_EQ(a.fitness, b.fitness);
  EXPECT_EQ(a.fitness_error, b.fitness_error);
}

std::string text_of(const base::Diagnostics& diagnostics) { return base::render(diagnostics); }

bool has_code(const base::Diagnostics& diagnostics, Code code) {
  return std::any_of(diagnostics.all().begin(), diagnostics.all().end(),
                     [&](const auto& each) { return each.code == code; });
}

void StoreConformance::SetUp() {
  place_ = GetParam().make();
  store_ = open();
}

std::unique_ptr<store::Store> StoreConformance::open() {
  auto store = place_->open();
  if (!store) {
    ADD_FAILURE() << text_of(store.error());
    std::abort();
  }
  return std::move(*store);
}

// ---- suites

TEST_P(StoreConformance, KeepsVersionsOfSuites) {
  store::SuiteEntry entry{"s", "text one", "s.yaml", 3, 0, 0, {}};
  EXPECT_EQ(store_->save_suite(entry, 10).value(), 1u);
  EXPECT_EQ(store_->save_suite(entry, 20).value(), 1u);  // the same text
  entry.text = "text two";
  EXPECT_EQ(store_->save_suite(entry, 30).value(), 2u);
  entry.text = "text one";
  EXPECT_EQ(store_->save_suite(entry, 40).value(), 3u);  // back again is an edit, too

  const auto last = store_->suite("s").value();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->text, "text one");
  EXPECT_EQ(last->path, "s.yaml");
  EXPECT_EQ(last->evals, 3u);
  EXPECT_EQ(last->version, 3u);
  EXPECT_EQ(last->edited_at, 40);
  EXPECT_EQ(last->last_run_at, std::nullopt);

  const auto history = store_->suite_history("s").value();
  ASSERT_EQ(history.size(), 3u);
  EXPECT_EQ(history[0].version, 3u);
  EXPECT_EQ(history[1].text, "text two");
  EXPECT_EQ(history[2].edited_at, 10);
  const auto second = store_->suite_version("s", 2).value();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->text, "text two");
  EXPECT_EQ(second->version, 2u);
  EXPECT_FALSE(store_->suite_version("s", 4).value());
  EXPECT_FALSE(store_->suite_version("other", 1).value());
  EXPECT_FALSE(store_->suite("other").value());
  EXPECT_TRUE(store_->suite_history("other").value().empty());
}

TEST_P(StoreConformance, ASuiteReadFromAnotherFileIsNoEdit) {
  ASSERT_TRUE(store_->save_suite({"s", "text", "old.yaml", 1, 0, 0, {}}, 10));
  EXPECT_EQ(store_->save_suite({"s", "text", "new.yaml", 2, 0, 0, {}}, 20).value(), 1u);
  const auto last = store_->suite("s").value();
  EXPECT_EQ(last->path, "new.yaml");
  EXPECT_EQ(last->evals, 2u);
  EXPECT_EQ(last->edited_at, 10);
}

TEST_P(StoreConformance, ListsSuitesByNameWithTheirLastRun) {
  ASSERT_TRUE(store_->add_run(run_with("early", 5)));
  for (const char* name : {"zebra", "suite", "apple"})
    ASSERT_TRUE(store_->save_suite({name, name, "", 1, 0, 0, {}}, 1));
  const auto suites = store_->suites().value();
  ASSERT_EQ(suites.size(), 3u);
  EXPECT_EQ(suites[0].name, "apple");
  EXPECT_EQ(suites[0].last_run_at, std::nullopt);
  EXPECT_EQ(suites[1].name, "suite");
  EXPECT_EQ(suites[1].last_run_at, 5);
  EXPECT_TRUE(suites[1].text.empty());
  EXPECT_EQ(suites[2].name, "zebra");
  ASSERT_TRUE(store_->add_run(run_with("late", 50)));
  ASSERT_TRUE(store_->add_run(run_with("between", 20)));
  EXPECT_EQ(store_->suite("suite").value()->last_run_at, 50);
}

// ---- runs

TEST_P(StoreConformance, ARunComesBackAsItWas) {
  const auto run = full_run("01a1e211-0031-7d8d-8188-2846f295f71e");
  ASSERT_TRUE(store_->add_run(run));
  expect_same(store_->run(run.id).value().value(), run);
  expect_same(open()->run(run.id).value().value(), run);

  auto bare = run_with("bare", 7);
  ASSERT_TRUE(store_->add_run(bare));
  expect_same(store_->run("bare").value().value(), bare);
}

TEST_P(StoreConformance, ARunIsUpdatedWhole) {
  auto run = run_with("id-1", 7, RunStatus::running);
  ASSERT_TRUE(store_->add_run(run));
  EXPECT_EQ(store_->figures("id-1").value(), "");
  auto changed = full_run("id-1");
  const std::string figures("fig\0ures\xff", 9);
  ASSERT_TRUE(store_->update_run(changed, figures));
  expect_same(store_->run("id-1").value().value(), changed);
  EXPECT_EQ(store_->figures("id-1").value(), figures);
  ASSERT_TRUE(store_->update_run(run, ""));
  expect_same(store_->run("id-1").value().value(), run);
  EXPECT_EQ(store_->figures("id-1").value(), "");
}

TEST_P(StoreConformance, ARunThatIsThereCannotBeAdded) {
  ASSERT_TRUE(store_->add_run(full_run("twice")));
  auto other = run_with("twice", 3);
  EXPECT_FALSE(store_->add_run(other));
  expect_same(store_->run("twice").value().value(), full_run("twice"));
}

TEST_P(StoreConformance, WhatIsNotThereIsNotFound) {
  EXPECT_FALSE(store_->run("nothing").value());
  EXPECT_FALSE(store_->run("last").value());
  EXPECT_TRUE(has_code(store_->results("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->figures("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->hold_run("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->request_stop("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->stop_requested("nothing").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->update_run(run_with("nothing", 1), "").error(), Code::not_found));
  EXPECT_TRUE(has_code(store_->add_result("nothing", full_result(0)).error(), Code::not_found));
  EXPECT_TRUE(store_->runs({}).value().runs.empty());  // and the store goes on
}

TEST_P(StoreConformance, ARunIsFoundByTheStartOfItsId) {
  ASSERT_TRUE(store_->add_run(run_with("abcd1234", 30)));
  ASSERT_TRUE(store_->add_run(run_with("abcd1299", 20)));
  ASSERT_TRUE(store_->add_run(run_with("abcd", 10)));
  EXPECT_EQ(store_->run("abcd1234").value()->id, "abcd1234");
  EXPECT_EQ(store_->run("abcd123").value()->id, "abcd1234");
  EXPECT_EQ(store_->run("abcd").value()->id, "abcd");  // whole: others may begin with it
  EXPECT_EQ(store_->run("last").value()->id, "abcd1234");
  EXPECT_FALSE(store_->run("abc").value());  // too short
  EXPECT_FALSE(store_->run("abcd13").value());
  EXPECT_FALSE(store_->run("").value());
  const auto several = store_->run("abcd12");
  ASSERT_FALSE(several);
  EXPECT_NE(text_of(several.error()).find("`abcd1234`, `abcd1299`"), std::string::npos)
      << text_of(several.error());
}

// ---- results

TEST_P(StoreConformance, ResultsComeBackBySample) {
  ASSERT_TRUE(store_->add_run(run_with("a-run", 1)));
  ASSERT_TRUE(store_->add_run(run_with("b-run", 2)));
  score::Result bare;
  bare.sample = 4'294'967'295;
  bare.eval_name = "bare";
  ASSERT_TRUE(store_->add_result("a-run", bare));
  ASSERT_TRUE(store_->add_result("a-run", full_result(5)));
  ASSERT_TRUE(store_->add_result("a-run", full_result(0)));
  ASSERT_TRUE(store_->add_result("b-run", full_result(1)));
  const auto results = open()->results("a-run").value();
  ASSERT_EQ(results.size(), 3u);
  expect_same(results[0], full_result(0));
  expect_same(results[1], full_result(5));
  expect_same(results[2], bare);
  EXPECT_EQ(store_->results("b-run").value().size(), 1u);
}

TEST_P(StoreConformance, AResultOfTheSameSampleIsReplaced) {
  ASSERT_TRUE(store_->add_run(run_with("a-run", 1)));
  ASSERT_TRUE(store_->add_result("a-run", full_result(0)));
  auto again = full_result(0);
  again.response = "London";
  again.cost = std::nullopt;
  ASSERT_TRUE(store_->add_result("a-run", again));
  const auto results = store_->results("a-run").value();
  ASSERT_EQ(results.size(), 1u);
  expect_same(results[0], again);
}

TEST_P(StoreConformance, TextsAreKeptByteByByte) {
  ASSERT_TRUE(store_->add_run(run_with("a-run", 1)));
  std::string every;
  for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
  auto result = full_result(0);
  result.prompt = result.response = result.thinking = result.error = every;
  result.eval_name = result.stop_reason = std::string("\0\xff", 2);
  ASSERT_TRUE(store_->add_result("a-run", result));
  auto large = full_result(1);
  large.response.assign(10 << 20, 'x');
  large.response[5'000'000] = '\0';
  ASSERT_TRUE(store_->add_result("a-run", large));
  const auto results = open()->results("a-run").value();
  expect_same(results[0], result);
  EXPECT_TRUE(results[1].response == large.response);

  auto run = run_with("texts", 1);
  run.suite_text = run.system_prompt = run.error = run.explanation = every;
  ASSERT_TRUE(store_->add_run(run));
  expect_same(store_->run("texts").value().value(), run);
}

// ---- lists

// A run with some figures; none where the number is negative.
void RunLists::add(const std::string& id, store::Millis created, double success, double cost,
                   double time, double score) {
  auto run = run_with(id, created);
  if (success >= 0) {
    run.results = 100;
    run.passed = static_cast<std::uint32_t>(success);
  }
  if (cost >= 0) run.total_cost = cost;
  if (time >= 0) run.duration = time;
  if (score >= 0) run.score = score;
  ASSERT_TRUE(store_->add_run(run));
}

void RunLists::add_some() {
  add("a", 10, 50, 0.5, 3, 7);
  add("b", 20, 100, 0.1, 2, -1);
  add("c", 30, 0, -1, 1, 9);
  add("d", 40, -1, 0.3, -1, 8);
}

std::vector<std::string> RunLists::listed(RunOrder order, bool ascending) {
  RunQuery query;
  query.order = order;
  query.ascending = ascending;
  return ids(store_->runs(query).value());
}

TEST_P(RunLists, AreOrderedByEachFigureWithTheUnknownLast) {
  add_some();
  EXPECT_EQ(listed(RunOrder::created, false), (Ids{"d", "c", "b", "a"}));
  EXPECT_EQ(listed(RunOrder::created, true), (Ids{"a", "b", "c", "d"}));
  EXPECT_EQ(listed(RunOrder::success, false), (Ids{"b", "a", "c", "d"}));
  EXPECT_EQ(listed(RunOrder::success, true), (Ids{"c", "a", "b", "d"}));
  EXPECT_EQ(listed(RunOrder::cost, false), (Ids{"a", "d", "b", "c"}));
  EXPECT_EQ(listed(RunOrder::cost, true), (Ids{"b", "d", "a", "c"}));
  EXPECT_EQ(listed(RunOrder::time, false), (Ids{"a", "b", "c", "d"}));
  EXPECT_EQ(listed(RunOrder::time, true), (Ids{"c", "b", "a", "d"}));
  EXPECT_EQ(listed(RunOrder::score, false), (Ids{"c", "d", "a", "b"}));
  EXPECT_EQ(listed(RunOrder::score, true), (Ids{"a", "d", "c", "b"}));
  // a: 50 / (500 + 0.3), b: 100 / (100 + 0.2)
  EXPECT_EQ(listed(RunOrder::price_performance, false), (Ids{"b", "a", "d", "c"}));
  EXPECT_EQ(listed(RunOrder::price_performance, true), (Ids{"a", "b", "c", "d"}));
}

TEST_P(RunLists, HoldNoTextsOfSuitesAndExplanations) {
  ASSERT_TRUE(store_->add_run(full_run("full")));
  auto expected = full_run("full");
  expected.suite_text.clear();
  expected.explanation.clear();
  expect_same(store_->runs({}).value().runs.at(0), expected);
}

// Every order, in pages of every size, gives what one page gives.
TEST_P(RunLists, ComeInPages) {
  constexpr RunStatus kSome[] = {RunStatus::completed, RunStatus::failed, RunStatus::cancelled};
  for (int i = 0; i < 23; ++i) {
    auto run = run_with("run-" + std::to_string(i), 100 + i / 3, kSome[i % 3]);
    if (i % 5 != 0) run.score = i / 6;  // many are equal
    if (i % 4 != 0) run.total_cost = i % 3;
    if (i % 2 != 0) run.duration = 1;
    if (i % 7 != 0) run.results = 4, run.passed = static_cast<std::uint32_t>(i % 4);
    ASSERT_TRUE(store_->add_run(run));
  }
  for (int order = 0; order <= static_cast<int>(RunOrder::price_performance); ++order) {
    for (const bool ascending : {false, true}) {
      RunQuery query;
      query.order = static_cast<RunOrder>(order);
      query.ascending = ascending;
      const auto whole = ids(store_->runs(query).value());
      EXPECT_EQ(std::set<std::string>(whole.begin(), whole.end()).size(), 23u);
      for (std::size_t size = 1; size <= 24; ++size) {
        Ids paged;
        query.limit = size;
        query.after.clear();
        do {
          const auto page = store_->runs(query).value();
          EXPECT_EQ(page.total, 23u);
          EXPECT_LE(page.runs.size(), size);
          for (const auto& run : page.runs) paged.push_back(run.id);
          query.after = page.next;
        } while (!query.after.empty() && paged.size() <= 23);
        EXPECT_EQ(paged, whole) << "order " << order << ", pages of " << size;
      }
      query.after.clear();
      for (std::size_t offset = 0; offset <= 25; ++offset) {
        query.offset = offset;
        query.limit = 3;
        const auto begin = whole.begin() + static_cast<long>(std::min<std::size_t>(offset, 23));
        const auto end = whole.begin() + static_cast<long>(std::min<std::size_t>(offset + 3, 23));
        EXPECT_EQ(ids(store_->runs(query).value()), Ids(begin, end))
            << "order " << order << ", offset " << offset;
      }
    }
  }
}

TEST_P(RunLists, APageDoesNotMoveWhenRunsAreAdded) {
  add_some();
  RunQuery query;
  query.limit = 2;
  const auto first = store_->runs(query).value();
  add("e", 50, 1, 1, 1, 1);
  query.after = first.next;
  EXPECT_EQ(ids(store_->runs(query).value()), (Ids{"b", "a"}));
}

TEST_P(RunLists, RefuseACursorOfAnotherList) {
  add_some();
  RunQuery query;
  query.limit = 1;
  const std::string next = store_->runs(query).value().next;
  ASSERT_FALSE(next.empty());
  query.order = RunOrder::score;
  for (const std::string& cursor :
       {next, std::string("nonsense"), std::string("nd"), std::string("nd."), std::string("ndx.1"),
        std::string("nd-.1x"), std::string("nd-.99999999999999999999")}) {
    query.after = cursor;
    const auto page = store_->runs(query);
    ASSERT_FALSE(page) << cursor;
    EXPECT_TRUE(has_code(page.error(), Code::bad_usage));
  }
}

struct FilterCase {
  const char* name;
  std::function<void(RunQuery&)> set;
  Ids want;
};

TEST_P(RunLists, AreFiltered) {
  add_some();
  auto other = run_with("o", 5, RunStatus::failed);
  other.suite_name = "other";
  other.model = "openai/GPT_4%";
  other.completed_at = 500;
  ASSERT_TRUE(store_->add_run(other));
  ASSERT_TRUE(store_->add_run(run_with("r", 6, RunStatus::running)));
  const FilterCase cases[] = {
      {"suite", [](RunQuery& q) { q.suite = "other"; }, {"o"}},
      {"no suite", [](RunQuery& q) { q.suite = "othe"; }, {}},
      {"status", [](RunQuery& q) { q.status = {RunStatus::failed}; }, {"o"}},
      {"two", [](RunQuery& q) { q.status = {RunStatus::failed, RunStatus::running}; }, {"r", "o"}},
      {"status_ne", [](RunQuery& q) { q.status_ne = {RunStatus::completed}; }, {"r", "o"}},
      {"no status", [](RunQuery& q) { q.status = q.status_ne = {RunStatus::completed}; }, {}},
      {"model", [](RunQuery& q) { q.model = "openai/GPT_4%"; }, {"o"}},
      {"model exactly", [](RunQuery& q) { q.model = "openai/gpt_4%"; }, {}},
      {"model_like", [](RunQuery& q) { q.model_like = "OPENAI/%"; }, {"o"}},
      {"model_like one", [](RunQuery& q) { q.model_like = "mode_"; }, {"d", "c", "b", "a", "r"}},
      {"cost", [](RunQuery& q) { q.cost = {0.1, 0.3}; }, {"d", "b"}},
      {"success", [](RunQuery& q) { q.success = {50, {}}; }, {"b", "a"}},
      {"score", [](RunQuery& q) { q.score = {{}, 8}; }, {"d", "a"}},
      {"duration", [](RunQuery& q) { q.duration = {2, 2}; }, {"b"}},
      {"from", [](RunQuery& q) { q.created_from = 30; }, {"d", "c"}},
      {"to", [](RunQuery& q) { q.created_to = 6; }, {"r", "o"}},
      {"completed from", [](RunQuery& q) { q.completed_from = 500; }, {"o"}},
      {"completed to", [](RunQuery& q) { q.completed_to = 500; }, {"o"}},
      {"completed later", [](RunQuery& q) { q.completed_from = 501; }, {}},
      {"completed earlier", [](RunQuery& q) { q.completed_to = 499; }, {}},
      {"suite and score", [](RunQuery& q) { q.suite = "suite", q.score = {8, 9}; }, {"d", "c"}},
      {"limit 0", [](RunQuery& q) { q.limit = 0; }, {}},
  };
  for (const auto& each : cases) {
    RunQuery query;
    each.set(query);
    const auto page = store_->runs(query);
    ASSERT_TRUE(page) << each.name << text_of(page.error());
    EXPECT_EQ(ids(*page), each.want) << each.name;
    EXPECT_EQ(page->total, query.limit > 0 ? each.want.size() : 6) << each.name;
    query.order = RunOrder::score;  // the same runs, in whatever order
    auto sorted = ids(store_->runs(query).value()), want = each.want;
    std::sort(sorted.begin(), sorted.end());
    std::sort(want.begin(), want.end());
    EXPECT_EQ(sorted, want) << each.name;
  }
}

TEST_P(RunLists, SayHowManyRunsHaveAStatus) {
  const auto total = [&](std::vector<RunStatus> status) {
    RunQuery query;
    query.limit = 1;
    query.status = std::move(status);
    return store_->runs(query).value().total;
  };
  EXPECT_EQ(total({}), 0u);
  for (int i = 0; i < 5; ++i) {
    auto run = run_with("run-" + std::to_string(i), i, RunStatus::running);
    const auto lock = store_->add_run(run);
    if (i < 3) run.status = RunStatus::completed;
    if (i > 0) {
      ASSERT_TRUE(store_->update_run(run, ""));
    }
  }
  EXPECT_EQ(total({}), 5u);
  EXPECT_EQ(total({RunStatus::running}), 3u);
  EXPECT_EQ(total({RunStatus::completed}), 2u);
  EXPECT_EQ(total({RunStatus::completed, RunStatus::running}), 5u);
  EXPECT_EQ(total({RunStatus::failed}), 0u);
  EXPECT_EQ(store_->mark_interrupted(9).value(), 3u);
  EXPECT_EQ(total({RunStatus::failed}), 3u);
  EXPECT_EQ(total({RunStatus::running}), 0u);
}

TEST_P(RunLists, HaveNamedValuesOfEveryKind) {
  auto run = full_run("a-run");
  run.score_metrics = {{"plain", "a + b", 1.5, ""},
                       {"quote", "\"x\" \\ \n", -0.25, ""},
                       {"é", "ü", 1e300, ""},
                       {"none", "", std::nullopt, "division by `0`"},
                       {"small", "", 5e-324, "tab\there"},
                       {"", "", 0, ""},
                       {"a],[{\"name\":", "}", 1e21, "\\"}};
  run.metrics.clear();
  ASSERT_TRUE(store_->add_run(run));
  for (const auto& kept :
       {store_->runs({}).value().runs.at(0), store_->run("a-run").value().value()}) {
    ASSERT_EQ(kept.score_metrics.size(), run.score_metrics.size());
    for (std::size_t i = 0; i < run.score_metrics.size(); ++i) {
      EXPECT_EQ(kept.score_metrics[i].name, run.score_metrics[i].name);
      EXPECT_EQ(kept.score_metrics[i].formula, run.score_metrics[i].formula);
      EXPECT_EQ(kept.score_metrics[i].value, run.score_metrics[i].value);
      EXPECT_EQ(kept.score_metrics[i].error, run.score_metrics[i].error);
    }
    EXPECT_TRUE(kept.metrics.empty());
  }
}

TEST_P(RunLists, GiveTheLastScoresOfASuite) {
  add_some();
  ASSERT_TRUE(store_->add_run(run_with("r", 60, RunStatus::running)));
  using Scores = std::vector<std::optional<double>>;
  EXPECT_EQ(store_->last_scores("suite", 10).value(), (Scores{7, std::nullopt, 9, 8}));
  EXPECT_EQ(store_->last_scores("suite", 2).value(), (Scores{9, 8}));
  EXPECT_EQ(store_->last_scores("none", 2).value(), Scores{});
}

// ---- holding and stopping

TEST_P(StoreConformance, ARunIsHeldByOne) {
  auto lock = store_->add_run(run_with("a-run", 1, RunStatus::running));
  ASSERT_TRUE(lock);
  const auto other = open();
  EXPECT_TRUE(has_code(other->hold_run("a-run").error(), Code::run_held));
  EXPECT_TRUE(has_code(store_->hold_run("a-run").error(), Code::run_held));
  auto second = store_->add_run(run_with("b-run", 1, RunStatus::running));
  ASSERT_TRUE(second);
  lock->reset();
  EXPECT_TRUE(has_code(other->hold_run("b-run").error(), Code::run_held));
  const auto taken = other->hold_run("a-run");
  ASSERT_TRUE(taken);
  EXPECT_TRUE(has_code(store_->hold_run("a-run").error(), Code::run_held));
}

TEST_P(StoreConformance, RunsThatNobodyHoldsAreMarked) {
  auto held = store_->add_run(run_with("held", 1'000, RunStatus::running)).value();
  auto run = run_with("gone", 1'000, RunStatus::running);
  run.started_at = 2'000;
  ASSERT_TRUE(store_->add_run(run));
  ASSERT_TRUE(store_->add_run(run_with("queued", 1'000, RunStatus::queued)));
  ASSERT_TRUE(store_->add_run(run_with("done", 1'000, RunStatus::completed)));
  auto passed = full_result(0);
  passed.status = score::ResultStatus::passed;
  auto error = full_result(1);
  error.status = score::ResultStatus::error;
  error.prompt_tokens = std::nullopt;
  ASSERT_TRUE(store_->add_result("gone", passed));
  ASSERT_TRUE(store_->add_result("gone", error));

  EXPECT_EQ(open()->mark_interrupted(9'000).value(), 2u);
  EXPECT_EQ(open()->mark_interrupted(9'500).value(), 0u);
  const auto gone = store_->run("gone").value().value();
  EXPECT_EQ(gone.status, RunStatus::failed);
  EXPECT_EQ(gone.error, "interrupted");
  EXPECT_EQ(gone.results, 2u);
  EXPECT_EQ(gone.passed, 1u);
  EXPECT_EQ(gone.errors, 1u);
  EXPECT_EQ(gone.total_cost, 0.006);
  EXPECT_EQ(gone.prompt_tokens, std::nullopt);  // one is unknown
  EXPECT_EQ(gone.completion_tokens, 2);
  EXPECT_GT(gone.completed_at.value(), 9'500);  // when the last result came: now
  const auto queued = store_->run("queued").value().value();
  EXPECT_EQ(queued.status, RunStatus::failed);
  EXPECT_EQ(queued.completed_at, 9'000);
  EXPECT_EQ(queued.results, 0u);
  EXPECT_EQ(queued.total_cost, std::nullopt);
  EXPECT_EQ(store_->run("held").value()->status, RunStatus::running);
  EXPECT_EQ(store_->run("done").value()->status, RunStatus::completed);
}

TEST_P(StoreConformance, ARunIsAskedToStop) {
  auto run = run_with("a-run", 1, RunStatus::running);
  auto lock = store_->add_run(run).value();
  EXPECT_FALSE(store_->stop_requested("a-run").value());
  EXPECT_TRUE(open()->request_stop("a-run").value());
  EXPECT_TRUE(store_->stop_requested("a-run").value());
  run.status = RunStatus::cancelled;
  ASSERT_TRUE(store_->update_run(run, ""));
  EXPECT_FALSE(store_->request_stop("a-run").value());  // it is finished
  lock.reset();
  ASSERT_TRUE(store_->hold_run("a-run"));  // taken up again: the request was for the time before
  EXPECT_FALSE(store_->stop_requested("a-run").value());
}

// ---- variables, secrets, answers

TEST_P(StoreConformance, KeepsVariables) {
  EXPECT_FALSE(store_->variable("x").value());
  const std::string bytes("a\0\xff", 3);
  ASSERT_TRUE(store_->set_variable("x", "1"));
  ASSERT_TRUE(store_->set_variable("x", bytes));
  ASSERT_TRUE(store_->set_variable("A.b-c_9", ""));
  EXPECT_EQ(open()->variable("x").value(), bytes);
  const auto all = store_->variables().value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "A.b-c_9");
  EXPECT_EQ(all[1].value, bytes);
  EXPECT_TRUE(store_->delete_variable("x").value());
  EXPECT_FALSE(store_->delete_variable("x").value());
}

TEST_P(StoreConformance, KeepsSecrets) {
  EXPECT_FALSE(store_->secret("key").value());
  ASSERT_TRUE(store_->set_secret("key", "s3cret"));
  ASSERT_TRUE(store_->set_secret("another", std::string(64 * 1024, 'x')));
  EXPECT_EQ(open()->secret("key").value(), "s3cret");
  ASSERT_TRUE(open()->set_secret("key", "other"));
  EXPECT_EQ(store_->secret("key").value(), "other");
  EXPECT_EQ(store_->secrets().value(), (Ids{"another", "key"}));
  EXPECT_TRUE(store_->delete_secret("key").value());
  EXPECT_FALSE(store_->delete_secret("key").value());
}

TEST_P(StoreConformance, RefusesNamesAndValuesThatDoNotFit) {
  const std::string longest(store::kMostNameBytes, 'n'), most(store::kMostValueBytes, 'v');
  EXPECT_TRUE(store_->set_variable(longest, most));
  EXPECT_TRUE(store_->set_secret(longest, most));
  for (const std::string& name : {std::string(), longest + "n", std::string("a b"),
                                  std::string("a/b"), std::string("é"), std::string("a\0b", 3)}) {
    EXPECT_TRUE(has_code(store_->set_variable(name, "v").error(), Code::bad_usage)) << name;
    EXPECT_TRUE(has_code(store_->set_secret(name, "v").error(), Code::bad_usage)) << name;
  }
  EXPECT_TRUE(has_code(store_->set_variable("v", most + "v").error(), Code::bad_usage));
  EXPECT_TRUE(has_code(store_->set_secret("v", most + "v").error(), Code::bad_usage));
  EXPECT_TRUE(has_code(store_->set_secret("v", "").error(), Code::bad_usage));
  EXPECT_TRUE(has_code(store_->set_secret("v", " \n").error(), Code::bad_usage));
  EXPECT_EQ(store_->variables().value().size(), 1u);
  EXPECT_EQ(store_->secrets().value().size(), 1u);
}

TEST_P(StoreConformance, KeepsAnswers) {
  EXPECT_FALSE(store_->answer("hash").value());
  ASSERT_TRUE(store_->keep_answer("hash", "one"));
  ASSERT_TRUE(store_->keep_answer("hash", std::string("t\0o", 3)));
  EXPECT_EQ(open()->answer("hash").value(), std::string("t\0o", 3));
}

}  // namespace vibe::test
