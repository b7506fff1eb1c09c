// The parts of a server without HTTP, for tests that ask its routes directly.
#pragma once

#include <atomic>
#include <memory>

#include "app/server_world.h"
#include "server/route.h"

namespace vibe::server {

struct ServiceWorld {
  app::ServerWorld world;
  config::Config config;
  std::unique_ptr<app::RunWatch> watch = app::RunWatch::make(*world.tenants);
  Metrics metrics;
  AccessLog log = AccessLog::open("/dev/null").value();
  Timer timer;
  base::Workers workers;
  std::atomic<bool> is_stopping{false};
  Service service{.config = config,
                  .version = "0",
                  .tenants = *world.tenants,
                  .watch = *watch,
                  .metrics = metrics,
                  .log = log,
                  .timer = timer,
                  .workers = workers,
                  .is_stopping = is_stopping};
};

}  // namespace vibe::server
