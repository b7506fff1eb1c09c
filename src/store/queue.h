// Queue: runs that wait for a worker of a server. A worker has a run by its claim, which it renews
// before its lease ends; the queue's own clock decides when that is. Belongs to one thread.
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

// A run of the queue that a worker has got.
struct Claim {
  score::Run run;
  HeldRun held;
  std::string job;  // as it was given to enqueue(); empty for claim_run()
  // The number of the run's last arrival when it was queued; 0: it had none. Results that came
  // later are what this claim is about, and what is charged for it.
  std::int64_t queued_after = 0;
  // Since a worker brought a result; those that were handed back are not counted.
  std::uint32_t earlier_claims = 0;
};

class Queue {
 public:
  virtual ~Queue() = default;

  // Keeps the run as queued, with what a worker has to know besides, which is sealed as secrets
  // are. A finished run is queued again; Code::run_held: it is there, and not finished. Returns
  // Claim::queued_after.
  virtual base::Result<std::int64_t> enqueue(const score::Run& run, std::string_view job) = 0;
  // The oldest run that nobody works on: it was never claimed, its worker is gone, or has let its
  // lease end. Code::store_key: runs wait, but the key opens none of their jobs.
  virtual base::Result<std::optional<Claim>> claim(std::string_view worker, double lease) = 0;
  // This run, if nobody works on it, to end it: without its job.
  virtual base::Result<std::optional<Claim>> claim_run(std::string_view run,
                                                       std::string_view worker, double lease) = 0;
  virtual base::Result<void> renew(const Hold& hold, double lease) = 0;  // Code::lease_lost
  // Queued again, for the next worker. Code::lease_lost
  virtual base::Result<void> hand_back(const Hold& hold) = 0;
  virtual base::Result<QueueDepth> depth() = 0;
};

}  // namespace vibe::store
