#include "base/url.h"

#include <algorithm>

namespace vibe::base {

Url split_url(std::string_view url) {
  Url out;
  if (const auto scheme = url.find("://"); scheme != url.npos) {
    out.has_scheme = true;
    out.scheme = url.substr(0, scheme);
    url.remove_prefix(scheme + 3);
  }
  const auto end = std::min(url.find_first_of("/?#"), url.size());
  out.rest = url.substr(end);
  url = url.substr(0, end);
  if (const auto at = url.rfind('@'); at != url.npos) {
    out.has_login = true;
    out.login = url.substr(0, at);
    url.remove_prefix(at + 1);
  }
  out.host = url.substr(0, url.starts_with('[') ? url.find(']') + 1 : url.find(':'));
  url.remove_prefix(out.host.size());
  if (url.starts_with(':')) out.port = url.substr(1);
  return out;
}

}  // namespace vibe::base
