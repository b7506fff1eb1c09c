#include "app/score_executions.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/rubric.h"
#include "base/file.h"
#include "base/first_failure.h"
#include "base/text.h"
#include "base/workers.h"

namespace vibe::app {

namespace {

using base::Code;
using fitness::Heuristic;
using trace::Execution;

constexpr std::size_t kMostAnswerBytes = std::size_t{256} << 20;

// The answer that the user names takes the place of the log's.
void take_answer(const std::string& path, std::vector<Execution>& executions,
                 base::Diagnostics& out) {
  if (executions.size() != 1) {
    out.add(
        Code::bad_usage, {},
        fmt::format("`--output` is the answer of one session, but {} were read", executions.size()),
        "name the log of that session alone");
    return;
  }
  auto text = base::read_file(path, kMostAnswerBytes);
  if (!text) return out.append(text.error());
  Execution& one = executions.front();
  if (!base::trim(one.output).empty() && base::trim(one.output) != base::trim(*text))
    one.notes.push_back(
        fmt::format("the answer is that of {}, not that of the log", base::display_name(path)));
  one.output = base::replace_invalid(*text);
}

fitness::Scored score_one(Execution execution, const fitness::Rubric& rubric,
                          const fitness::Given& given) {
  fitness::Fitness fitness = fitness::score(execution, rubric, given);
  execution.task_type = to_string(fitness.task.type);
  execution.complexity = to_string(fitness.task.complexity);
  execution.structure = {.headers = fitness.answer[Heuristic::headers].holds,
                         .lists = fitness.answer[Heuristic::lists].holds,
                         .code_blocks = fitness.answer[Heuristic::code_blocks].holds};
  return {std::move(execution), std::move(fitness)};
}

std::vector<fitness::Scored> score_all(std::vector<Execution> executions,
                                       const fitness::Rubric& rubric, const fitness::Given& given,
                                       std::size_t threads) {
  std::vector<fitness::Scored> out(executions.size());
  std::atomic<std::size_t> next = 0;
  base::FirstFailure failure;
  const auto work = [&] {
    failure.attempt([&] {
      for (std::size_t i = next++; i < executions.size(); i = next++)
        out[i] = score_one(std::move(executions[i]), rubric, given);
    });
  };
  {
    const std::size_t workers = std::min(threads, executions.size());
    base::Workers others(workers);
    for (std::size_t i = 1; i < workers; ++i) others.add(work);
    work();
  }
  failure.rethrow();
  return out;
}

}  // namespace

ScoredExecutions score_executions(const ScoreExecutionsRequest& request) {
  ScoredExecutions out;
  out.rubric = request.loaded ? request.loaded : load_rubric(request.rubric, out.diagnostics);
  if (!out.rubric) return out;
  ReadRequest reading = request.read;
  reading.errors = &out.rubric->words.errors();
  if (reading.threads == 0) reading.threads = std::max(1u, std::thread::hardware_concurrency());
  auto read = read_executions(reading);
  out.diagnostics.append(read.diagnostics);
  out.newest = std::move(read.newest);
  if (request.output && !read.executions.empty()) {
    base::Diagnostics found;
    take_answer(*request.output, read.executions, found);
    out.diagnostics.append(found);
    if (found.failed()) return out;
  }
  out.all = score_all(std::move(read.executions), *out.rubric, request.given, reading.threads);
  return out;
}

}  // namespace vibe::app
