// Run: sends the requests of a plan to a model, several at a time, judges the answers as they
// arrive and passes the results on. Several runs proceed side by side on the caller's thread. The
// observer deals with store and screen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "fitness/rubric.h"
#include "model/model.h"
#include "run/channel.h"
#include "run/evidence_collector.h"
#include "run/plan.h"
#include "run/spending_limit.h"
#include "score/run.h"

namespace vibe::run {

enum class Ending : std::uint8_t {
  finished,     // every sample was sent
  stopped,      // by the user
  timed_out,    // the run took too long
  over_budget,  // the worst case of the next sample exceeded the rest of the budget
  no_credit,    // the same for a limit that several runs share
  broken,       // a result could not be stored
  interrupted,  // told to drain before every sample was sent
};

struct Job {
  const Plan* plan = nullptr;
  Channel model;
  Outside outside;                          // services that checks use
  std::optional<double> budget;             // US dollars
  SpendingLimit* spending_limit = nullptr;  // shared with other runs; null: none
  std::optional<double> timeout;            // seconds for the whole run
  std::vector<std::uint32_t> pending;       // the plan's samples to send
  const fitness::Rubric* rubric = nullptr;  // for figures of answers; null: no formula uses them
  double spent = 0;                         // earlier in this run
};

struct Ended {
  Ending ending = Ending::finished;
  // US dollars: the budget or credits that would have been enough for the next sample.
  double needed = 0;
  base::Diagnostics problems;  // if it is broken
};

class Observer {
 public:
  virtual ~Observer() = default;
  // A result of the job with this number. An error breaks the run.
  virtual base::Result<void> on_result(std::size_t job, score::Result result) = 0;
  // Called at least ten times a second.
  virtual void on_tick() {}
  virtual bool stop_all() { return false; }  // the user wants to stop now
  virtual bool drain() { return false; }     // start no more samples; those in flight may finish
  virtual bool stop(std::size_t /*job*/) { return false; }  // only this job; polled less often
};

// Returns when every job has ended.
std::vector<Ended> run_all(std::span<Job> jobs, Observer& observer);

// The status of a run, from how it ended and its results.
score::RunStatus status_of(Ending ending, std::size_t results, std::size_t errors);

// The request's tokens, estimated locally.
std::int64_t estimate_prompt_tokens(const model::Request& request);

// Tokens of an answer if nothing is known about the model's answers.
inline constexpr std::int64_t kAssumedOutputTokens = 300;
// Tokens of a judge's instructions, and also of its reply.
inline constexpr std::int64_t kJudgeTokens = 400;

}  // namespace vibe::run
