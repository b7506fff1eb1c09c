#include "model/open.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "model/embedders.h"
#include "model/local.h"
#include "model/provider.h"

namespace vibe::model {

namespace {

constexpr std::string_view kOllamaName = "ollama", kOpenrouterName = "openrouter";

constexpr std::array<std::string_view, 4> kSampling{"max_tokens", "seed", "temperature", "top_p"};
constexpr std::array<std::string_view, 3> kSamplingWithoutSeed{"max_tokens", "temperature",
                                                               "top_p"};

constexpr std::array kProviders{
    ProviderRow{.name = "openai",
                .form = "openai/NAME",
                .key_variable = "OPENAI_API_KEY",
                .url_variable = "OPENAI_BASE_URL",
                .base_url = "https://api.openai.com/v1",
                .summary = "OpenAI's chat completions",
                .probe_path = "/models",
                .embeddings_path = "/embeddings",
                .protocol = &kOpenai,
                .takes_tools = true,
                .parameters = kSampling},
    ProviderRow{.name = "anthropic",
                .form = "anthropic/NAME",
                .key_variable = "ANTHROPIC_API_KEY",
                .url_variable = "ANTHROPIC_BASE_URL",
                .base_url = "https://api.anthropic.com",
                .summary = "Anthropic's messages",
                .probe_path = "/v1/models",
                .protocol = &kAnthropic,
                .takes_tools = true,
                .parameters = kSamplingWithoutSeed,
                .own_name = anthropic_name},
    ProviderRow{.name = kOllamaName,
                .form = "ollama/NAME",
                .key_variable = "",
                .url_variable = "OLLAMA_HOST",
                .base_url = "http://127.0.0.1:11434",
                .summary = "models that Ollama runs",
                .probe_path = "/api/tags",
                .embeddings_path = "/v1/embeddings",
                .protocol = &kOllama,
                .is_free = true,
                .takes_tools = true,
                .parameters = kSampling},
    ProviderRow{.name = kOpenrouterName,
                .form = "PROVIDER/NAME",
                .key_variable = "OPENROUTER_API_KEY",
                .url_variable = "OPENROUTER_BASE_URL",
                .base_url = "https://openrouter.ai/api/v1",
                .summary = "OpenRouter, for other providers and those whose key is not set",
                .probe_path = "/key",
                .embeddings_path = "/embeddings",
                .protocol = &kOpenrouter,
                .states_cost = true,
                .takes_tools = true,
                .parameters = kSampling},
    ProviderRow{.name = "http",
                .form = "http:NAME",
                .key_variable = "",
                .url_variable = "",
                .base_url = "",
                .summary = "your own endpoint, from the configuration",
                .probe_path = "",
                .open = open_http_endpoint},
    ProviderRow{.name = "exec",
                .form = "exec:COMMAND",
                .key_variable = "",
                .url_variable = "",
                .base_url = "",
                .summary = "a local program: prompt on standard input, answer on standard output",
                .probe_path = "",
                .open = open_exec},
    ProviderRow{.name = "replay",
                .form = "replay:FILE",
                .key_variable = "",
                .url_variable = "",
                .base_url = "",
                .summary = "a recording made with `--record FILE`",
                .probe_path = "",
                .open = open_replay,
                .takes_tools = true},
};

const ProviderRow* find_row(std::string_view name) {
  const auto row = std::find_if(kProviders.begin(), kProviders.end(),
                                [&](const ProviderRow& each) { return each.name == name; });
  return row == kProviders.end() ? nullptr : &*row;
}

tl::unexpected<base::Diagnostics> bad_config(const std::string& message, std::string hint) {
  return base::fail(base::Code::bad_config, {}, message, std::move(hint));
}

// Reads OLLAMA_HOST as Ollama does: scheme, port and path are optional.
std::string ollama_url(std::string_view host) {
  std::string_view scheme = "http", port = "11434";
  if (const auto at = host.find("://"); at != std::string_view::npos) {
    scheme = host.substr(0, at);
    host.remove_prefix(at + 3);
    port = scheme == "https" ? "443" : "80";
  }
  const auto slash = std::min(host.find('/'), host.size());
  const std::string_view path = host.substr(slash);
  host = host.substr(0, slash);
  // The last colon starts a port unless it belongs to an IPv6 address.
  const auto colon = host.rfind(':');
  const bool is_bare_v6 = host.find(':') != colon && !host.starts_with('[');
  if (colon != std::string_view::npos && !is_bare_v6 &&
      host.find(']', colon) == std::string_view::npos) {
    if (colon + 1 < host.size()) port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.empty()) host = "127.0.0.1";
  const bool brackets = is_bare_v6;
  return fmt::format("{}://{}{}{}:{}{}", scheme, brackets ? "[" : "", host, brackets ? "]" : "",
                     port, path);
}

// What a model's name resolves to.
struct Plan {
  const ProviderRow* row = nullptr;
  const Endpoint* endpoint = nullptr;  // a configured one, which takes precedence over the row
  std::string rest;                    // the service's name for the model; what follows `exec:`
  std::string key_variable, key, base_url;

