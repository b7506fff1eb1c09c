#include "cli/open_store.h"

namespace vibe::cli {

tl::expected<app::Local, Exit> open_store(Terminal& terminal, app::Need need) {
  base::Diagnostics found;
  auto local = app::open_local(found, need);
  if (!local) return tl::unexpected(fail(found, terminal));
  terminal.show(found);
  return *std::move(local);
}

}  // namespace vibe::cli
