#include "server/target.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace vibe::server {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char low = base::lower_ascii(c);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

enum class Part { path, query };

// None: a bad `%`, a control character, or not UTF-8.
std::optional<std::string> decode(std::string_view text, Part part) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
      if (is_control(c)) return std::nullopt;
    } else if (c == '+' && part == Part::query) {
      c = ' ';
    }
    out += c;
  }
  if (base::first_invalid(out)) return std::nullopt;
  return out;
}

// `http://host/path`, the form sent to a proxy, becomes `/path`.
std::string_view without_origin(std::string_view raw) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (base::lower_ascii(raw.substr(0, scheme.size())) != scheme) continue;
    const auto path = raw.find('/', scheme.size());
    return path != std::string_view::npos ? raw.substr(path) : "/";
  }
  return raw;
}

bool read_path(std::string_view raw, Target& target) {
  if (!raw.starts_with('/')) return false;
  while (!raw.empty()) {
    const auto begin = raw.find_first_not_of('/');
    if (begin == std::string_view::npos) {  // it ends in `/`, which is not a segment
      target.path += '/';
      break;
    }
    const auto end = std::min(raw.find('/', begin), raw.size());
    const auto segment = raw.substr(begin, end - begin);
    auto decoded = decode(segment, Part::path);
    if (!decoded || *decoded == "." || *decoded == "..") return false;
    target.path += '/';
    target.path += segment;
    target.segments.push_back(std::move(*decoded));
    raw.remove_prefix(end);
  }
  return true;
}

bool read_query(std::string_view raw, Target& target) {
  while (!raw.empty()) {
    const auto end = std::min(raw.find('&'), raw.size());
    const auto pair = raw.substr(0, end);
    raw.remove_prefix(std::min(end + 1, raw.size()));
    if (pair.empty()) continue;
    const auto equals = std::min(pair.find('='), pair.size());
    auto name = decode(pair.substr(0, equals), Part::query);
    auto value = decode(pair.substr(std::min(equals + 1, pair.size())), Part::query);
    if (!name || !value) return false;
    target.query.emplace_back(std::move(*name), std::move(*value));
  }
  return true;
}

}  // namespace

std::optional<std::string> Target::get(std::string_view name) const {
  const auto found = std::find_if(query.rbegin(), query.rend(),
                                  [&](const auto& pair) { return pair.first == name; });
  if (found == query.rend()) return std::nullopt;
  return found->second;
}

std::optional<Target> read_target(std::string_view raw) {
  if (std::any_of(raw.begin(), raw.end(), [](char c) { return is_control(c) || c == ' '; }))
    return std::nullopt;
  raw = without_origin(raw);
  const auto mark = std::min(raw.find('?'), raw.size());
  Target target;
  if (!read_path(raw.substr(0, mark), target)) return std::nullopt;
  if (!read_query(raw.substr(std::min(mark + 1, raw.size())), target)) return std::nullopt;
  return target;
}

}  // namespace vibe::server