  std::string_view provider() const { return endpoint ? endpoint->name : row->name; }
};

class Planner {
 public:
  Planner(const Settings& settings, std::string_view name) : settings_(settings), name_(name) {}

  base::Result<Plan> plan() const {
    const auto cut = name_.find_first_of(":/");
    if (cut == std::string_view::npos || cut == 0) return not_understood();
    const std::string_view first = name_.substr(0, cut), rest = name_.substr(cut + 1);
    if (name_[cut] == ':') {
      const ProviderRow* row = find_row(first);
      if (!row || !row->open) return not_understood();
      Plan out;
      out.row = row;
      out.rest = rest;
      return out;
    }
    if (base::trim(rest).empty()) return not_understood();
    for (const Endpoint& endpoint : settings_.endpoints)
      if (endpoint.name == first) return to_endpoint(endpoint, rest);
    const ProviderRow* row = find_row(first);
    if (!row || !row->protocol) return to_openrouter(rest);
    if (row->name == kOpenrouterName) return to_openrouter(rest);
    if (!row->key_variable.empty() && !variable(row->key_variable) &&
        variable(find_row(kOpenrouterName)->key_variable))
      return to_openrouter(rest);
    return to_row(*row, rest);
  }

 private:
  base::Result<Plan> not_understood() const {
    return base::fail(base::Code::unknown_model, {},
                      fmt::format("`{}` is not a model name", shown(name_)),
                      "write `provider/model`, such as `openai/gpt-4o-mini`, or `http:NAME`, "
                      "`exec:COMMAND`, `replay:FILE`");
  }

  base::Result<Plan> not_there(const ProviderRow& row) const {
    return base::fail(
        base::Code::unknown_model, {},
        fmt::format("`{}` is an OpenRouter name; `{}` has no model with that name", shown(name_),
                    row.name),
        fmt::format("`vibe get models {}/` lists its models; or set {} and write `{}/{}`", row.name,
                    find_row(kOpenrouterName)->key_variable, kOpenrouterName, shown(name_)));
  }

  base::Result<Plan> to_row(const ProviderRow& row, std::string_view model) const {
    Plan out;
    out.row = &row;
    auto url = variable(row.url_variable);
    // A service at another URL may have its own names.
    out.rest = row.own_name && !url ? row.own_name(model) : std::string(model);
    if (out.rest.empty()) return not_there(row);
    out.key_variable = row.key_variable;
    if (url && row.name == kOllamaName) url = ollama_url(*url);
    if (auto problem = set_url(out, url.value_or(std::string(row.base_url)), row.url_variable))
      return tl::unexpected(*std::move(problem));
    return with_key(std::move(out));
  }

  // `openai/gpt-4o` and `openrouter/openai/gpt-4o` are the same model there; `openrouter/auto` is
  // OpenRouter's own.
  base::Result<Plan> to_openrouter(std::string_view rest) const {
    const ProviderRow& row = *find_row(kOpenrouterName);
    const bool is_named =
        name_.starts_with(kOpenrouterName) && name_[kOpenrouterName.size()] == '/';
    return to_row(row, is_named && rest.find('/') != std::string_view::npos ? rest : name_);
  }

