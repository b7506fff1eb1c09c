// Url: the parts of the address of a server. Checks nothing, decodes nothing, takes what is written
// without a scheme as well. Pure.
#pragma once

#include <string_view>

namespace vibe::base {

// Views into the address, without the signs between them: `https`, `me:word`, `host` or `[::1]`,
// `80`, `/path?query`.
struct Url {
  std::string_view scheme, login, host, port, rest;
  bool has_scheme = false, has_login = false;
};

Url split_url(std::string_view url);

}  // namespace vibe::base
