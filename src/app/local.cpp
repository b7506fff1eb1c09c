#include "app/local.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/master_key.h"
#include "base/text.h"
#include "base/time.h"
#include "remote/server.h"
#include "remote/store.h"
#include "store/sqlite.h"

namespace vibe::app {

base::Result<void> permit_model(std::string_view name, const Permissions& permissions) {
  const bool is_local = name.starts_with("exec:") || name.starts_with("replay:");
  if (permissions.any_model || !is_local ||
      std::ranges::find(permissions.local_models, name) != permissions.local_models.end())
    return {};
  return base::fail(
      base::Code::not_permitted, {},
      fmt::format("`{}` is no model that suites may use on this server", base::printable(name)),
      "whoever runs the server may list it in `serve: local_models`");
}

namespace {

std::optional<Local> open_server(config::Config config, base::Diagnostics& out) {
  const auto url = remote::server_url(config.server);
  if (!url) {
    out.append(url.error());
    return std::nullopt;
  }
  if (!config.api_key.empty() && remote::is_open_to_others(*url))
    out.add(base::Code::unencrypted_key, {},
            fmt::format("the key goes to `{}` as it is: whoever is on the way can read it", *url),
            "use `https://`; a reverse proxy, or `vibe serve` itself, can do that");
  auto server = remote::Server::open({*url, config.api_key}, config.models.client);
  if (!server) {
    out.append(server.error());
    return std::nullopt;
  }
  auto store = remote::make_store(**server);
  return Local{std::move(config), std::move(store), {}, *std::move(server)};
}

using OpenedStore = base::Result<std::unique_ptr<store::Store>>;

OpenedStore open_to_write(const std::string& home, const std::optional<base::SealKey>& key) {
  auto store = store::open_sqlite(home, {.key = key});
  if (!store) return store;
  if (const auto marked = (*store)->mark_interrupted(base::now_millis()); !marked)
    return tl::unexpected(marked.error());
  return store;
}

bool is_unusable(const base::Diagnostics& problems) {
  return problems.all().front().code == base::Code::store_unusable;
}

}  // namespace

std::optional<Local> open_local(base::Diagnostics& out, Need need) {
  auto config = config::load(out);
  if (!config) return std::nullopt;
  if (!config->server.empty()) return open_server(*std::move(config), out);
  const auto key = environment_key();  // of a server that may have this store, too
  if (!key) {
    out.append(key.error());
    return std::nullopt;
  }
  auto store = open_to_write(config->home, *key);
  if (!store && need == Need::reading && is_unusable(store.error()))
    store = store::open_sqlite(config->home, {.access = store::Access::read_only, .key = *key});
  if (!store) {
    out.append(store.error());
    return std::nullopt;
  }
  return Local{*std::move(config), *std::move(store)};
}

}  // namespace vibe::app
