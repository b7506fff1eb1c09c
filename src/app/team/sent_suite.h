// SentSuite: a suite that a client sent to a server. Does not trust the client.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/local.h"
#include "app/runs/tools.h"
#include "app/suites/validate.h"
#include "base/diagnostic.h"
#include "base/json_value.h"
#include "run/plan.h"

namespace vibe::app {

// The largest values that a suite may set.
inline constexpr std::int64_t kMostRepeats = 1000, kMostThreads = 1024;

// The `vibecheck` command-line client 0.4.0 (github.com/hev/vibecheck) strips keys that it does not
// know from `evalSuite`, and also sends the file: then metadata that the client may override comes
// from `evalSuite`, and each key of an eval from the file, unless `evalSuite` has another value for
// it.
struct SentSuite {
  LoadedSuite loaded;                // its text is stored and run
  std::optional<std::string> model;  // these override the text
  run::PlanOptions plan;
  ToolsRequest tools;

  // As written: it may have templates.
  const std::string& name() const { return loaded.suite->metadata.name; }
  std::string_view text() const { return loaded.source->text(); }
};

// Reports all errors to `out`, with their positions in `yaml`, or in `evalSuite` as YAML. If that
// is null, `yaml` is the whole suite.
std::optional<SentSuite> read_sent_suite(const base::JsonValue& eval_suite,
                                         const std::optional<std::string>& yaml, const Local& local,
                                         base::Diagnostics& out);

// Whether suites may use its models, judges and programs on this server, as checked when a run is
// started.
bool permit_sent(const SentSuite& suite, const Local& local, base::Diagnostics& out);

// Checks that the name works in route paths; Code::bad_name.
base::Result<void> check_suite_name(std::string_view name);

}  // namespace vibe::app
