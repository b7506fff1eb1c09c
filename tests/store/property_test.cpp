// Random runs, results and executions come back as they were.
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "store/conformance.h"
#include "store/folder.h"

namespace vibe::test {

namespace {

std::string any_bytes() { return *rc::gen::arbitrary<std::string>(); }

// JSON keeps what is UTF-8.
std::string any_text() {
  return *rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::inRange<char>(0, 127), rc::gen::element('"', '\\', '\n', '\0')));
}

std::optional<double> any_number() {
  if (!*rc::gen::arbitrary<bool>()) return std::nullopt;
  const double value = *rc::gen::arbitrary<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> any_integer() {
  return *rc::gen::arbitrary<bool>() ? std::optional(*rc::gen::arbitrary<std::int64_t>())
                                     : std::nullopt;
}

std::uint32_t any_count() { return *rc::gen::arbitrary<std::uint32_t>(); }

std::vector<score::Finding> any_findings(int depth) {
  std::vector<score::Finding> out(*rc::gen::inRange<std::size_t>(0, 3));
  for (auto& finding : out) {
    finding.type = any_text();
    finding.verdict = static_cast<score::Verdict>(*rc::gen::inRange(0, 3));
    finding.message = any_text();
    if (depth > 0) finding.children = any_findings(depth - 1);
  }
  return out;
}

score::Result any_result(std::uint32_t sample) {
  score::Result result;
  result.sample = sample;
  result.eval = any_bytes();
  result.eval_name = any_bytes();
  result.repeat = any_count();
  result.prompt = any_bytes();
  result.response = any_bytes();
  result.thinking = any_bytes();
  result.stop_reason = any_bytes();
  result.tool_calls.resize(*rc::gen::inRange<std::size_t>(0, 3));
  for (auto& call : result.tool_calls) call = {any_text(), any_text()};
  result.checks = any_findings(2);
  result.status = static_cast<score::ResultStatus>(*rc::gen::inRange(0, 3));
  result.error = any_bytes();
  result.latency = any_number();
  result.prompt_tokens = any_integer();
  result.completion_tokens = any_integer();
  result.thinking_tokens = any_integer();
  result.cached_tokens = any_integer();
  result.input_cost = any_number();
  result.output_cost = any_number();
  result.cost = any_number();
  result.tries = any_count();
  result.turn = any_count();
  result.from_cache = *rc::gen::arbitrary<bool>();
  return result;
}

score::Run any_run(const std::string& id) {
  score::Run run = full_run(id);
  run.suite_name = any_bytes();
  run.model = any_bytes();
  run.source = any_bytes();
  run.status = score::kRunStatuses[*rc::gen::inRange<std::size_t>(0, score::kRunStatuses.size())];
  run.error = any_bytes();
  run.created_at = *rc::gen::arbitrary<std::int64_t>();
  run.started_at = any_integer();
  run.completed_at = any_integer();
  run.suite_text = any_bytes();
  run.system_prompt = any_bytes();
  run.parameters = any_bytes();
  run.planned = any_count();
  run.results = any_count();
  run.passed = any_count();
  run.errors = any_count();
  run.duration = any_number();
  run.total_cost = any_number();
  run.judge_cost = any_number();
  run.thinking_tokens = any_integer();
  run.score = any_number();
  run.min_score = any_number();
  run.score_metrics.resize(*rc::gen::inRange<std::size_t>(0, 3));
  for (auto& value : run.score_metrics) value = {any_text(), any_text(), any_number(), any_text()};
  run.explanation = any_bytes();
  return run;
}

RC_GTEST_PROP(SqliteProperty, RunsAndResultsRoundTrip, ()) {
  static const Folder folder;
  static const auto store = folder.open();
  static int number = 0;
  const std::string id = "run-" + std::to_string(++number);
  const auto run = any_run(id);
  RC_ASSERT(store->journal().begin(run).has_value());
  const auto changed = any_run(id);
  expect_same(store->archive().runs().find(id).value().value(), run);
  RC_ASSERT(
      store->journal().write({changed.id}, changed, {any_bytes(), any_bytes(), {}}).has_value());
  expect_same(store->archive().runs().find(id).value().value(), changed);
  const auto first = any_result(0), second = any_result(any_count() | 1U);
  RC_ASSERT(store->journal().add({id}, second).has_value());
  RC_ASSERT(store->journal().add({id}, first).has_value());
  const auto results = store->archive().runs().results(id).value();
  RC_ASSERT(results.size() == 2u);
  expect_same(results[0], first);
  expect_same(results[1], second);
  RC_ASSERT(!testing::Test::HasFailure());
}

std::int64_t any_amount() { return *rc::gen::inRange<std::int64_t>(0, INT64_MAX); }

fitness::ScoredExecution any_execution(const std::string& id) {
  fitness::ScoredExecution out;
  trace::Execution& one = out.execution;
  out.id = id;
  out.agent = {any_bytes(), any_bytes()};
  out.scored_at = *rc::gen::arbitrary<std::int64_t>();
  for (auto* text : {&one.id, &one.file, &one.agent, &one.model, &one.task_type, &one.complexity,
                     &out.error, &out.grade, &out.meaning, &out.rubric})
    *text = any_bytes();
  one.format = any_text();
  out.rubric_hash = any_text();
  for (auto* count :
       {&one.tool_calls, &one.succeeded, &one.failed, &one.refused, &one.unknown, &one.unanswered,
        &one.orphan_results, &one.repeats, &one.api_retries, &one.corrections})
    *count = any_amount();
  one.started = any_integer();
  one.ended = any_integer();
  one.duration = any_number();
  one.active = any_number();
  if (*rc::gen::arbitrary<bool>())
    one.tokens = trace::Tokens{any_amount(), any_amount(), any_amount(), any_amount(),
                               *rc::gen::arbitrary<bool>()};
  one.cost = any_number();
  one.structure = {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(),
                   *rc::gen::arbitrary<bool>()};
  if (*rc::gen::arbitrary<bool>()) one.ended_in_error = *rc::gen::arbitrary<bool>();
  one.bad_lines = static_cast<std::uint64_t>(any_amount());
  one.notes.resize(*rc::gen::inRange<std::size_t>(0, 3));
  for (auto& note : one.notes) note = any_text();
  for (auto& signal : out.signals) signal = any_number();
  out.score = any_number();
  return out;
}

RC_GTEST_PROP(SqliteProperty, ExecutionsRoundTrip, ()) {
  static const Folder folder;
  static const auto store = folder.open();
  static int number = 0;
  const std::vector some{any_execution("execution-" + std::to_string(++number))};
  const auto ids = store->journal().keep_executions(some);
  RC_ASSERT(ids.has_value());
  auto found = store->archive().executions().find(ids->at(0)).value();
  RC_ASSERT(found.has_value());
  found->id = some[0].id;  // that of one with the same session before it
  RC_ASSERT(*found == some[0]);
}

}  // namespace

}  // namespace vibe::test
