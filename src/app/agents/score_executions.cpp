#include "app/agents/score_executions.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/agents/rubric.h"
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

// The answer that the user gives replaces the log's.
bool take_answer(const std::string& path, std::size_t count, Execution& one,
                 base::Diagnostics& out) {
  if (count != 1) {
    out.add(Code::bad_usage, {},
            fmt::format("`--output` gives the answer of one session, but {} were read", count),
            "give only that session's log");
    return false;
  }
  auto text = base::read_file(path, kMostAnswerBytes);
  if (failed(text, out)) return false;
  if (!base::trim(one.output).empty() && base::trim(one.output) != base::trim(*text))
    one.notes.push_back(
        fmt::format("the answer comes from {}, not from the log", base::display_name(path)));
  one.output = base::replace_invalid(*text);
  return true;
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

// Scores executions in batches, with several threads, and passes them on in order.
class Scorer {
 public:
  Scorer(const fitness::Rubric& rubric, const fitness::Given& given, const ReadRequest& how,
         const UseScored& use)
      : rubric_(rubric),
        given_(given),
        threads_(how.threads),
        is_unwanted_(how.is_unwanted),
        use_(use) {}

  void add(Execution execution) {
    constexpr std::size_t kMost = 256, kMostBytes = std::size_t{16} << 20;  // per thread
    bytes_ += execution.output.size();
    waiting_.push_back(std::move(execution));
    if (waiting_.size() >= kMost * threads_ || bytes_ > kMostBytes * threads_) flush();
  }

  std::size_t flush() {
    std::vector<fitness::Scored> scored(waiting_.size());
    std::atomic<std::size_t> next = 0;
    base::FirstFailure failure;
    const auto work = [&] {
      failure.attempt([&] {
        for (std::size_t i = next++; i < waiting_.size() && is_wanted(); i = next++)
          scored[i] = score_one(std::move(waiting_[i]), rubric_, given_);
      });
    };
    {
      const std::size_t workers = std::min(threads_, waiting_.size());
      base::Workers others(workers);
      for (std::size_t i = 1; i < workers; ++i) others.add(work);
      work();
    }
    failure.rethrow();
    count_ += waiting_.size();
    waiting_.clear();
    bytes_ = 0;
    if (is_wanted())
      for (auto& one : scored) use_(std::move(one), rubric_);
    return count_;
  }

 private:
  bool is_wanted() const { return !is_unwanted_ || !is_unwanted_->load(); }

  const fitness::Rubric& rubric_;
  const fitness::Given& given_;
  std::size_t threads_, bytes_ = 0, count_ = 0;
  const std::atomic<bool>* is_unwanted_;
  const UseScored& use_;
  std::vector<Execution> waiting_;
};

}  // namespace

ScoredLogs score_executions(const ScoreExecutionsRequest& request, const UseScored& use) {
  ScoredLogs out;
  out.rubric = request.loaded ? request.loaded : load_rubric(request.rubric, out.diagnostics);
  if (!out.rubric) return out;
  ReadRequest reading = request.read;
  reading.errors = &out.rubric->words.errors();
  if (reading.threads == 0) reading.threads = std::max(1u, std::thread::hardware_concurrency());
  Scorer scorer(*out.rubric, request.given, reading, use);
  std::optional<Execution> only;  // set if it gets the user's answer
  std::size_t read_count = 0;
  auto read = read_executions(reading, [&](Execution one) {
    ++read_count;
    if (!request.output)
      scorer.add(std::move(one));
    else if (!only)
      only = std::move(one);
  });
  out.diagnostics.append(read.diagnostics);
  out.newest = std::move(read.newest);
  if (only) {
    base::Diagnostics found;
    const bool taken = take_answer(*request.output, read_count, *only, found);
    out.diagnostics.append(found);
    if (!taken) return out;
    scorer.add(*std::move(only));
  }
  out.count = scorer.flush();
  return out;
}

}  // namespace vibe::app
