// Starts a run on a server: a suite that a client sent → a run in the queue, once everything that
// can be known of it without asking a model is known to be right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/local.h"
#include "app/runs/prepare_run.h"
#include "app/team/sent_suite.h"
#include "base/diagnostic.h"
#include "store/directory.h"

namespace vibe::app {

// What a client may say besides, of the run.
struct SentOptions {
  std::optional<double> budget, run_timeout;
  bool cache = false;
  std::vector<std::string> only;
  std::optional<std::int64_t> repeat;
  // For a run that is gone on with; of a new one, the suite says these (SentSuite).
  std::optional<std::int64_t> threads;
  std::optional<std::string> tools_token;
};

struct StartedRun {
  score::Run run;
  bool is_update = false;         // the suite was there before
  std::int64_t queued_after = 0;  // Claim::queued_after
};

// Queues it. Code::limit_reached, Code::no_credit, or what is wrong with the suite.
std::optional<StartedRun> start_run(const SentSuite& suite, const SentOptions& options,
                                    const store::Organisation& organisation, Local& local,
                                    base::Diagnostics& out);
// Queues an earlier run again, for what is missing or failed; Code::not_found, Code::conflict
// while it is at work.
std::optional<StartedRun> continue_run(std::string_view id, Continue how,
                                       const SentOptions& options,
                                       const store::Organisation& organisation, Local& local,
                                       base::Diagnostics& out);

// What the queue keeps of a run besides what the run itself says, and the request that a worker
// makes of it.
std::string to_job(const RunRequest& request);
RunRequest read_job(const store::Claim& claim);  // which has to outlive it

}  // namespace vibe::app
