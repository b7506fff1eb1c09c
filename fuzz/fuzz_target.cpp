// Any bytes as the target of a request line: the parsed parts are safe text, and the path parses to
// the same again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "server/http_answer.h"
#include "server/target.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_clean(std::string_view text) {
  return !vibe::base::first_invalid(text) && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view raw(reinterpret_cast<const char*>(data), size);
  (void)vibe::server::accepts_gzip(raw);
  const auto target = vibe::server::read_target(raw);
  if (!target) return 0;
  require(target->path.starts_with('/') && target->path.find("//") == std::string_view::npos);
  for (const auto& segment : target->segments)
    require(is_clean(segment) && !segment.empty() && segment != "." && segment != "..");
  for (const auto& [name, value] : target->query) {
    require(is_clean(name) && is_clean(value));
    require(target->get(name).has_value());
  }
  const auto again = vibe::server::read_target(target->path);
  require(again && again->path == target->path && again->segments == target->segments);
  return 0;
}
