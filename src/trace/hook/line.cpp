#include "trace/hook/line.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "base/json.h"
#include "base/lines.h"
#include "base/text.h"
#include "base/time.h"
#include "trace/errors.h"
#include "trace/json.h"

namespace vibe::trace {

namespace {

// The reader needs the whole text of these.
constexpr std::array<std::string_view, 2> kWhole{"last_assistant_message", "prompt"};

constexpr std::size_t kMostScalar = 64;  // bytes of a number

std::uint64_t stable_hash(std::string_view text) {  // FNV-1a: the same on every machine
  std::uint64_t out = 0xCBF29CE484222325u;
  for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return out;
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The line with an error pattern, or the part of it that still matches; empty: no line matches.
std::string_view error_line(std::string_view text, const ErrorPatterns& errors) {
  constexpr std::size_t kMost = 500;
  while (!text.empty()) {
    const std::string_view line = base::next_line(text);
    if (!errors.find(line)) continue;
    if (line.size() <= kMost || errors.find(line.substr(0, kMost))) return line.substr(0, kMost);
    std::size_t without = kMost, with = line.size();  // lengths: no match, match
    while (with - without > 1) {
      const std::size_t middle = without + (with - without) / 2;
      (errors.find(line.substr(0, middle)) ? with : without) = middle;
    }
    return line.substr(with - kMost, kMost);
  }
  return {};
}

// Keeps the beginning and the end. Texts that differ only in the middle still differ, because of
// the hash. A text matches an error pattern if and only if it did before: the part after the mark
// does not begin a line.
std::string cut_hook_text(std::string_view text, GetPatterns get_errors) {
  constexpr std::size_t kHalf = kMostHookText / 2;
  if (text.size() <= kMostHookText) return std::string(text);
  std::size_t begin = kHalf, end = text.size() - kHalf;
  while (begin > 0 && continues(text[begin])) --begin;
  while (end < text.size() && continues(text[end])) ++end;
  const std::string_view left_out = text.substr(begin, end - begin);
  const std::string_view head = text.substr(0, begin), tail = text.substr(end);
  std::string out = fmt::format("{}\n… {} bytes left out ({:016x}) …{}", head, left_out.size(),
                                stable_hash(left_out), tail);
  const ErrorPatterns& errors = get_errors();
  if (errors.find(text) && !errors.find(out))
    out = fmt::format("{}\n{}\n… {} bytes left out ({:016x}) …{}", head, error_line(text, errors),
                      left_out.size(), stable_hash(left_out), tail);
  return out;
}

class HookWriter {
 public:
  explicit HookWriter(GetPatterns errors) : errors_(errors) {}

  std::string event(Json payload, Time now) {
    json_.begin_object();
    if (!payload["timestamp"].there()) json_.key("timestamp").string(base::iso_micros(now));
    payload.members([&](std::string_view key, Json value) {
      json_.key(key);
      const bool whole = std::find(kWhole.begin(), kWhole.end(), key) != kWhole.end();
      if (whole && value.text())
        json_.string(*value.text());
      else if (key == "tool_response" && value.text())
        json_.string(response(*value.text()));
      else
        write(value);
    });
    json_.end_object();
    return json_.text();
  }

 private:
  // The reader parses a response that is JSON inside a text.
  std::string response(std::string_view text) const {
    const std::string_view trimmed = base::trim(text);
    if (text.size() <= kMostHookText || !trimmed.starts_with('{'))
      return cut_hook_text(text, errors_);
    JsonParser parser;
    const Json inside = parser.parse(trimmed);
    if (!inside.is_object()) return cut_hook_text(text, errors_);
    HookWriter writer(errors_);
    writer.write(inside);
    return writer.json_.text();
  }

  void write(Json value) {
    if (value.is_object()) {
      json_.begin_object();
      value.members([&](std::string_view key, Json inner) {
        json_.key(key);
        write(inner);
      });
      json_.end_object();
    } else if (value.is_array()) {
      json_.begin_array();
      value.each([&](Json inner) { write(inner); });
      json_.end_array();
    } else if (const auto text = value.text()) {
      json_.string(cut_hook_text(*text, errors_));
    } else {
      json_.raw(value.dump(kMostScalar));
    }
  }

  GetPatterns errors_;
  base::JsonWriter json_;
};

}  // namespace

std::optional<HookLine> hook_line(std::string_view payload, Time now, GetPatterns errors) {
  JsonParser parser;
  const Json value = parser.parse(base::trim(payload));
  const std::string_view event = value.text_of("hook_event_name");
  if (event.empty()) return std::nullopt;
  return HookLine{.event = std::string(event),
                  .session = std::string(value.text_of("session_id")),
                  .transcript = std::string(value.text_of("transcript_path")),
                  .text = HookWriter(errors).event(value, now)};
}

std::string session_file_name(std::string_view session) {
  constexpr std::size_t kMost = 100;
  if (session.empty()) return "unnamed";
  std::string out(session.substr(0, kMost));
  for (char& c : out) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '-' && c != '_') c = '_';
  }
  // Two sessions may end up with the same name.
  return out == session ? out : fmt::format("{}.{:016x}", out, stable_hash(session));
}

}  // namespace vibe::trace
