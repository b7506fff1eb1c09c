// QueuedRun: a run that a worker has claimed, from there to its end: finished, closed, or handed
// back. Belongs to the worker's thread; the signals are set by any.
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

// What the queue tells all its workers.
class Signals {
 public:
  bool drains() const { return drains_; }  // nothing more is to be begun
  bool stops() const { return stops_; }    // and nothing goes on any more
  void drain() { drains_ = true; }
  void stop();
  // False, and earlier, once it stops.
  bool sleep(std::chrono::milliseconds time);

 private:
  std::atomic<bool> drains_ = false, stops_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

// What others may say, and want to know, about one run at work.
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
  Signals& signals;
  RunSignals& run_signals;
};

// `trouble`: not of the run, which was handed back, and waits for better times.
enum class WorkEnd : std::uint8_t { done, trouble };

WorkEnd work_on(const store::Claim& claim, const WorkerContext& context);

}  // namespace vibe::app
