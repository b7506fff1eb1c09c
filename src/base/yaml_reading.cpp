#include "base/yaml_reading.h"

#include <functional>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::base {

namespace {

constexpr std::size_t kMostSuggestions = 50;
constexpr std::size_t kMostQuoted = 40;  // code points

}  // namespace

void YamlReading::add(Code code, Where where, std::string message, std::string hint) {
  std::size_t key = std::hash<std::string>{}(message);
  for (const std::size_t part :
       {static_cast<std::size_t>(code), static_cast<std::size_t>(where.span.begin),
        static_cast<std::size_t>(where.span.end), std::hash<const void*>{}(where.source.get())})
    key = (key ^ part) * 0x9e3779b97f4a7c15u + (key >> 29);
  if (!reported_.insert(key).second) return;
  auto& out = severity_of(code) == Severity::error ? errors_ : remarks_;
  out.add(code, std::move(where), std::move(message), std::move(hint));
}

void YamlReading::add(Code code, Span span, std::string message, std::string hint) {
  add(code, Where{document_.source(), span}, std::move(message), std::move(hint));
}

bool YamlReading::take_room(std::size_t bytes, Span span) {
  if (bytes > kMaxTextBytes - text_bytes_) {
    text_bytes_ = kMaxTextBytes;
    if (!out_of_room_)
      add(Code::alias_limit, span,
          fmt::format("the strings in this file take more than {} MiB with all aliases expanded",
                      kMaxTextBytes >> 20),
          "use fewer aliases, or alias shorter strings");
    out_of_room_ = true;
    return false;
  }
  text_bytes_ += bytes;
  return true;
}

std::string YamlReading::copy(const YamlNode& scalar) {
  if (!take_room(scalar.text.size(), scalar.span)) return {};
  return std::string(scalar.text);
}

std::string YamlReading::text(const YamlNode& scalar) {
  std::string copied = copy(scalar);
  if (on_text && copied.size() == scalar.text.size()) on_text(scalar);
  return copied;
}

bool YamlReading::may_suggest() { return suggestions_++ < kMostSuggestions; }

std::string quoted(std::string_view text) {
  std::string out = "`";
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    if (count == kMostQuoted) {
      out += "…";
      break;
    }
    const auto point = decode(text, at);
    if (point.value < 0x20 || point.value == 0x7f)
      out += ' ';
    else
      out += text.substr(at, point.length);
    at += point.length;
  }
  return out += '`';
}

}  // namespace vibe::base
