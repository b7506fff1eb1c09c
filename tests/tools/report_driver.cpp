// Writes a file about runs, or executions of agents, that nothing else gives as quickly.
// Usage: report_driver RUN OUTPUT [N]     RUN: hostile, models, large (of N evals), executions (N
// of them), hostile-executions; OUTPUT: junit (of runs), markdown, html. Prints the document; what
// it took goes to standard error.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "report/html.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/scored.h"

namespace {

using namespace vibe;
using score::ResultStatus;

struct Case {
  score::Run run;
  std::vector<score::Result> results;
};

void finish(Case& one) {
  auto& run = one.run;
  run.total_cost = 0;
  for (std::size_t i = 0; i < one.results.size(); ++i) {
    auto& result = one.results[i];
    result.sample = static_cast<std::uint32_t>(i);
    ++run.results;
    run.passed += result.passed() ? 1 : 0;
    run.errors += result.status == ResultStatus::error ? 1 : 0;
    *run.total_cost += result.cost.value_or(0);
  }
  run.planned = run.results;
  run.status = run.errors > 0 ? score::RunStatus::partial_failure : score::RunStatus::completed;
  run.metrics = {{"success_pct", "", run.success_percentage(), ""},
                 {"total_cost", "", run.total_cost, ""},
                 {"avg_latency", "", 1.5, ""},
                 {"max_latency", "", 3.0, ""}};
  run.score = run.success_percentage();
  run.score_formula = "success_pct";
  run.explanation = R"({"expr": "success_pct", "value": 50, "children": []})";
}

score::Run make_run(std::string suite, std::string model) {
  score::Run out;
  out.id = "01920000-0000-7000-8000-000000000000";
  out.suite_name = std::move(suite);
  out.model = std::move(model);
  out.created_at = 1794000000000;
  out.duration = 12.5;
  out.version = "0.1.0";
  out.prompt_tokens = 12345;
  out.completion_tokens = 6789;
  return out;
}

score::Result make_result(std::string name, ResultStatus status, std::string response) {
  score::Result out;
  out.eval = out.eval_name = std::move(name);
  out.prompt = "What is the answer?";
  out.response = std::move(response);
  out.status = status;
  out.latency = 0.25 + 0.01 * static_cast<double>(out.response.size() % 97);
  out.cost = 0.0001 * static_cast<double>(1 + out.response.size() % 31);
  out.prompt_tokens = 20;
  out.completion_tokens = 9;
  const bool passed = status == ResultStatus::passed;
  out.checks.push_back(
      {"match",
       passed ? score::Verdict::pass : score::Verdict::fail,
       passed ? "Pattern \"*4*\" found in response" : "Pattern \"*4*\" not found in response",
       {},
       {}});
  return out;
}

// Everything that could break out of a document, or break its layout.
Case hostile() {
  const std::string word(10000, 'w');
  const std::string breakout =
      "</pre></script></style></textarea><script>document.title='owned'</script>"
      "<img src=x onerror=\"document.title='owned'\"><a href=\"javascript:alert(1)\">x</a>"
      "<!-- --><svg onload=alert(1)>]]>&lt;&#60;";
  Case out{make_run("<b>suite</b> & \"quotes\"", "exec:sh -c '<script>alert(1)</script>'"), {}};
  auto& results = out.results;
  results.push_back(make_result("breakout", ResultStatus::failed, breakout));
  results.back().checks.push_back({"<i>kind</i>", score::Verdict::fail, breakout + word, {}, {}});
  results.push_back(make_result("long " + word, ResultStatus::failed, word));
  results.push_back(make_result("markdown", ResultStatus::failed,
                                "```\n````text\n</details>\n@octocat #1 https://example.com/ "
                                "www.example.com | a | b |\n<!-- \n# heading\n`````` \\| x\n~~~"));
  results.push_back(
      make_result("a|b\\|c `tick` ``two`` @octocat #12 <b>x</b>", ResultStatus::failed, "a\\|b|c"));
  results.push_back(make_result(
      "\u0645\u0631\u062D\u0628\u0627 \u202Ereversed", ResultStatus::passed,
      "\u0645\u0631\u062D\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645 123 "
      "\u202Ereversed\u202C \U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466"));
  results.push_back(make_result("bytes", ResultStatus::failed,
                                std::string("nul \0 bell \a escape \x1b[31m carriage \r\n", 37) +
                                    "\x80\xff\xed\xa0\x80 \uFFFE \uFFFF \u0085 end\t|"));
  results.push_back(make_result("silent", ResultStatus::error, ""));
  results.back().error = "HTTP 500: <html>Internal & \"external\" error</html>";
  results.back().latency.reset();
  results.back().cost.reset();
  results.back().checks.clear();

  auto judged = make_result("judged", ResultStatus::failed, "I would rather not say.");
  judged.checks = {{"llm_judge",
                    score::Verdict::fail,
                    "The answer is evasive: it does not name a city <script>",
                    {},
                    score::Judged{"openai/gpt-4o", 3, 2, 812, 96, 0.00234}},
                   {"or",
                    score::Verdict::error,
                    "None of 2 alternatives passed",
                    {{"semantic", score::Verdict::error, "no embedding", {}, {}},
                     {"match", score::Verdict::fail, "Pattern \"*Paris*\" not found", {}, {}}},
                    {}}};
  judged.judge_cost = 0.00234;
  results.push_back(judged);

  auto talk = make_result("conversation", ResultStatus::passed, "Paris, of course.");
  score::Turn first, second;
  first.prompt = "What is the capital of France? Look it up.";
  first.response = "I do not know.";
  first.thinking = "The user wants a capital. " + word.substr(0, 500);
  first.status = ResultStatus::failed;
  first.tool_calls = {{"search", R"({"query": "capital of France"})", "no results", true},
                      {"search", R"({"query": ")" + word.substr(0, 3000) + "\"}", "Paris", false},
                      {"</code>never<script>", "{}", std::nullopt, false}};
  first.checks = {{"match", score::Verdict::fail, "Pattern \"*Paris*\" not found", {}, {}}};
  second.prompt = "Try again.";
  second.response = "Paris, of course.";
  second.status = ResultStatus::passed;
  second.checks = {{"match", score::Verdict::pass, "Pattern \"*Paris*\" found", {}, {}}};
  talk.turns = {first, second};
  talk.turn = 2;
  results.push_back(talk);
  talk.eval_name = "lost conversation";
  talk.status = talk.turns.back().status = ResultStatus::failed;
  talk.checks = talk.turns.back().checks = first.checks;
  results.push_back(talk);

