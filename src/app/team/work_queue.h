// WorkQueue: the workers of a server. Each takes a run from the queues of the organisations, in
// turn, and works on it under a lease until it is finished, cancelled, or the server ends; then
// what is left goes back to the queue. A run that was interrupted is taken up again: samples with
// a result are not asked a second time. Safe from any thread.
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
  std::size_t workers = 4;  // runs at a time, of all organisations
  double lease = 30;        // seconds that a worker may be silent
  double grace = 10;        // seconds for what is in flight when the server ends
  std::string version;      // of the program
  // Of each result; for figures about the server.
  std::function<void(const score::Result&)> on_result = [](const score::Result&) {};
  // The store cannot keep what came; it is tried again and again. Told once, until it goes on.
  std::function<void(const base::Diagnostics&)> on_trouble = [](const base::Diagnostics&) {};
};

class WorkQueue {
 public:
  static std::unique_ptr<WorkQueue> start(Tenants& tenants, const QueueSettings& settings);
  virtual ~WorkQueue() = default;  // as end()

  // Stops the run if it is at work here; in the store, it is asked to stop already.
  virtual void cancelled(std::string_view organisation, std::string_view run) = 0;
  virtual std::size_t running() const = 0;
  // Lets what is in flight finish, hands back the rest, and returns when all workers have ended.
  virtual void end() = 0;
};

}  // namespace vibe::app
