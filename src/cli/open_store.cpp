#include "cli/open_store.h"

namespace vibe::cli {

tl::expected<std::unique_ptr<app::Workspace>, Exit> open_store(Terminal& terminal, app::Need need) {
  base::Diagnostics found;
  auto workspace = app::open_workspace(found, terminal.overrides, need);
  if (!workspace) return tl::unexpected(fail(found, terminal));
  terminal.show(found);
  return workspace;
}

}  // namespace vibe::cli