  base::Result<Plan> to_endpoint(const Endpoint& endpoint, std::string_view model) const {
    Plan out;
    out.row = find_row("openai");
    out.endpoint = &endpoint;
    out.rest = model;
    out.key_variable = endpoint.key_variable;
    if (auto problem = set_url(out, endpoint.base_url, "base_url"))
      return tl::unexpected(*std::move(problem));
    return with_key(std::move(out));
  }

  static std::optional<base::Diagnostics> set_url(Plan& plan, std::string url,
                                                  std::string_view where) {
    while (url.ends_with('/')) url.pop_back();
    if (!base::is_http_url(url) || url.find_first_of("?#") != std::string::npos) {
      const std::string of =
          plan.endpoint ? fmt::format(" of the endpoint `{}`", plan.endpoint->name) : "";
      return bad_config(
                 fmt::format("`{}`{} is `{}`, which is not an address", where, of, shown(url)),
                 "start it with `http://` or `https://`")
          .value();
    }
    plan.base_url = std::move(url);
    return std::nullopt;
  }

  static bool can_be_sent(std::string_view key) {
    return std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  }

  base::Result<Plan> with_key(Plan plan) const {
    if (plan.key_variable.empty()) return plan;
    plan.key = variable(plan.key_variable).value_or("");
    if (!can_be_sent(plan.key))
      return bad_config(
          fmt::format("`{}` contains characters that are not allowed in a key", plan.key_variable),
          "look for spaces, quotes or line breaks in it");
    return plan;
  }

  std::optional<std::string> variable(std::string_view name) const {
    const auto value =
        name.empty() || !settings_.variable ? std::nullopt : settings_.variable(name);
    if (!value) return std::nullopt;
    const std::string_view trimmed = base::trim(*value);
    return trimmed.empty() ? std::nullopt : std::optional<std::string>(trimmed);
  }

