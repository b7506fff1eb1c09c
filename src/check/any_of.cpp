// `or`: any of its checks passes.
#include <fmt/format.h>

#include "check/checks.h"

namespace vibe::check {

std::optional<Arguments> read_any_of(const CheckKind& kind, const base::YamlNode& value,
                                     Reading& reading) {
  if (value.kind != base::YamlNode::Kind::list) {
    report_type(quoted(kind.name), value, "a list of checks", reading,
                fmt::format("write `{}`", kind.example));
    return std::nullopt;
  }
  if (value.items.empty()) {
    reading.add(base::Code::empty_list, value, "`or` has no checks");
    return std::nullopt;
  }
  AnyOf out;
  for (const base::YamlNode* item : value.items) {
    Alternative alternative;
    if (read_check_item(*item, reading, alternative.all))
      out.alternatives.push_back(std::move(alternative));
  }
  return out;
}

}  // namespace vibe::check
