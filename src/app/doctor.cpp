#include "app/doctor.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

#include "app/team/master_key.h"
#include "base/text.h"
#include "base/time.h"
#include "base/url.h"
#include "config/config.h"
#include "model/open.h"
#include "remote/server.h"
#include "store/sqlite.h"

namespace vibe::app {

using State = Examined::State;

namespace {

// One request that costs nothing, and its outcome.
struct Probe {
  std::string what;
  model::HttpRequest request;
  bool must_answer = true;  // false: it is only absent
  model::HttpResponse response = {};
};

// Sends all of them at once and waits.
void send(std::vector<Probe>& probes, double timeout, model::HttpClient& client) {
  std::mutex mutex;
  std::condition_variable ready;
  std::size_t waiting = probes.size();
  for (auto& probe : probes) {
    probe.request.timeout = timeout;
    probe.request.most_tries = 1;
    client.send(probe.request, [&](model::HttpResponse response) {
      const std::lock_guard lock(mutex);
      probe.response = std::move(response);
      if (--waiting == 0) ready.notify_one();
    });
  }
  std::unique_lock lock(mutex);
  ready.wait(lock, [&] { return waiting == 0; });
}

// Without a password or a token that it may contain.
std::string shown_url(std::string_view url) {
  const base::Url parts = base::split_url(url);
  const auto host = static_cast<std::size_t>(parts.host.data() - url.data());
  return base::printable(fmt::format("{}{}{}", parts.scheme, parts.has_scheme ? "://" : "",
                                     url.substr(host, url.find_first_of("?#", host) - host)));
}

Examined judge(const Probe& probe) {
  const auto& response = probe.response;
  const std::string url = shown_url(probe.request.url);
  Examined out{State::good, probe.what, "", ""};
  if (response.fault != model::HttpResponse::Fault::none) {
    out.state = probe.must_answer ? State::bad : State::absent;
    out.finding = fmt::format("{}: {}", url, response.message);
  } else if (response.status == 401 || response.status == 403) {
    out.state = State::bad;
    out.finding = fmt::format("{}: the server refused the key (HTTP {})", url, response.status);
    out.advice = "check the key";
  } else if (response.status >= 500) {
    out.state = State::bad;
    out.finding = fmt::format("{}: HTTP {}", url, response.status);
  } else {
    out.finding = fmt::format("{} responded in {}", url, base::show_duration(response.latency));
  }
  return out;
}

class Doctor {
 public:
  explicit Doctor(const DoctorOptions& options) : options_(options) {}

  Examination run() {
    auto config = config::load(out_.problems, options_.overrides);
    if (!config) {
      add(State::bad, "configuration", "cannot be used", "fix the errors above");
      return std::move(out_);
    }
    add(State::good, "home", config->home);
    if (config->files.empty())
      add(State::absent, "configuration", "no configuration file: the defaults apply");
    for (const auto& file : config->files) add(State::good, "configuration", file);
    look_at_store(*config);
    if (!config->server.empty()) look_at_server(*config);
    look_at_providers(*config);
    if (!options_.offline) look_at_endpoints(*config);
    return std::move(out_);
  }

 private:
  void add(State state, std::string what, std::string finding, std::string advice = {}) {
    out_.all.push_back({state, std::move(what), std::move(finding), std::move(advice)});
  }

  void look_at_store(const config::Config& config) {
    const auto key = environment_key();
    if (!key) {
      out_.problems.append(key.error());
      add(State::bad, "secrets", "the key cannot be used", "see the error");
      return;
    }
    const auto store = store::open_sqlite(config.home, {.key = *key});
    if (!store) {
      out_.problems.append(store.error());
      add(State::bad, "store", "cannot be used", "see the error");
      return;
    }
    const auto runs = (*store)->archive().runs().list({});
    const auto executions = (*store)->archive().executions().list({.limit = 1});
    if (!runs || !executions) {
      out_.problems.append(runs ? executions.error() : runs.error());
      add(State::bad, "store", "cannot be read", "see the error");
      return;
    }
    const auto counted = [](std::size_t total, std::string_view what) {
      return fmt::format("{}{} {}{}", total, total == store::kMostCounted ? " or more" : "", what,
                         total == 1 ? "" : "s");
    };
    add(State::good, "store",
        fmt::format("{}/vibecheck.db, {}, {}", config.home, counted(runs->total, "run"),
                    counted(executions->total, "execution")));
    const auto secrets = (*store)->archive().variables().secret_names();
    if (!secrets) {
      out_.problems.append(secrets.error());
      add(State::bad, "secrets", "cannot be read", "see the error");
      return;
    }
    if (secrets->empty()) return;
    const auto first = (*store)->vault().open(secrets->front());
    if (first) {
      add(State::good, "secrets", fmt::format("{} stored; the key decrypts them", secrets->size()));
    } else {
      out_.problems.append(first.error());
      add(State::bad, "secrets", "cannot be decrypted", "see the error");
    }
  }

