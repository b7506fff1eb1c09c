// Run: asks a model what a plan says, so many requests at a time, judges the answers as they
// come and hands on the results. Several runs go side by side on the caller's thread. Knows no
// store and no screen: those are the observer's business.
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
#include "run/gather.h"
#include "run/plan.h"
#include "run/purse.h"
#include "score/run.h"

namespace vibe::run {

enum class Ending : std::uint8_t {
  finished,     // everything was asked
  stopped,      // by the user
  timed_out,    // the run took too long
  over_budget,  // the next request might have cost more than was left
  no_credit,    // the same, of what several runs may spend together
  broken,       // a result could not be kept
  interrupted,  // nothing more was to be sent, and not everything was asked
};

struct Job {
  const Plan* plan = nullptr;
  Channel model;
  Outside outside;                          // whom the checks need
  std::optional<double> budget;             // US dollars
  Purse* purse = nullptr;                   // that it shares with others; null: none
  std::optional<double> timeout;            // seconds for the whole run
  std::vector<std::uint32_t> pending;       // samples of the plan that are to be asked
  const fitness::Rubric* rubric = nullptr;  // to look at answers by; null: no formula wants it
  double spent = 0;                         // by earlier work on this run
};

struct Ended {
  Ending ending = Ending::finished;
  double needed = 0;  // US dollars: the budget, or the credits, that the next sample would have fit
  base::Diagnostics problems;  // where it is broken
};

class Observer {
 public:
  virtual ~Observer() = default;
  // A result of the job with this number. An error breaks the run.
  virtual base::Result<void> on_result(std::size_t job, score::Result result) = 0;
  // Called every now and then, at least ten times a second.
  virtual void on_tick() {}
  virtual bool stop_all() { return false; }  // the user wants to stop, now
  virtual bool drain() { return false; }     // no other sample is begun; those in flight may finish
  virtual bool stop(std::size_t /*job*/) { return false; }  // this job alone; asked seldom
};

// Returns when every job has ended.
std::vector<Ended> run_all(std::span<Job> jobs, Observer& observer);

// How a run that ended so is called, given its results.
score::RunStatus status_of(Ending ending, std::size_t results, std::size_t errors);

// Tokens that the request will take, reckoned without asking.
std::int64_t estimate_prompt_tokens(const model::Request& request);

// Of an answer where nothing is known about the model's answers.
inline constexpr std::int64_t kAssumedOutputTokens = 300;
// What a judge is told besides, and what it says.
inline constexpr std::int64_t kJudgeTokens = 400;

}  // namespace vibe::run
