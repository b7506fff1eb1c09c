// Url: the parts of a server address. Checks nothing, decodes nothing, and accepts an address
// without a scheme. Pure.
#pragma once

#include <string_view>

namespace vibe::base {

// Views into the address, without the separators: `https`, `me:word`, `host` or `[::1]`, `80`,
// `/path?query`.
struct Url {
  std::string_view scheme, login, host, port, rest;
  bool has_scheme = false, has_login = false;
};

Url split_url(std::string_view url);

}  // namespace vibe::base
