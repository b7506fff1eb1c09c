// QueuedRun: a claimed run, until it is finished, closed or handed back. Belongs to the worker's
// thread; any thread may set the signals.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "app/local.h"
#include "app/team/credits.h"
#include "app/team/work_queue.h"
#include "store/queue.h"

namespace vibe::app {

// Signals from the queue to all its workers.
class QueueSignals {
 public:
  bool drains() const { return drains_; }  // start nothing new
  bool stops() const { return stops_; }    // and stop everything
  void drain() { drains_ = true; }
  void stop();
  // False, and returns early, once it stops.
  bool sleep(std::chrono::milliseconds time);

 private:
  std::atomic<bool> drains_ = false, stops_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

// Signals to and from one running run.
struct RunSignals {
  std::atomic<bool> is_cancelled = false;
  std::atomic<bool> is_preparing = true;  // its worker cannot renew the lease now
};

struct WorkerContext {
  const QueueSettings& settings;
  const std::string& organisation;  // its id
  Local& local;                     // of the organisation
  Credits& credits;
  store::Events& events;
  QueueSignals& signals;
  RunSignals& run_signals;
};

// `trouble`: a problem outside the run, which was handed back and will be tried again.
enum class WorkEnd : std::uint8_t { done, trouble };

WorkEnd work_on(const store::Claim& claim, const WorkerContext& context);

}  // namespace vibe::app
