// Service: everything that the routes of a server work with. Made once, outlives the HTTP server.
// Safe from any thread, as far as each part says.
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
#include "server/run_texts.h"
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
  base::Workers& workers;                // for what would hold up the threads of HTTP
  const std::atomic<bool>& is_stopping;  // the server is about to end: what waits is answered now
  std::function<std::size_t()> connections = [] { return std::size_t{0}; };
  std::atomic<app::WorkQueue*> queue = nullptr;     // null while the server starts
  RunTexts run_texts{};                             // of lists
  RunTexts result_pages{RunTexts::kMostBytes / 4};  // of the status of finished runs
};

}  // namespace vibe::server