  void look_at_server(const config::Config& config) {
    const auto url = remote::server_url(config.server);
    if (!url || options_.offline) {
      if (!url) out_.problems.append(url.error());
      return add(url ? State::good : State::bad, "server", url ? *url : config.server);
    }
    if (!config.api_key.empty() && remote::is_open_to_others(*url))
      add(State::bad, "server", fmt::format("the key goes to {} unencrypted", *url),
          "use `https://`: others on the network can read the key");
    auto server = remote::Server::open({*url, config.api_key}, config.models.client);
    const auto version = server ? (*server)->ask({.path = "/api/version"})
                                : base::Result<remote::Answer>(tl::unexpected(server.error()));
    if (!version) return add_problem("server", version.error());
    add(State::good, "server",
        fmt::format("{}, version {}", *url, base::printable(version->body.text_of("version"))));
    const auto account = (*server)->ask({.path = "/api/orginfo"});
    if (!account) return add_problem("key", account.error());
    add(State::good, "key",
        fmt::format("for {}, role {}", base::printable(account->body.text_of("name")),
                    base::printable(account->body.text_of("role"))));
  }

  void add_problem(std::string what, const base::Diagnostics& found) {
    const auto& first = found.all().front();
    add(State::bad, std::move(what), first.message, first.hint);
  }

  void look_at_providers(const config::Config& config) {
    bool any = false;
    for (const auto& row : model::providers()) {
      if (row.key_variable.empty()) continue;
      const bool is_set = config::variable(config, row.key_variable).has_value();
      any = any || is_set;
      add(is_set ? State::good : State::absent, std::string(row.name),
          fmt::format("{} is {}", row.key_variable, is_set ? "set" : "not set"));
    }
    if (!any)
      add(State::absent, "keys", "no provider key is set",
          fmt::format(
              "set one in the environment or in `{}/.env`; `exec:` and `replay:` models need none",
              config.home));
  }

  void look_at_endpoints(const config::Config& config) {
    const model::Models models(config.models);
    std::vector<Probe> probes;
    const auto add_probe = [&](const std::string& name, bool must_answer) {
      auto request = models.probe(name + "/any");
      if (request)
        probes.push_back({name, *std::move(request), must_answer});
      else
        out_.problems.append(request.error());
    };
    for (const auto& row : model::providers()) {
      const bool wants_key = !row.key_variable.empty();
      if (row.probe_path.empty() || (wants_key && !config::variable(config, row.key_variable)))
        continue;
      add_probe(std::string(row.name), wants_key);
    }
    for (const auto& endpoint : config.models.endpoints) add_probe(endpoint.name, true);
    if (probes.empty()) return;
    const auto client = model::HttpClient::open(config.models.client);
    if (!client) {
      out_.problems.append(client.error());
      add(State::bad, "endpoints", "cannot be checked", "see the error");
      return;
    }
    send(probes, options_.timeout, **client);
    for (const auto& probe : probes) out_.all.push_back(judge(probe));
  }

  const DoctorOptions& options_;
  Examination out_;
};

}  // namespace

bool Examination::healthy() const {
  return !problems.failed() && std::none_of(all.begin(), all.end(), [](const Examined& one) {
    return one.state == State::bad;
  });
}

Examination examine(const DoctorOptions& options) { return Doctor(options).run(); }

}  // namespace vibe::app
