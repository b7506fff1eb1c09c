#include "check/uri.h"

#include <charconv>

namespace vibe::check {

namespace {

// `/a/b/../c/.` → `/a/c/`.
std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../") || path == "/..") {
      path = path == "/.." ? "/" : path.substr(3);
      const auto slash = out.rfind('/');
      out.erase(slash == std::string::npos ? 0 : slash);
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      const auto end = path.find('/', 1);
      out += path.substr(0, end);
      path = end == std::string_view::npos ? std::string_view() : path.substr(end);
    }
  }
  return out;
}

std::string merged(const UriParts& base, std::string_view path) {
  if (base.has_authority && base.path.empty()) return "/" + std::string(path);
  const auto slash = base.path.rfind('/');
  if (slash == std::string_view::npos) return std::string(path);
  return std::string(base.path.substr(0, slash + 1)).append(path);
}

}  // namespace

UriParts split_uri(std::string_view uri) {
  UriParts out;
  if (const auto hash = uri.find('#'); hash != std::string_view::npos) {
    out.has_fragment = true;
    out.fragment = uri.substr(hash + 1);
    uri = uri.substr(0, hash);
  }
  if (const auto mark = uri.find('?'); mark != std::string_view::npos) {
    out.has_query = true;
    out.query = uri.substr(mark + 1);
    uri = uri.substr(0, mark);
  }
  const auto colon = uri.find(':');
  if (colon != std::string_view::npos && colon > 0 && uri.find('/') >= colon) {
    out.scheme = uri.substr(0, colon);
    uri.remove_prefix(colon + 1);
  }
  if (uri.starts_with("//")) {
    out.has_authority = true;
    uri.remove_prefix(2);
    out.authority = uri.substr(0, uri.find('/'));
    uri.remove_prefix(out.authority.size());
  }
  out.path = uri;
  return out;
}

std::string resolve_uri(std::string_view base, std::string_view reference) {
  const UriParts from = split_uri(base), to = split_uri(reference);
  UriParts out = to;
  std::string path;
  if (!to.scheme.empty() || to.has_authority) {
    path = without_dots(to.path);
    if (to.scheme.empty()) out.scheme = from.scheme;
  } else {
    out.scheme = from.scheme;
    out.has_authority = from.has_authority;
    out.authority = from.authority;
    if (to.path.empty()) {
      path = from.path;
      if (!to.has_query) {
        out.has_query = from.has_query;
        out.query = from.query;
      }
    } else {
      path = without_dots(to.path.starts_with('/') ? std::string(to.path) : merged(from, to.path));
    }
  }
  std::string text;
  if (!out.scheme.empty()) text.append(out.scheme).append(":");
  if (out.has_authority) text.append("//").append(out.authority);
  text += path;
  if (out.has_query) text.append("?").append(out.query);
  if (out.has_fragment) text.append("#").append(out.fragment);
  return text;
}

std::string decode_percent(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      const char* begin = text.data() + i + 1;
      if (std::from_chars(begin, begin + 2, value, 16).ptr == begin + 2) {
        out += static_cast<char>(value);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

}  // namespace vibe::check
