// Target: what a request line asks for, taken apart: `/api/runs?limit=5`. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vibe::server {

struct Target {
  std::string path;                   // as it was sent, without the query; `//` is `/`
  std::vector<std::string> segments;  // of the path, decoded: an encoded `/` does not separate
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order

  std::optional<std::string> get(std::string_view name) const;  // of equal ones the last
};

// What stands neither in a target nor in a header: C0 and DEL.
constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// None where it is malformed: a bad `%`, a NUL or a control character, `.` or `..` as a segment,
// bytes that are not UTF-8.
std::optional<Target> read_target(std::string_view raw);

}  // namespace vibe::server
