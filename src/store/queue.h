// Queue: runs that wait for a server's worker. A worker holds a run by a claim, which it renews
// before its lease ends, by the queue's own clock. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "score/run.h"
#include "store/journal.h"

namespace vibe::store {

struct QueueDepth {
  std::size_t waiting = 0, claimed = 0;
};

// A queued run that a worker has claimed.
struct Claim {
  score::Run run;
  HeldRun held;
  std::string job;  // as passed to enqueue(); empty for claim_run()
  // The run's last arrival when it was queued; 0: none. This claim covers, and is charged for, the
  // results that arrived later.
  std::int64_t queued_after = 0;
  // Since the last result; claims that were handed back do not count.
  std::uint32_t earlier_claims = 0;
};

class Queue {
 public:
  virtual ~Queue() = default;

  // Stores the run as queued, with the data that a worker needs besides, sealed like secrets. A
  // finished run is queued again; Code::run_held: it exists, and is not finished. Returns
  // Claim::queued_after.
  virtual base::Result<std::int64_t> enqueue(const score::Run& run, std::string_view job) = 0;
  // The oldest run that nobody works on: it was never claimed, or its worker is gone or let its
  // lease end. Code::store_key: runs are waiting, but the key opens none of their jobs.
  virtual base::Result<std::optional<Claim>> claim(std::string_view worker, double lease) = 0;
  // Claims this run, if nobody works on it, to end it: without its job.
  virtual base::Result<std::optional<Claim>> claim_run(std::string_view run,
                                                       std::string_view worker, double lease) = 0;
  virtual base::Result<void> renew(const Hold& hold, double lease) = 0;  // Code::lease_lost
  // Queues the run again, for the next worker. Code::lease_lost
  virtual base::Result<void> hand_back(const Hold& hold) = 0;
  virtual base::Result<QueueDepth> depth() = 0;
};

}  // namespace vibe::store
