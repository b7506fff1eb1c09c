#include "store/archive.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::store {

using base::Code;

namespace {

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

}  // namespace

base::Result<void> check_variable(std::string_view name, std::string_view value) {
  if (name.empty() || name.size() > kMostNameBytes ||
      !std::all_of(name.begin(), name.end(), is_name_letter))
    return base::fail(
        Code::bad_usage, {}, fmt::format("`{}` cannot be a name", base::printable(name)),
        fmt::format("use up to {} letters, digits, `_`, `-` and `.`", kMostNameBytes));
  if (value.size() > kMostValueBytes)
    return base::fail(Code::bad_usage, {},
                      fmt::format("the value of `{}` is {} bytes long", name, value.size()),
                      fmt::format("the limit is {}", kMostValueBytes));
  return {};
}

base::Result<void> check_secret(std::string_view name, std::string_view value) {
  VIBE_TRY(check_variable(name, value));
  if (base::trim(value).empty())
    return base::fail(Code::bad_usage, {}, "the value of a secret cannot be empty",
                      fmt::format("`vibe delete secret {}` removes it", name));
  return {};
}

}  // namespace vibe::store
