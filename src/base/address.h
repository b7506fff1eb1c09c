// Internet addresses: which are public, and which are local to this machine or its networks.
// Resolves no names. Pure; safe from any thread.
#pragma once

#include <string_view>

struct sockaddr;

namespace vibe::base {

// An address that is reached over the Internet: not this machine's, and not a private, link-local,
// multicast or reserved one. If an IPv6 address embeds an IPv4 address, that one must be public as
// well.
bool is_public(const sockaddr& address);

// The same for `93.184.216.34` or `2606:4700::1111`; false for everything else, including names.
bool is_public(std::string_view address);

// Only this machine can reach it: `127.0.0.1`, `::1`, `[::1]`, `localhost`.
bool is_loopback(std::string_view host);

}  // namespace vibe::base
