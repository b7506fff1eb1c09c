// Prepares a run: the suite read and checked, its templates' values found, every model opened,
// every output file too. Everything that can go wrong before the first request goes wrong here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/judges.h"
#include "app/local.h"
#include "app/tools.h"
#include "base/diagnostic.h"
#include "fitness/rubric.h"
#include "model/open.h"
#include "model/recording.h"
#include "run/plan.h"
#include "score/run.h"
#include "score/score.h"
#include "suite/suite.h"

namespace vibe::app {

// Which samples of an earlier run are asked again.
enum class Continue : std::uint8_t { missing, failed };

struct RunRequest {
  std::string suite;                // a file, `-` for standard input, or a stored suite's name
  bool is_file = false;             // never a stored suite
  std::vector<std::string> models;  // empty: the suite's; `openai/gpt-4*` stands for several
  run::PlanOptions plan;
  ToolsRequest tools;
  std::optional<double> budget, run_timeout, min_score, min_success;
  std::optional<std::string> record;  // a file
  bool cache = false, strict = false;
  bool dry_run = false;  // nothing will be asked: no file is written
  std::string earlier;   // the id of a run to go on with, instead of a suite; empty: none
  Continue how = Continue::missing;
};

struct PreparedModel {
  model::Opened opened;
  score::Run run;                        // as it will be stored; without an id for a new one
  std::unique_ptr<store::RunLock> lock;  // of an earlier run
  std::vector<score::Result> earlier;    // results of the run that is gone on with
  std::vector<std::uint32_t> pending;    // samples that are to be asked
  std::optional<model::Recorder> recorder;
  Judges judges;
  std::string tools;       // the address of the server of tools; empty: none
  run::Redactor redactor;  // of secrets and keys
};

struct Prepared {
  base::SourcePtr source;  // of the suite
  std::shared_ptr<const suite::Suite> suite;
  std::optional<run::Plan> plan;
  std::shared_ptr<const fitness::Rubric> rubric;  // by which answers and executions are judged
  std::unique_ptr<model::Models> models;          // outlives what it opened
  std::vector<PreparedModel> runs;
  score::Gates gates;
  std::optional<double> budget, run_timeout;
  bool cache = false;
};

// Warnings and errors go to `out`; nothing if there was an error.
std::optional<Prepared> prepare_run(const RunRequest& request, Local& local,
                                    base::Diagnostics& out);

}  // namespace vibe::app