  const Settings& settings_;
  std::string_view name_;
};

tl::unexpected<base::Diagnostics> no_key(const std::string& name, const Plan& plan) {
  constexpr std::string_view kWhere = "in the environment or in `~/.vibecheck/.env`";
  const ProviderRow& router = *find_row(kOpenrouterName);
  const std::string_view first = std::string_view(name).substr(0, name.find('/'));
  std::string hint;
  if (plan.endpoint) {
    hint = fmt::format("set {}, {}", plan.key_variable, kWhere);
  } else if (plan.row->name == router.name) {
    hint =
        fmt::format("set {}, {}, or configure an endpoint named `{}` in `~/.vibecheck/config.yaml`",
                    plan.key_variable, kWhere, shown(first));
    std::vector<std::string_view> names;
    for (const ProviderRow& row : kProviders)
      if (row.protocol && row.name != router.name && row.name != first) names.push_back(row.name);
    if (const auto near = base::did_you_mean(base::nearest(first, names)); !near.empty())
      hint = fmt::format("{} else {}", near, hint);
  } else {
    hint = fmt::format("set {}, or {} to reach it through OpenRouter, {}", plan.key_variable,
                       router.key_variable, kWhere);
  }
  const bool by_router = !plan.endpoint && plan.row->name == router.name;
  return base::fail(
      base::Code::missing_credential, {},
      fmt::format("`{}`{} needs a key, and `{}` is not set", shown(name),
                  by_router ? " is reached through OpenRouter, which" : "", plan.key_variable),
      std::move(hint));
}

std::optional<price::Price> find_price(const Settings& settings, const std::string& name,
                                       const Plan& plan) {
  return settings.prices.find(plan.row->name == kOpenrouterName ? plan.rest : name,
                              plan.provider());
}

tl::unexpected<base::Diagnostics> no_embeddings(const std::string& message) {
  return base::fail(base::Code::unknown_model, {}, message,
                    "write `local`, or `provider/model`, such as `openai/text-embedding-3-small`");
}

}  // namespace

std::span<const ProviderRow> providers() { return kProviders; }

base::Result<std::unique_ptr<HttpClient>> make_client(const Settings& settings) {
  return settings.make_client ? settings.make_client(settings.client)
                              : HttpClient::open(settings.client);
}

base::Result<Opened> Models::open(const std::string& name) const {
  VIBE_TRY(auto plan, Planner(settings_, name).plan());
  const ProviderRow& row = *plan.row;
  if (row.open) {
    auto opened = row.open(settings_, plan.rest);
    if (opened && opened->name.empty()) opened->name = name;
    if (opened) opened->takes_tools = row.takes_tools;
    return opened;
  }
  if (!plan.key_variable.empty() && plan.key.empty()) return no_key(name, plan);
  VIBE_TRY(auto client, make_client(settings_));

  Opened opened;
  opened.name = name;
  opened.price = find_price(settings_, name, plan);
  opened.states_cost = row.states_cost;
  opened.is_free = row.is_free;
  opened.takes_tools = row.takes_tools;
  if (!plan.key.empty()) opened.keys.push_back(plan.key);
  const Target target{plan.base_url, plan.key, plan.rest};
  Exchange exchange{[target, protocol = row.protocol](const Request& request) {
                      return protocol->encode(target, request);
                    },
                    row.protocol->decode};
  opened.model = make_http_model(std::move(exchange), {opened.price, row.is_free}, opened.keys,
                                 std::move(client));
  return opened;
}

base::Result<OpenedEmbedder> Models::open_embedder(const std::string& name) const {
  if (name.empty() || name == kLocalEmbedder)
    return OpenedEmbedder{make_local_embedder(), std::string(kLocalEmbedder), {}};
  if (name.find_first_of(":/") == std::string::npos)
    return no_embeddings(fmt::format("`{}` is not an embedder", shown(name)));
  VIBE_TRY(auto plan, Planner(settings_, name).plan());
  const ProviderRow& row = *plan.row;
  if (row.embeddings_path.empty())
    return no_embeddings(fmt::format("`{}` does not offer embeddings", shown(name)));
  if (!plan.key_variable.empty() && plan.key.empty()) return no_key(name, plan);
  VIBE_TRY(auto client, make_client(settings_));

  OpenedEmbedder opened;
  opened.name = name;
  if (!plan.key.empty()) opened.keys.push_back(plan.key);
  opened.embedder = make_openai_embedder(
      plan.base_url + std::string(row.embeddings_path), {plan.base_url, plan.key, plan.rest},
      {find_price(settings_, name, plan), row.is_free}, opened.keys, std::move(client));
  return opened;
}

base::Result<void> check_takes_tools(const Opened& opened) {
  if (opened.takes_tools) return {};
  std::vector<std::string_view> forms;
  for (const ProviderRow& row : kProviders)
    if (row.takes_tools) forms.push_back(row.form);
  return base::fail(base::Code::no_tools, {},
                    fmt::format("`{}` cannot use tools: it answers with text, never with calls",
                                shown(opened.name)),
                    fmt::format("models that can use tools are `{}`, and all under `endpoints`",
                                fmt::join(forms, "`, `")));
}

base::Result<Models::Route> Models::route(std::string_view name) const {
  VIBE_TRY(const auto plan, Planner(settings_, name).plan());
  Route out{std::string(plan.provider()), plan.key_variable, !plan.key.empty(), plan.base_url,
            plan.rest};
  const ProviderRow& row = *plan.row;
  out.parameters.assign(row.parameters.begin(), row.parameters.end());
  if (row.takes_tools) out.parameters.emplace_back("tools");
  std::sort(out.parameters.begin(), out.parameters.end());
  return out;
}

base::Result<HttpRequest> Models::probe(const std::string& name) const {
  VIBE_TRY(const auto plan, Planner(settings_, name).plan());
  if (plan.row->open)
    return base::fail(base::Code::unknown_model, {},
                      fmt::format("`{}` has no service", shown(name)));
  if (!plan.key_variable.empty() && plan.key.empty()) return no_key(name, plan);
  // The same headers as any other request.
  auto encoded = plan.row->protocol->encode({plan.base_url, plan.key, plan.rest}, Request{});
  HttpRequest out;
  if (encoded) out.headers = std::move(encoded->headers);
  out.method = "GET";
  out.url = plan.base_url + std::string(plan.row->probe_path);
  return out;
}

}  // namespace vibe::model
