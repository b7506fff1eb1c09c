#include "app/server_folder.h"

#include <fmt/format.h>

#include "config/config.h"
#include "store/sqlite_directory.h"

namespace vibe::app {

std::optional<ServerFolder> open_server_folder(Missing missing, base::Diagnostics& out) {
  auto home = config::home(out);
  if (!home) return std::nullopt;
  if (missing == Missing::is_an_error && !store::has_directory(*home)) {
    out.add(base::Code::not_found, {}, fmt::format("no server was set up in `{}` yet", *home),
            "run `vibe serve` or `vibe orgs create NAME` first, or set `VIBECHECK_HOME` to the "
            "folder of the server");
    return std::nullopt;
  }
  auto directory = store::open_directory(*home);
  if (!directory) {
    out.append(directory.error());
    return std::nullopt;
  }
  return ServerFolder{*std::move(home), *std::move(directory)};
}

}  // namespace vibe::app
