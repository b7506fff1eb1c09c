#include "app/runs/list_models.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "app/workspace.h"
#include "model/open.h"
#include "remote/models.h"

namespace vibe::app {

namespace {

constexpr std::string_view kRouter = "openrouter";

bool is_set(const config::Config& config, std::string_view variable) {
  return !variable.empty() && config::variable(config, variable).has_value();
}

std::vector<model::ModelForm> forms(const config::Config& config) {
  std::vector<model::ModelForm> out;
  for (const auto& endpoint : config.models.endpoints)
    out.push_back({endpoint.name + "/NAME", "your endpoint " + endpoint.base_url,
                   endpoint.key_variable, is_set(config, endpoint.key_variable)});
  for (const auto& endpoint : config.models.http)
    out.push_back({"http:" + endpoint.name, "your endpoint " + endpoint.url, "", false});
  for (const auto& row : model::providers())
    out.push_back({std::string(row.form), std::string(row.summary), std::string(row.key_variable),
                   is_set(config, row.key_variable)});
  return out;
}

// OpenAI models with token prices that cannot chat.
constexpr std::array<std::string_view, 13> kNoChat{
    "ada",      "babbage",       "curie",    "davinci",    "text-davinci-*",
    "*-audio*", "*-embedding-*", "*-image*", "*-instruct", "*-realtime*",
    "whisper*", "*-transcribe*", "*-tts*"};

bool is_chat(std::string_view provider, std::string_view name) {
  return provider != "openai" ||
         std::none_of(kNoChat.begin(), kNoChat.end(),
                      [&](std::string_view pattern) { return price::fits(pattern, name); });
}

void add_route(model::KnownModel& known, const model::Models& models) {
  const auto route = models.route(known.row.id);
  if (!route) return;
  known.provider = route->provider;
  known.key_variable = route->key_variable;
  known.key_set = route->key_set;
  known.parameters = route->parameters;
  const std::string& id = known.row.id;
  const bool is_own = !price::PriceTable::is_sold(id);  // a row of the user
  const bool is_sold = is_own || price::PriceTable::is_sold(id, route->provider);
  // `claude-3.5-sonnet` is OpenRouter's name, but an Anthropic key also reaches that model.
  const std::string_view name = std::string_view(id).substr(id.find('/') + 1);
  if (!is_sold && route->model != name && route->model != id)
    known.same_as = fmt::format("{}/{}", route->provider, route->model);
  // Only OpenRouter has variants such as `gpt-4o:extended`.
  const bool is_variant = !is_own && name.find(':') != name.npos && route->provider != kRouter;
  known.runnable = (known.key_variable.empty() || known.key_set) &&
                   (is_sold || !known.same_as.empty()) && !is_variant &&
                   is_chat(route->provider, name);
}

}  // namespace

model::ModelList list_models(const config::Config& config, std::string_view pattern, Which which) {
  model::ModelList out;
  const bool is_part = pattern.find_first_of("*?") == std::string_view::npos;
  const std::string wanted = is_part ? fmt::format("*{}*", pattern) : std::string(pattern);
  const model::Models models(config.models);
  for (const auto& row : config.models.prices.models()) {
    if (!price::fits(wanted, row.id)) continue;
    model::KnownModel known;
    known.row = row;
    add_route(known, models);
    if (which == Which::all || (known.runnable && known.same_as.empty()))
      out.models.push_back(std::move(known));
  }
  out.forms = forms(config);
  out.date = price::PriceTable::date();
  out.origin = price::PriceTable::origin();
  return out;
}

std::optional<model::ModelList> find_models(const config::Config& config, std::string_view pattern,
                                            base::Diagnostics& out) {
  if (config.server.empty()) return list_models(config, pattern);
  const auto server = open_server(config, out);
  if (!server) return std::nullopt;
  auto list = remote::list_models(*server, pattern);
  if (list) return *std::move(list);
  out.append(list.error());
  return std::nullopt;
}

}  // namespace vibe::app
