#include "app/local.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::app {

base::Result<void> permit_model(std::string_view name, const Permissions& permissions) {
  const bool is_local = name.starts_with("exec:") || name.starts_with("replay:");
  if (permissions.any_model || !is_local ||
      std::ranges::find(permissions.local_models, name) != permissions.local_models.end())
    return {};
  return base::fail(
      base::Code::not_permitted, {},
      fmt::format("suites on this server may not use the model `{}`", base::printable(name)),
      "the operator can allow it in `serve: local_models`");
}

}  // namespace vibe::app
