#include "wire/scored.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fitness/full_execution.h"
#include "wire/written.h"

namespace vibe::wire {

namespace {

using fitness::DecisionRecord;
using fitness::ScoredExecution;
using testing::HasSubstr;
using testing::StartsWith;

// JSON has these only once.
ScoredExecution full_execution() {
  ScoredExecution out = test::full_execution("01890000");
  out.execution.agent = out.agent.agent;
  out.execution.task_type = to_string(out.task_type);
  out.execution.complexity = to_string(out.complexity);
  return out;
}

ScoredExecution bare_execution() {
  ScoredExecution out;
  out.id = "01890001";
  out.scored_at = 1'700'000'000'123;
  out.execution.started = 1'700'000'000'123'456;
  out.execution.task_type = to_string(out.task_type);
  out.execution.complexity = to_string(out.complexity);
  out.error = "no signal is known";
  return out;
}

DecisionRecord full_decision() {
  DecisionRecord out;
  out.id = "01890000";
  out.made_at = 1'700'000'000'123;
  out.decision = {.accept = true,
                  .reason = fitness::Reason::exploration,
                  .old_score = 70,
                  .new_score = 78.5,
                  .delta = 8.5,
                  .seed = 1ULL << 52,
                  .draw = 0.1,
                  .probability_better = 0.91,
                  .within_noise = true};
  out.before = {"reviewer@v1", {70, 71.5}, {"a", "b"}};
  out.after = {"reviewer@v2", {78.5}, {}};
  out.rubric = "default";
  out.rubric_hash = "abcdef";
  return out;
}

// What clients rely on, to the byte.
TEST(ScoredJson, HasEveryField) {
  EXPECT_EQ(
      scored_jsonl(std::vector{full_execution()}),
      R"({"id":"session","file":"/logs/a.jsonl","format":"claude","agent":"reviewer",)"
      R"("model":"claude-sonnet","task_type":"analysis","complexity":"complex",)"
      R"("tool_calls":21,"successful_calls":9,"failed_calls":2,"refused_calls":3,)"
      R"("unknown_calls":7,"unanswered_calls":4,"orphan_results":5,"repeats":6,)"
      R"("api_retries":8,"retries":14,"corrections":10,"other_errors":12,"writes_files":true,)"
      R"("started":"1970-01-01T00:00:01.000001Z","ended":"1970-01-01T00:00:05.000002Z",)"
      R"("duration_seconds":4.000001,"active_seconds":3.5,"input_tokens":100,)"
      R"("output_tokens":200,"cache_read_tokens":300,"cache_write_tokens":400,)"
      R"("cache_in_input":true,"cost":0.1,"cost_is_stated":true,"bad_lines":11,)"
      R"("has_headers":true,"has_lists":false,"has_code_blocks":true,"ended_in_error":false,)"
      R"("output":null,"prompt":null,"signals":{"tool_success_rate":0.3333333333333333,)"
      R"("completeness":0.25,"accuracy":0.2,"output_quality":0.16666666666666666,)"
      R"("time_efficiency":null,"tool_efficiency":0.125,"efficiency":0.1111111111111111,)"
      R"("error_count":0.1,"error_rate":0.09090909090909091,)"
      R"("structure_score":0.08333333333333333},"score":71.54,"grade":"B",)"
      R"("interpretation":"good, with room to improve","notes":["a note",)"
      R"x("tool_success_rate: n/a (no tool calls)"],"execution_id":"01890000","version":"v2",)x"
      R"("score_error":"why not","scored_at":"1970-01-01T00:00:09.000Z","rubric":"default",)"
      R"("rubric_hash":"abcdef"})"
      "\n");
  EXPECT_EQ(
      scored_jsonl(std::vector{bare_execution()}),
      R"({"id":null,"file":null,"format":null,"agent":null,"model":null,"task_type":"other",)"
      R"("complexity":"medium","tool_calls":0,"successful_calls":0,"failed_calls":0,)"
      R"("refused_calls":0,"unknown_calls":0,"unanswered_calls":0,"orphan_results":0,)"
      R"("repeats":0,"api_retries":0,"retries":0,"corrections":0,"other_errors":0,)"
      R"("writes_files":false,"started":"2023-11-14T22:13:20.123456Z","ended":null,)"
      R"("duration_seconds":null,"active_seconds":null,"input_tokens":null,)"
      R"("output_tokens":null,"cache_read_tokens":null,"cache_write_tokens":null,)"
      R"("cache_in_input":false,"cost":null,"cost_is_stated":false,"bad_lines":0,)"
      R"("has_headers":false,"has_lists":false,"has_code_blocks":false,"ended_in_error":null,)"
      R"("output":null,"prompt":null,"signals":{"tool_success_rate":null,"completeness":null,)"
      R"("accuracy":null,"output_quality":null,"time_efficiency":null,"tool_efficiency":null,)"
      R"("efficiency":null,"error_count":null,"error_rate":null,"structure_score":null},)"
      R"("score":null,"grade":null,"interpretation":null,"notes":[],)"
      R"("execution_id":"01890001","version":null,"score_error":"no signal is known",)"
      R"("scored_at":"2023-11-14T22:13:20.123Z","rubric":"","rubric_hash":""})"
      "\n");
}

TEST(ScoredJson, OfAPageAndOfLinesIsTheSame) {
  const std::vector two{full_execution(), bare_execution()};
  const auto page = parsed(scored_page_json({.items = two, .next = "5.1", .total = 7}));
  EXPECT_EQ(page.pointer("/pagination/total")->integer(), 7);
  EXPECT_EQ(page.pointer("/pagination/next")->text()[0], "5.1");
  const auto& first = *page.pointer("/executions/0");
  const auto lines = scored_jsonl(two);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  EXPECT_THAT(lines, StartsWith(to_text(first) + "\n"));
  EXPECT_EQ(to_text(parsed(scored_json(two[0]))), to_text(first));
}

TEST(ScoredJson, SaysWhatItWasScoredAs) {
  auto scored = test::full_execution("01890000");
  const auto read = parsed(scored_json(scored));
  EXPECT_EQ(scored.execution.agent, "claude-code");
  EXPECT_EQ(read.text_of("agent"), "reviewer");
  EXPECT_EQ(read.text_of("task_type"), "analysis");
  EXPECT_EQ(read.text_of("complexity"), "complex");
}

TEST(ScoredCsv, HasEverySignal) {
  EXPECT_EQ(scored_csv(std::vector{full_execution(), bare_execution()}),
            "execution_id,agent,version,session,file,format,model,time,scored_at,task_type,"
            "complexity,tool_calls,failed_calls,retries,corrections,duration_seconds,"
            "active_seconds,input_tokens,output_tokens,cost,tool_success_rate,completeness,"
            "accuracy,output_quality,time_efficiency,tool_efficiency,efficiency,error_count,"
            "error_rate,structure_score,score,grade,rubric,error\r\n"
            "01890000,reviewer,v2,session,/logs/a.jsonl,claude,claude-sonnet,"
            "1970-01-01T00:00:05.000Z,1970-01-01T00:00:09.000Z,analysis,complex,21,2,14,10,"
            "4.000001,3.5,100,200,0.1,0.3333333333333333,0.25,0.2,0.16666666666666666,,0.125,"
            "0.1111111111111111,0.1,0.09090909090909091,0.08333333333333333,71.54,B,default,"
            "why not\r\n"
            "01890001,,,,,,,2023-11-14T22:13:20.123Z,2023-11-14T22:13:20.123Z,other,medium,0,0,0,"
            "0,,,,,,,,,,,,,,,,,,,no signal is known\r\n");
}

TEST(ScoredCsv, KeepsFormulasFromRunning) {
  auto one = full_execution();
  one.agent = {"=1+1", "@SUM(A1)"};
  one.execution.model = "a,\"b\"";
  const auto text = scored_csv({&one, 1});
  EXPECT_THAT(text, HasSubstr("'=1+1,'@SUM(A1),"));
  EXPECT_THAT(text, HasSubstr("\"a,\"\"b\"\"\""));
}

TEST(ReadScored, IsWhatWasWritten) {
  for (const auto& scored : {full_execution(), bare_execution()}) {
    const auto read = read_scored(parsed(scored_json(scored)));
    ASSERT_TRUE(read);
    EXPECT_TRUE(*read == scored) << scored_json(*read);
  }
  EXPECT_FALSE(read_scored(parsed("{}")));
  EXPECT_FALSE(read_scored_page(parsed("{}")));
}

// A newer server may know more of them.
TEST(ReadScored, SkipsNotesThatAreNotTexts) {
  std::string text = scored_json(full_execution());
  text.replace(text.find(R"("a note")"), 8, R"(5, "a note", null)");
  const auto read = read_scored(parsed(text));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, full_execution());
}

TEST(ReadScored, AnUnknownTaskIsNoError) {
  const auto read = read_scored(parsed(
      R"({"execution_id": "1", "signals": {}, "task_type": "poetry", "complexity": "absurd"})"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->task_type, fitness::TaskType::other);
  EXPECT_EQ(read->complexity, fitness::Complexity::medium);
}

TEST(DecisionJson, HasEveryField) {
  EXPECT_EQ(decision_jsonl(std::vector{full_decision()}),
            R"({"accept":true,"reason":"exploration","delta":8.5,"old":70,"new":78.5,)"
            R"("seed":4503599627370496,"draw":0.1,"probability_better":0.91,"within_noise":true,)"
            R"("decision_id":"01890000","made_at":"2023-11-14T22:13:20.123Z",)"
            R"("before":{"what":"reviewer@v1","scores":[70,71.5],"executions":["a","b"]},)"
            R"("after":{"what":"reviewer@v2","scores":[78.5],"executions":[]},)"
            R"("rubric":"default","rubric_hash":"abcdef"})"
            "\n");
}

TEST(DecisionJson, HasSeedsOfAnySize) {
  DecisionRecord record;
  record.decision.seed = UINT64_MAX;
  EXPECT_THAT(decision_json(record), HasSubstr("\"seed\": 18446744073709551615,"));
  EXPECT_THAT(decision_json(record), HasSubstr("\"decision_id\": null,"));
}

TEST(DecisionCsv, HasARowForEach) {
  EXPECT_EQ(decision_csv(std::vector{full_decision()}),
            "decision_id,made_at,before,after,old,new,delta,accept,reason,draw,probability_better,"
            "within_noise,seed,rubric\r\n"
            "01890000,2023-11-14T22:13:20.123Z,reviewer@v1,reviewer@v2,70,78.5,8.5,true,"
            "exploration,0.1,0.91,true,4503599627370496,default\r\n");
}

TEST(ReadDecision, IsWhatWasWritten) {
  const store::DecisionPage page{.items = {full_decision(), {}}, .next = "5.1", .total = 2};
  const auto read = read_decision_page(parsed(decision_page_json(page)));
  ASSERT_TRUE(read);
  EXPECT_EQ(decision_page_json(*read), decision_page_json(page));
  EXPECT_EQ(read->items[0].decision.seed, 1ULL << 52);
  EXPECT_EQ(read->items[0].before, page.items[0].before);
  EXPECT_FALSE(read_decision(parsed(R"({"reason": "a whim"})")));
}

}  // namespace

}  // namespace vibe::wire
