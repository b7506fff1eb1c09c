#include "app/suites/values.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::app {

using base::Code;

namespace {

base::Result<std::vector<std::string>> names(store::Variables& stored, ValueKind kind) {
  if (kind == ValueKind::secret) return stored.secret_names();
  VIBE_TRY(const auto variables, stored.list());
  std::vector<std::string> out;
  for (const auto& one : variables) out.push_back(one.name);
  return out;
}

base::Diagnostics no_such_name(store::Variables& stored, ValueKind kind, std::string_view name) {
  const auto known = names(stored, kind).value_or(std::vector<std::string>());
  const std::vector<std::string_view> views(known.begin(), known.end());
  std::string hint = base::did_you_mean(base::nearest(name, views));
  if (hint.empty())
    hint = known.empty() ? fmt::format("`vibe set {} NAME VALUE` sets one", to_string(kind))
                         : fmt::format("`vibe get {}s` lists them", to_string(kind));
  base::Diagnostics out;
  out.add(Code::not_found, {},
          fmt::format("there is no {} `{}`", kind == ValueKind::variable ? "variable" : "secret",
                      base::printable(name)),
          std::move(hint));
  return out;
}

}  // namespace

std::string_view to_string(ValueKind kind) {
  switch (kind) {
    case ValueKind::variable: return "var";
    case ValueKind::secret: return "secret";
  }
  std::abort();
}

base::Result<bool> set_value(store::Variables& stored, ValueKind kind, std::string_view name,
                             std::string_view value) {
  if (base::first_invalid(value))
    return base::fail(Code::bad_usage, {}, "the value is not UTF-8 text");
  VIBE_TRY(const auto known, names(stored, kind));
  VIBE_TRY(kind == ValueKind::secret ? stored.set_secret(name, value) : stored.set(name, value));
  return std::find(known.begin(), known.end(), name) == known.end();
}

base::Result<void> delete_value(store::Variables& stored, ValueKind kind, std::string_view name) {
  VIBE_TRY(const auto deleted,
           kind == ValueKind::secret ? stored.remove_secret(name) : stored.remove(name));
  if (!deleted) return tl::unexpected(no_such_name(stored, kind, name));
  return {};
}

base::Result<std::string> variable_value(store::Variables& stored, std::string_view name) {
  VIBE_TRY(auto value, stored.find(name));
  if (!value) return tl::unexpected(no_such_name(stored, ValueKind::variable, name));
  return *std::move(value);
}

}  // namespace vibe::app
