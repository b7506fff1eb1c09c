#include "server/serve.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/team/master_key.h"
#include "app/team/organisations.h"
#include "app/team/run_watch.h"
#include "app/team/tenants.h"
#include "app/team/work_queue.h"
#include "base/address.h"
#include "base/line_log.h"
#include "base/time.h"
#include "base/workers.h"
#include "server/access_log.h"
#include "server/dispatch.h"
#include "server/http.h"
#include "server/http_spool.h"
#include "server/metrics.h"
#include "server/service.h"
#include "server/timer.h"

namespace vibe::server {

namespace {

using base::Code;

constexpr std::size_t kWorkers = 8;         // threads for answers that take longer
constexpr std::size_t kMostWaiting = 1000;  // answers of an organisation that may wait for a thread
constexpr double kDrain = 10;               // seconds for answers in progress when the server stops

app::Permissions permissions_of(const config::ServeSettings& serve) {
  return {.files = false,
          .exec_checks = serve.exec_checks,
          .any_model = false,
          .local_models = serve.local_models,
          .private_addresses = serve.private_addresses};
}

std::string url_of(const config::ServeSettings& serve, std::uint16_t port) {
  const bool is_v6 = serve.host.find(':') != std::string::npos && !serve.host.starts_with('[');
  return fmt::format("{}://{}:{}", serve.tls_certificate.empty() ? "http" : "https",
                     is_v6 ? fmt::format("[{}]", serve.host) : serve.host, port);
}

base::Result<void> check_address(const ServeRequest& request) {
  const config::ServeSettings& serve = request.config.serve;
  if (base::is_loopback(serve.host) || !serve.tls_certificate.empty() || request.insecure)
    return {};
  return base::fail(
      Code::open_address, {},
      fmt::format("other machines can reach `{}`, and would send their keys unencrypted",
                  serve.host),
      "give `--tls-cert` and `--tls-key`, or `--insecure` if a proxy in front of it provides TLS");
}

// Members are destroyed in reverse order: each comes after those it uses.
class Server final : public Serving {
 public:
  Server(ServeRequest request, std::unique_ptr<app::Tenants> tenants, AccessLog log)
      : request_(std::move(request)),
        tenants_(std::move(tenants)),
        log_(std::move(log)),
        watch_(app::RunWatch::make(*tenants_)),
        service_{.config = request_.config,
                 .version = request_.version,
                 .tenants = *tenants_,
                 .watch = *watch_,
                 .metrics = metrics_,
                 .log = log_,
                 .timer = timer_,
                 .workers = *workers_,
                 .is_stopping = is_stopping_},
        dispatch_(service_) {}
  ~Server() override { stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  base::Result<void> begin() {
    const config::ServeSettings& serve = request_.config.serve;
    HttpSettings settings;
    settings.address = serve.host;
    settings.port = serve.port;
    settings.certificate = serve.tls_certificate;
    settings.key = serve.tls_key;
    settings.threads = std::max(2u, std::thread::hardware_concurrency());
    settings.most_connections = serve.most_connections;
    settings.most_per_address = serve.connections_per_address;
    settings.spool = request_.config.home + "/spool";
    VIBE_TRY(base::make_private_folder(settings.spool));
    Spool::remove_left(settings.spool);
    settings.on_trouble = [this](const base::Diagnostics& why) { log_.write_problem({}, why); };
    VIBE_TRY(auto http, HttpServer::start(settings, dispatch_));
    http_ = std::move(http);
    service_.connections = [this] {
      const std::lock_guard lock(mutex_);
      return http_ ? http_->connections() : 0;
    };
    app::QueueSettings queue{
        .workers = serve.workers, .lease = serve.lease, .version = request_.version};
    queue.on_result = [this](const score::Result& result) {
      metrics_.add_sample();
      if (result.status == score::ResultStatus::error) metrics_.add_provider_error();
    };
    queue.on_trouble = [this](const base::Diagnostics& why) { log_.write_problem({}, why); };
    queue_ = app::WorkQueue::start(*tenants_, queue);
    service_.queue = queue_.get();  // requests are answered from now on
    return {};
  }

  void reopen_log() override { log_.reopen(); }

  void stop() override {
    if (!http_) return;
    http_->stop_listening();
    is_stopping_ = true;
    watch_->wake_all();  // answers waiting requests
    if (queue_) queue_->end();
    watch_->wake_all();  // those that began to wait meanwhile
    http_->drain(kDrain);
    std::unique_ptr<HttpServer> http;
    {
      const std::lock_guard lock(mutex_);
      http = std::move(http_);
    }
    http.reset();      // nothing waits any more
    timer_.end();      // and no task adds work for the workers
    workers_.reset();  // finishes their current work
  }

  void say_where() {
    request_.say(fmt::format("listening on {}", url_of(request_.config.serve, http_->port())));
  }

 private:
  ServeRequest request_;
  std::unique_ptr<app::Tenants> tenants_;
  AccessLog log_;
  Metrics metrics_;
  std::atomic<bool> is_stopping_{false};
  std::unique_ptr<app::RunWatch> watch_;
  Timer timer_;
  std::unique_ptr<base::Workers> workers_ = std::make_unique<base::Workers>(kWorkers, kMostWaiting);
  std::unique_ptr<app::WorkQueue> queue_;
  Service service_;
  Dispatch dispatch_;
  std::mutex mutex_;                  // for readers of the connection count
  std::unique_ptr<HttpServer> http_;  // null: not started, or stopped
};

// The key of a new server, which cannot be shown again.
base::Result<std::optional<std::string>> first_key(app::Tenants& tenants) {
  VIBE_TRY(auto directory, tenants.directory());
  VIBE_TRY(auto key, app::begin_server(*directory, tenants.master_key(), base::now_millis()));
  if (!key) return std::nullopt;
  return key->text;
}

}  // namespace

base::Result<std::unique_ptr<Serving>> Serving::start(ServeRequest request) {
  VIBE_TRY(check_address(request));
  VIBE_TRY(auto log, AccessLog::open(request.config.serve.access_log));
  VIBE_TRY(auto tenants, app::Tenants::open(request.config, permissions_of(request.config.serve)));
  app::forget_environment_key();
  VIBE_TRY(const auto key, first_key(*tenants));
  if (key) request.say(fmt::format("admin key: {}", *key));
  auto server = std::make_unique<Server>(std::move(request), std::move(tenants), std::move(log));
  VIBE_TRY(server->begin());
  server->say_where();
  return server;
}

}  // namespace vibe::server
