// Addresses of the Internet: which of them everybody can reach, and which are of this machine or
// its networks. Resolves no names. Pure; safe from any thread.
#pragma once

#include <string_view>

struct sockaddr;

namespace vibe::base {

// An address that is reached over the Internet: none of this machine, a private network, a link,
// a group, or of nobody. Where an IPv6 address holds one of IPv4, that one has to be public, too.
bool is_public(const sockaddr& address);

// The same of `93.184.216.34` or `2606:4700::1111`; false for everything else, names included.
bool is_public(std::string_view address);

// Of this machine, and reached by nobody else: `127.0.0.1`, `::1`, `[::1]`, `localhost`.
bool is_loopback(std::string_view host);

}  // namespace vibe::base