  for (std::uint32_t i = 0; i < 3; ++i) {
    results.push_back(make_result("repeated", i == 1 ? ResultStatus::failed : ResultStatus::passed,
                                  "answer " + std::to_string(i)));
    results.back().repeat = i;
  }
  finish(out);
  out.run.judge_cost = 0.00234;
  out.run.system_prompt = breakout;
  out.run.suite_text = "metadata:\n  name: " + breakout + "\n";
  out.run.score_formula = "100 * (a + b) / " + word.substr(0, 400);
  out.run.score_metrics = {{"quality<b>", "a / " + word.substr(0, 300), 0.5, ""},
                           {"worth", "a / 0", std::nullopt, "division by zero: <script>"},
                           {"per-dollar", "success_pct / (total_cost - total_cost)", std::nullopt,
                            "division by zero: `total_cost - total_cost` is 0 in \"success_pct / "
                            "(total_cost - total_cost)\", which is a part of \"per-dollar\", a "
                            "metric of the suite"}};
  out.run.explanation =
      R"json({"expr": "100 * (a + b) / <script>", "value": 12.345678901, "children": [
        {"expr": "100 * (a + b)", "value": 100, "children": [
          {"expr": "a", "value": 1, "children": []},
          {"expr": "b", "value": null, "children": []}]}]})json";
  return out;
}

Case large(std::size_t evals) {
  Case out{make_run("large", "openai/gpt-4o-mini"), {}};
  const std::string paragraph =
      "The capital of France is Paris, which lies on the Seine & has <2,2> million people. ";
  std::string answer;
  while (answer.size() < 4000) answer += paragraph;
  for (std::size_t i = 0; i < evals; ++i)
    out.results.push_back(make_result(fmt::format("eval-{}", i),
                                      i % 10 == 7   ? ResultStatus::failed
                                      : i % 97 == 5 ? ResultStatus::error
                                                    : ResultStatus::passed,
                                      answer.substr(0, 1000 + i * 37 % 3000)));
  finish(out);
  return out;
}

