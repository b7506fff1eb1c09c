#include "store/json.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace vibe::store {

using base::JsonWriter;

namespace {

// Reads named values as written here, if nothing in them is escaped: lists of runs have hundreds of
// them. The parser reads everything else.
class PlainValues {
 public:
  explicit PlainValues(std::string_view text) : rest_(text) {}

  // None: the text is different.
  std::optional<std::vector<score::NamedValue>> read() {
    std::vector<score::NamedValue> out;
    if (rest_.find('\\') != rest_.npos || !skip("[")) return std::nullopt;
    out.reserve(rest_.size() / kUsualBytes + 1);
    do {
      if (!skip("{\"name\":") || !read_text(out.emplace_back().name)) return std::nullopt;
      if (skip(",\"formula\":") && !read_text(out.back().formula)) return std::nullopt;
      if (skip(",\"value\":") && !read_number(out.back().value.emplace())) return std::nullopt;
      if (skip(",\"error\":") && !read_text(out.back().error)) return std::nullopt;
      if (!skip("}")) return std::nullopt;
    } while (skip(","));
    return rest_ == "]" ? std::optional(std::move(out)) : std::nullopt;
  }

 private:
  static constexpr std::size_t kUsualBytes = 32;  // least size of a value

  bool skip(std::string_view what) {
    const bool there = rest_.starts_with(what);
    if (there) rest_.remove_prefix(what.size());
    return there;
  }

  bool read_text(std::string& out) {
    if (!skip("\"")) return false;
    const std::size_t size = std::min(rest_.find('"'), rest_.size());
    out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return skip("\"");
  }

  bool read_number(double& out) {
    const char* const begin = rest_.data();
    const std::size_t first = rest_.starts_with('-') ? 1 : 0;  // not `inf`, not `nan`
    if (first >= rest_.size() || rest_[first] < '0' || rest_[first] > '9') return false;
    const auto read = std::from_chars(begin, begin + rest_.size(), out);
    if (read.ec != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - begin));
    return true;
  }

  std::string_view rest_;
};

}  // namespace

bool read_json(std::string_view text, std::vector<score::NamedValue>& out) {
  if (auto plain = PlainValues(text).read()) {
    out = *std::move(plain);
    return true;
  }
  return read_json<score::NamedValue>(text, out);
}

std::string to_json(const fitness::SignalFigures& signals) {
  JsonWriter json;
  json.begin_object();
  for (std::size_t i = 0; i < signals.size(); ++i)
    if (signals[i]) json.key(fitness::kSignals[i].name).number(*signals[i]);
  return json.end_object().text();
}

bool read_json(std::string_view text, fitness::SignalFigures& out) {
  const auto object = base::parse_json(text);
  if (!object || !object->object()) return false;
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = object->number_of(fitness::kSignals[i].name);
  return true;
}

}  // namespace vibe::store
