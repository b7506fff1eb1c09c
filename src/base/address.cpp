#include "base/address.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include <sys/socket.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/text.h"

namespace vibe::base {

namespace {

using Bytes = std::array<std::uint8_t, 16>;  // IPv6, in network byte order

struct Range4 {
  std::uint32_t first;
  int bits;
};

constexpr std::uint32_t quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

// Not reachable over the Internet, according to IANA's registry of special addresses.
constexpr std::array kPrivate4{
    Range4{quad(0, 0, 0, 0), 8},        // this host
    Range4{quad(10, 0, 0, 0), 8},       // private
    Range4{quad(100, 64, 0, 0), 10},    // a provider's own network
    Range4{quad(127, 0, 0, 0), 8},      // loopback
    Range4{quad(169, 254, 0, 0), 16},   // link-local; clouds serve credentials here
    Range4{quad(172, 16, 0, 0), 12},    // private
    Range4{quad(192, 0, 0, 0), 24},     // protocol assignments
    Range4{quad(192, 0, 2, 0), 24},     // examples
    Range4{quad(192, 88, 99, 0), 24},   // 6to4 relays, deprecated
    Range4{quad(192, 168, 0, 0), 16},   // private
    Range4{quad(198, 18, 0, 0), 15},    // benchmarks
    Range4{quad(198, 51, 100, 0), 24},  // examples
    Range4{quad(203, 0, 113, 0), 24},   // examples
    Range4{quad(224, 0, 0, 0), 4},      // multicast
    Range4{quad(240, 0, 0, 0), 4},      // reserved, and broadcast
};

bool is_public4(std::uint32_t address) {
  return std::none_of(kPrivate4.begin(), kPrivate4.end(), [&](const Range4& range) {
    return (address ^ range.first) >> (32 - range.bits) == 0;
  });
}

struct Range6 {
  Bytes first;
  int bits;
};

// Exceptions within 2000::/3, the range that is assigned to networks; the rest of IPv6 is not
// public anyway.
constexpr std::array kPrivate6{
    Range6{{0x20, 0x01, 0x00, 0x02}, 48},  // benchmarks
    Range6{{0x20, 0x01, 0x00, 0x10}, 28},  // ORCHID, cryptographic hashes
    Range6{{0x20, 0x01, 0x00, 0x20}, 28},  // ORCHIDv2
    Range6{{0x20, 0x01, 0x0d, 0xb8}, 32},  // examples
    Range6{{0x3f, 0xff}, 20},              // examples
};
constexpr Range6 kGlobal{{0x20}, 3};
constexpr Range6 kMapped{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96};
constexpr Range6 kTranslated{{0x00, 0x64, 0xff, 0x9b}, 96};  // NAT64
constexpr Range6 k6to4{{0x20, 0x02}, 16};
constexpr Range6 kTeredo{{0x20, 0x01, 0x00, 0x00}, 32};

bool is_in(const Range6& range, const Bytes& address) {
  for (int bit = 0; bit < range.bits; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    const unsigned mask = 0x80U >> (bit % 8);
    if (((address[byte] ^ range.first[byte]) & mask) != 0) return false;
  }
  return true;
}

std::uint32_t embedded4(const Bytes& address, std::size_t at) {
  return quad(address[at], address[at + 1], address[at + 2], address[at + 3]);
}

bool is_public6(const Bytes& address) {
  if (is_in(kMapped, address) || is_in(kTranslated, address))
    return is_public4(embedded4(address, 12));
  if (is_in(k6to4, address)) return is_public4(embedded4(address, 2));
  if (is_in(kTeredo, address))  // its server, and the client with inverted bits
    return is_public4(embedded4(address, 4)) && is_public4(~embedded4(address, 12));
  return is_in(kGlobal, address) &&
         std::none_of(kPrivate6.begin(), kPrivate6.end(),
                      [&](const Range6& range) { return is_in(range, address); });
}

std::optional<std::uint32_t> read4(const std::string& text) {
  in_addr address{};
  if (text.find('\0') != text.npos) return std::nullopt;
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

std::optional<Bytes> read6(const std::string& text) {
  Bytes out{};
  if (text.find('\0') != text.npos) return std::nullopt;
  if (inet_pton(AF_INET6, text.c_str(), out.data()) != 1) return std::nullopt;
  return out;
}

}  // namespace

bool is_public(const sockaddr& address) {
  // Copied: a sockaddr may not be aligned.
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    return is_public4(ntohl(in.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &address, sizeof in);
    Bytes bytes{};
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    return is_public6(bytes);
  }
  return false;
}

bool is_public(std::string_view address) {
  const std::string text(address);
  if (const auto of4 = read4(text)) return is_public4(*of4);
  const auto of6 = read6(text);
  return of6 && is_public6(*of6);
}

bool is_loopback(std::string_view host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  if (lower_ascii(host) == "localhost") return true;
  const std::string text(host);
  const auto is_own = [](std::uint32_t address) { return address >> 24 == 127; };
  if (const auto of4 = read4(text)) return is_own(*of4);
  const auto of6 = read6(text);
  if (!of6) return false;
  if (is_in(kMapped, *of6)) return is_own(embedded4(*of6, 12));
  constexpr Bytes kOne{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return *of6 == kOne;
}

}  // namespace vibe::base