// Several versions of two agents; some without a score, a time or a signal.
std::vector<fitness::ScoredExecution> executions(std::size_t count) {
  constexpr std::array<std::string_view, 5> kGrades{"A+", "A", "B", "C", "F"};
  std::vector<fitness::ScoredExecution> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto& scored = out[i];
    scored.id = fmt::format("01920000-{:04x}-7000-8000-{:012x}", i & 0xffffU, i);
    scored.agent = {i % 4 == 3 ? "tester" : "reviewer", i % 4 == 3 ? "" : i % 2 == 0 ? "v2" : "v1"};
    scored.scored_at = 1794000000000;
    scored.execution.id = fmt::format("session-{}", i);
    scored.execution.file = "/home/ada/logs/session.jsonl";
    scored.execution.ended = (1794000000000 - static_cast<std::int64_t>(i) * 3600'000) * 1000;
    scored.execution.tool_calls = static_cast<std::int64_t>(i % 30);
    scored.execution.failed = static_cast<std::int64_t>(i % 3);
    scored.execution.duration = 12.5;
    scored.execution.notes = {"tool_success_rate: n/a (no tool calls)"};
    for (std::size_t k = 0; k < scored.signals.size(); ++k)
      if ((i + k) % 7 != 0) scored.signals[k] = static_cast<double>((i * 7 + k * 13) % 100) / 100;
    scored.rubric = "default";
    if (i % 11 == 10) {
      scored.error = "no signal is known";
      continue;
    }
    scored.score = 40 + static_cast<double>(i * 17 % 60);
    scored.grade = kGrades[i % kGrades.size()];
    scored.meaning = "good: small things to improve";
  }
  return out;
}

std::vector<fitness::ScoredExecution> hostile_executions() {
  auto out = executions(6);
  const std::string evil =
      "</title></style><script>document.title='owned'</script><img src=x onerror=\"alert(1)\"> "
      "`|` \xff\x1b[31m \xe2\x80\xae" +
      std::string(3000, 'w');
  for (std::size_t i = 0; i < out.size(); ++i) {
    auto& scored = out[i];
    scored.agent = {evil, i % 2 == 0 ? evil : "v"};
    scored.execution.id = scored.execution.model = scored.execution.file = evil;
    scored.execution.notes = {evil, evil};
    scored.grade = scored.meaning = scored.error = scored.rubric = evil;
    if (i == 5) scored.score = std::nullopt;
    if (i == 4) scored.score = 1e300;
    if (i == 3) scored.score = -12345.678;
  }
  return out;
}

std::string write(std::span<const fitness::ScoredExecution> all, std::string_view output) {
  const report::ScoredReport report{.executions = all,
                                    .total = all.size() + 1,
                                    .about = all.front().agent.agent,
                                    .version = "0.1.0"};
  return output == "markdown" ? report::scored_markdown(report) : report::scored_html(report);
}

std::string write(const std::vector<Case>& cases, std::string_view output) {
  std::vector<report::ReportedRun> runs;
  for (const auto& one : cases) runs.push_back({one.run, one.results, {90.0, {}}});
  if (output == "junit") return report::junit(runs);
  if (output == "markdown") return report::markdown(runs);
  return report::html(runs);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view kind = argc > 1 ? argv[1] : "", output = argc > 2 ? argv[2] : "";
  const std::size_t evals = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 5000;
  std::vector<Case> cases;
  if (kind == "hostile") cases.push_back(hostile());
  if (kind == "large") cases.push_back(large(evals));
  if (kind == "models")
    for (const std::string model : {"openai/gpt-4o-mini", "anthropic/claude-3.5-sonnet"}) {
      cases.push_back(large(40));
      cases.back().run.model = model;
      for (auto& result : cases.back().results)
        if (cases.size() > 1) result.cost = *result.cost * 3;
    }
  std::vector<fitness::ScoredExecution> scored;
  if (kind == "executions") scored = executions(evals);
  if (kind == "hostile-executions") scored = hostile_executions();
  if ((cases.empty() && scored.empty()) ||
      (output != "junit" && output != "markdown" && output != "html")) {
    std::fputs(
        "usage: report_driver hostile|models|large|executions|hostile-executions "
        "junit|markdown|html [N]\n",
        stderr);
    return 2;
  }
  const auto begun = std::chrono::steady_clock::now();
  const std::string text = scored.empty() ? write(cases, output) : write(scored, output);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  std::fputs(fmt::format("{} bytes in {:.3f} s\n", text.size(), took.count()).c_str(), stderr);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
