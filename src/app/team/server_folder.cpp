#include "app/team/server_folder.h"

#include <fmt/format.h>

#include "config/config.h"
#include "store/sqlite.h"

namespace vibe::app {

std::optional<ServerFolder> open_server_folder(FolderUse use, base::Diagnostics& out) {
  auto home = config::home(out);
  if (!home) return std::nullopt;
  if (use != FolderUse::make && !store::has_directory(*home)) {
    out.add(base::Code::not_found, {}, fmt::format("there is no server in `{}` yet", *home),
            "run `vibe serve` or `vibe orgs create NAME` first, or set `VIBECHECK_HOME` to the "
            "server's folder");
    return std::nullopt;
  }
  auto directory = store::open_directory(*home);
  if (!directory && use == FolderUse::read && directory.error().has(base::Code::store_unusable))
    directory = store::open_directory(*home, store::Access::read_only);
  if (failed(directory, out)) return std::nullopt;
  return ServerFolder{*std::move(home), *std::move(directory)};
}

}  // namespace vibe::app
