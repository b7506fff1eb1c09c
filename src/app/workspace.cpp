#include "app/workspace.h"

#include <utility>

#include <fmt/format.h>

#include "app/runs/certainty.h"
#include "app/runs/local_runner.h"
#include "app/runs/measure_history.h"
#include "app/runs/remote_runner.h"
#include "app/runs/rescore.h"
#include "app/team/master_key.h"
#include "remote/archive.h"
#include "remote/rescore.h"
#include "remote/server.h"
#include "store/sqlite.h"

namespace vibe::app {

using base::Code;

namespace {

class LocalWorkspace final : public Workspace {
 public:
  explicit LocalWorkspace(Local local) : local_(std::move(local)), runner_(local_) {}

  const config::Config& config() const override { return local_.config; }
  store::Archive& archive() override { return local_.store->archive(); }
  Runner& runner() override { return runner_; }
  std::unique_ptr<Keeper> keeper(KeeperSettings settings) override {
    return make_local_keeper(local_.store->journal(), std::move(settings));
  }
  void add_certainty(std::span<score::Run> runs) override {
    app::add_certainty(runs, local_.runs(), local_.store->journal());
  }
  base::Result<bool> rescore(const store::RescoreRequest& request,
                             store::RescoreWatcher& watcher) override {
    return rescore_runs(*local_.store, request, watcher);
  }

 private:
  Local local_;
  LocalRunner runner_;
};

class RemoteWorkspace final : public Workspace {
 public:
  RemoteWorkspace(config::Config config, std::shared_ptr<remote::Server> server)
      : config_(std::move(config)),
        server_(std::move(server)),
        archive_(remote::make_archive(*server_)),
        runner_(config_, *server_, *archive_) {}

  const config::Config& config() const override { return config_; }
  store::Archive& archive() override { return *archive_; }
  Runner& runner() override { return runner_; }
  std::unique_ptr<Keeper> keeper(KeeperSettings settings) override {
    return make_remote_keeper(*server_, std::move(settings));
  }
  void add_certainty(std::span<score::Run>) override {}
  base::Result<bool> rescore(const store::RescoreRequest& request,
                             store::RescoreWatcher& watcher) override {
    return remote::rescore(*server_, request, watcher);
  }

 private:
  config::Config config_;
  std::shared_ptr<remote::Server> server_;
  std::unique_ptr<store::Archive> archive_;
  RemoteRunner runner_;
};

using OpenedStore = base::Result<std::unique_ptr<store::Store>>;

OpenedStore open_to_write(const std::string& home, const std::optional<base::SealKey>& key) {
  VIBE_TRY(auto store, store::open_sqlite(home, {.key = key}));
  VIBE_TRY(const auto interrupted, store->journal().mark_interrupted());
  VIBE_TRY(measure_history(*store, {.most = interrupted}));
  return store;
}

bool is_unusable(const base::Diagnostics& problems) { return problems.has(Code::store_unusable); }

}  // namespace

std::shared_ptr<remote::Server> open_server(const config::Config& config, base::Diagnostics& out) {
  if (config.server.empty()) {
    out.add(Code::bad_usage, {}, "this command needs a server, and none is set",
            "set `VIBECHECK_API_URL`, or pass `--server URL`");
    return nullptr;
  }
  const auto url = remote::server_url(config.server);
  if (failed(url, out)) return nullptr;
  if (!config.api_key.empty() && remote::is_open_to_others(*url))
    out.add(
        Code::unencrypted_key, {},
        fmt::format("the key goes to `{}` unencrypted: others on the network can read it", *url),
        "use `https://`; a reverse proxy, or `vibe serve` itself, can provide it");
  auto server = remote::Server::open({*url, config.api_key}, config.models.client);
  if (server) return *std::move(server);
  out.append(server.error());
  return nullptr;
}

std::unique_ptr<Workspace> open_workspace(base::Diagnostics& out,
                                          const config::Overrides& overrides, Need need) {
  auto config = config::load(out, overrides);
  if (!config) return nullptr;
  if (!config->server.empty()) {
    auto server = open_server(*config, out);
    if (!server) return nullptr;
    return std::make_unique<RemoteWorkspace>(*std::move(config), std::move(server));
  }
  const auto key = environment_key();  // of a server that may share this store
  if (failed(key, out)) return nullptr;
  auto store = open_to_write(config->home, *key);
  if (!store && need == Need::reading && is_unusable(store.error()))
    store = store::open_sqlite(config->home, {.access = store::Access::read_only, .key = *key});
  if (failed(store, out)) return nullptr;
  return std::make_unique<LocalWorkspace>(Local{*std::move(config), *std::move(store)});
}

}  // namespace vibe::app
