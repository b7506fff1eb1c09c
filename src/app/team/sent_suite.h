// SentSuite: the suite that a client of a server means. Trusts nothing that the client says.
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

// What a suite may say of itself at most.
inline constexpr std::int64_t kMostRepeats = 1000, kMostThreads = 1024;

// The `vibecheck` command-line client 0.4.0 (github.com/hev/vibecheck) strips what it does not know
// from `evalSuite`, and sends the file beside it: then metadata that it may override comes from
// `evalSuite`, and each key of an eval from the file, unless `evalSuite` says something else of it.
struct SentSuite {
  LoadedSuite loaded;                // its text is to be kept and run
  std::optional<std::string> model;  // these come before what the text says
  run::PlanOptions plan;
  ToolsRequest tools;

  // As it is written: it may have templates.
  const std::string& name() const { return loaded.suite->metadata.name; }
  std::string_view text() const { return loaded.source->text(); }
};

// All that is wrong goes to `out`, by its place in `yaml`, or in `evalSuite` as YAML. Where that is
// null, `yaml` is all.
std::optional<SentSuite> read_sent_suite(const base::JsonValue& eval_suite,
                                         const std::optional<std::string>& yaml, const Local& local,
                                         base::Diagnostics& out);

// Whether suites may use what it names on this server, as a start decides it: models, judges,
// programs.
bool permit_sent(const SentSuite& suite, const Local& local, base::Diagnostics& out);

// A name that routes can have in their paths; Code::bad_name.
base::Result<void> check_suite_name(std::string_view name);

}  // namespace vibe::app
