// Service: everything that the routes of a server use. Created once, outlives the HTTP server. Safe
// from any thread, as far as each part says.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>

#include "app/team/run_watch.h"
#include "app/team/tenants.h"
#include "app/team/work_queue.h"
#include "base/workers.h"
#include "config/config.h"
#include "server/access_log.h"
#include "server/metrics.h"
#include "server/rendered_runs.h"
#include "server/timer.h"

namespace vibe::server {

struct Service {
  const config::Config& config;
  std::string version;
  app::Tenants& tenants;
  app::RunWatch& watch;
  Metrics& metrics;
  AccessLog& log;
  Timer& timer;
  base::Workers& workers;                // for work that would block the HTTP threads
  const std::atomic<bool>& is_stopping;  // stopping: waiting requests are answered now
  std::function<std::size_t()> connections = [] { return std::size_t{0}; };
  std::atomic<app::WorkQueue*> queue = nullptr;             // null while the server is starting
  RenderedRuns rendered_runs{};                             // for lists
  RenderedRuns result_pages{RenderedRuns::kMostBytes / 4};  // for the status of finished runs
};

}  // namespace vibe::server
