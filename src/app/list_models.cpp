#include "app/list_models.h"

#include <fmt/format.h>

#include "app/local.h"
#include "model/open.h"
#include "remote/models.h"

namespace vibe::app {

namespace {

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

}  // namespace

model::ModelList list_models(const config::Config& config, std::string_view pattern) {
  model::ModelList out;
  const bool is_part = pattern.find_first_of("*?") == std::string_view::npos;
  const std::string wanted = is_part ? fmt::format("*{}*", pattern) : std::string(pattern);
  const model::Models models(config.models);
  for (const auto& row : config.models.prices.models()) {
    if (!price::fits(wanted, row.id)) continue;
    model::KnownModel& known = out.models.emplace_back();
    known.row = row;
    if (const auto route = models.route(row.id)) {
      known.provider = route->provider;
      known.key_variable = route->key_variable;
      known.key_set = route->key_set;
    }
  }
  out.forms = forms(config);
  out.date = price::PriceTable::date();
  out.origin = price::PriceTable::origin();
  return out;
}

std::optional<model::ModelList> find_models(const config::Config& config, std::string_view pattern,
                                            base::Diagnostics& out) {
  if (config.server.empty()) return list_models(config, pattern);
  const auto local = open_local(out);
  if (!local) return std::nullopt;
  auto list = remote::list_models(*local->server, pattern);
  if (list) return *std::move(list);
  out.append(list.error());
  return std::nullopt;
}

}  // namespace vibe::app
