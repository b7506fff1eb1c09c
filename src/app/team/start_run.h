// Starts a run on a server: a sent suite → a queued run, once everything that can be checked
// without calling a model is checked.
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

// The options that a client may send with a run.
struct SentOptions {
  std::optional<double> budget, run_timeout;
  bool cache = false;
  std::vector<std::string> only;
  std::optional<std::int64_t> repeat;
  // For a resumed run; for a new one, the suite says these (SentSuite).
  std::optional<std::int64_t> threads;
  std::optional<std::string> tools_token;
};

struct StartedRun {
  score::Run run;
  bool is_update = false;         // the suite existed before
  std::int64_t queued_after = 0;  // Claim::queued_after
};

// Queues the run. Code::limit_reached, Code::no_credit, or errors in the suite.
std::optional<StartedRun> start_run(const SentSuite& suite, const SentOptions& options,
                                    const store::Organisation& organisation, Local& local,
                                    base::Diagnostics& out);
// Queues an earlier run again, for missing or failed samples; Code::not_found, or Code::conflict
// while it is in progress.
std::optional<StartedRun> continue_run(std::string_view id, Continue how,
                                       const SentOptions& options,
                                       const store::Organisation& organisation, Local& local,
                                       base::Diagnostics& out);

// Queues a new run that sends all samples of an earlier one; Code::not_found, or Code::plan_changed
// if they have changed.
std::optional<StartedRun> ask_again(std::string_view id, const SentOptions& options,
                                    const store::Organisation& organisation, Local& local,
                                    base::Diagnostics& out);

// What the queue stores in addition to the run itself, and the request that a worker makes from it.
std::string to_job(const RunRequest& request);
RunRequest read_job(const store::Claim& claim);  // the claim must outlive it

}  // namespace vibe::app
