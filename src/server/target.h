// Target: the parsed target of a request line: `/api/runs?limit=5`. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vibe::server {

struct Target {
  std::string path;                   // as sent, without the query; `//` becomes `/`
  std::vector<std::string> segments;  // path segments, decoded: an encoded `/` does not separate
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order

  std::optional<std::string> get(std::string_view name) const;  // the last one if repeated
};

// C0 and DEL: not allowed in a target or a header.
constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// None if it is malformed: a bad `%`, a NUL or a control character, `.` or `..` as a segment, or
// bytes that are not UTF-8.
std::optional<Target> read_target(std::string_view raw);

}  // namespace vibe::server
