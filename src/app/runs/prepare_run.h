// Prepares a run: reads and checks the suite, finds the values of its templates, opens every model
// and every output file. Everything that can fail before the first request fails here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/local.h"
#include "app/runs/judges.h"
#include "app/runs/tools.h"
#include "app/runs/unfinished.h"
#include "app/suites/validate.h"
#include "base/diagnostic.h"
#include "fitness/rubric.h"
#include "model/open.h"
#include "model/recording.h"
#include "run/plan.h"
#include "run/spending_limit.h"
#include "score/run.h"
#include "score/score.h"
#include "suite/suite.h"

namespace vibe::app {

struct RunRequest {
  std::string suite;                  // a file, `-` for standard input, or a stored suite's name
  bool is_file = false;               // never a stored suite
  std::optional<LoadedSuite> loaded;  // if set, no file is read, and `suite` is its name
  std::vector<std::string> models;    // empty: the suite's; `openai/gpt-4*` matches several
  run::PlanOptions plan;
  ToolsRequest tools;
  std::optional<double> budget, run_timeout, min_score, min_success;
  std::optional<std::string> record;  // a file
  bool cache = false, strict = false;
  bool dry_run = false;  // nothing is sent, no file is written
  std::string earlier;   // the id of a run, instead of a suite; empty: none
  Continue how = Continue::missing;
  // The claim of the earlier run, which comes from the queue. Until it has a result it is planned
  // again, with the current suite, variables and cases. Null: it was not claimed.
  const store::Claim* claim = nullptr;
  double worked_before = 0;            // seconds of the claimed run's duration before it was queued
  std::function<bool()> is_cancelled;  // polled during waits; may be empty
  std::string version;                 // of the program
};

struct PreparedModel {
  model::Opened opened;
  score::Run run;                        // as it will be stored; without an id for a new one
  bool is_claimed = false;               // from the queue
  double worked = 0;                     // seconds of `run_timeout` that earlier workers used
  store::Hold hold;                      // on the run, once it is stored
  std::unique_ptr<store::RunLock> lock;  // unless it was claimed
  std::int64_t queued_after = 0;         // on a server: the last arrival when it was queued
  std::vector<score::Result> earlier;    // results of the resumed run
  std::vector<std::uint32_t> pending;    // samples to send
  std::optional<model::Recorder> recorder;
  Judges judges;
  std::string tools;       // the tool server's address; empty: none
  run::Redactor redactor;  // for secrets and keys
};

// What a server is asked to run.
struct RemoteJobs {
  std::vector<std::string> bodies;  // the request that starts each run
  std::string path;                 // the suite's file; empty: none
  base::Diagnostics known;          // warnings that the server need not repeat
};

struct Prepared {
  base::SourcePtr source;  // of the suite
  std::shared_ptr<const suite::Suite> suite;
  std::optional<run::Plan> plan;
  std::shared_ptr<const fitness::Rubric> rubric;  // judges answers and executions
  std::unique_ptr<model::Models> models;          // outlives what it opened
  std::vector<PreparedModel> runs;
  RemoteJobs remote;  // on this machine: empty
  score::Gates gates;
  std::optional<double> budget, run_timeout;
  std::shared_ptr<run::SpendingLimit> spending_limit;  // shared with other runs; null: none
  bool cache = false;
  bool saves_suite = true;  // as the newest version
  std::string version;      // of the program
};

// Warnings and errors go to `out`, without secrets; nothing if there was an error.
std::optional<Prepared> prepare_run(const RunRequest& request, Local& local,
                                    base::Diagnostics& out);

}  // namespace vibe::app
