#include "app/local.h"

#include "base/time.h"
#include "store/sqlite.h"

namespace vibe::app {

std::optional<Local> open_local(base::Diagnostics& out) {
  auto config = config::load(out);
  if (!config) return std::nullopt;
  auto store = store::open_sqlite(config->home);
  if (!store) {
    out.append(store.error());
    return std::nullopt;
  }
  if (const auto marked = (*store)->mark_interrupted(base::now_millis()); !marked) {
    out.append(marked.error());
    return std::nullopt;
  }
  return Local{*std::move(config), *std::move(store)};
}

}  // namespace vibe::app
