// Any bytes as a configuration file, a project's file and `.env`: never a crash, every diagnostic
// points into its text and can be rendered, and a project's file cannot set where data is sent or
// anything about a server.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "config/env_file.h"
#include "config/settings.h"

namespace {

using namespace vibe;

void require(bool holds) {
  if (!holds) std::abort();
}

void look_at(const base::Diagnostics& found) {
  for (const auto& one : found.all()) {
    require(one.source != nullptr && !one.message.empty());
    require(one.span.begin <= one.span.end && one.span.end <= one.source->text().size());
    require(!base::render(one).empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const auto place : {config::Place::home, config::Place::project}) {
    base::Diagnostics found;
    const auto settings =
        config::read_settings(base::make_source("config.yaml", text), place, found);
    look_at(found);
    if (place == config::Place::project)
      require(settings.endpoints.empty() && settings.http.empty() && !settings.serve);
    const price::PriceTable prices(settings.prices);
    if (!found.failed())
      for (const auto& row : settings.prices) require(prices.find(row.id).has_value());
  }
  base::Diagnostics found;
  for (const auto& [name, value] : config::read_env_file(".env", text, found)) {
    require(base::is_variable_name(name));
    require(value.size() <= text.size());
  }
  look_at(found);
  return 0;
}
