// WorkQueue: a server's workers. Each takes a run from the organisations' queues in turn, and works
// on it under a lease until it is finished or cancelled, or the server stops; then the rest goes
// back to the queue. An interrupted run is resumed: samples that have a result are not sent again.
// Safe from any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/team/tenants.h"
#include "score/run.h"

namespace vibe::app {

struct QueueSettings {
  std::size_t workers = 4;  // runs at a time, over all organisations
  double lease = 30;        // seconds that a worker may be silent
  double grace = 10;        // seconds for requests in flight when the server stops
  std::string version;      // of the program
  // Called for each result; for metrics.
  std::function<void(const score::Result&)> on_result = [](const score::Result&) {};
  // The store cannot write results; the worker keeps trying. Called once, until writing works
  // again.
  std::function<void(const base::Diagnostics&)> on_trouble = [](const base::Diagnostics&) {};
};

class WorkQueue {
 public:
  static std::unique_ptr<WorkQueue> start(Tenants& tenants, const QueueSettings& settings);
  virtual ~WorkQueue() = default;  // calls end()

  // Stops the run if it is running here; the store already has the request to stop.
  virtual void cancelled(std::string_view organisation, std::string_view run) = 0;
  virtual std::size_t running() const = 0;
  // Lets requests in flight finish, hands back the rest, and returns when all workers have ended.
  virtual void end() = 0;
};

}  // namespace vibe::app
