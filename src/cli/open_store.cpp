#include "cli/open_store.h"

namespace vibe::cli {

tl::expected<app::Local, Exit> open_store(Terminal& terminal) {
  base::Diagnostics found;
  auto local = app::open_local(found);
  if (!local) return tl::unexpected(fail(found, terminal));
  terminal.show(found);
  return *std::move(local);
}

}  // namespace vibe::cli
