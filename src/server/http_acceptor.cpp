#include "server/http_acceptor.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>

#include "base/file.h"
#include "base/text.h"

namespace vibe::server {

namespace {

using base::Code;

constexpr int kRetryPause = 20;  // milliseconds until the next try
constexpr int kTries = 100;      // to find a port that is free on every address
constexpr std::chrono::seconds kTroubleIsOver(10);

std::uint16_t port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

// The socket, or the errno.
struct Bound {
  int socket = -1, error = 0;
};

// `port`: overrides the address's own; 0: use that one.
Bound bind_to(const addrinfo& address, std::uint16_t port) {
  const int type = address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC;
  Bound out{.socket = ::socket(address.ai_family, type, address.ai_protocol)};
  sockaddr_storage place{};
  std::memcpy(&place, address.ai_addr, address.ai_addrlen);
  if (port != 0 && address.ai_family == AF_INET6)
    reinterpret_cast<sockaddr_in6&>(place).sin6_port = htons(port);
  else if (port != 0)
    reinterpret_cast<sockaddr_in&>(place).sin_port = htons(port);
  const int yes = 1;
  if (out.socket >= 0 && setsockopt(out.socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
      bind(out.socket, reinterpret_cast<const sockaddr*>(&place), address.ai_addrlen) == 0 &&
      ::listen(out.socket, SOMAXCONN) == 0)
    return out;
  out.error = errno;
  if (out.socket >= 0) close(out.socket);
  out.socket = -1;
  return out;
}

bool is_same(const addrinfo& a, const addrinfo& b) {
  return a.ai_addrlen == b.ai_addrlen && std::memcmp(a.ai_addr, b.ai_addr, a.ai_addrlen) == 0;
}

// Whether an earlier row is the same: a hosts file may repeat a line.
bool is_repeated(const addrinfo* found, const addrinfo* row) {
  for (; found != row; found = found->ai_next)
    if (is_same(*found, *row)) return true;
  return false;
}

struct AllBound {
  std::vector<int> sockets;  // empty: `error` says why
  int error = 0;
};

// Skips addresses of a kind that this machine does not have; an address in use is an error.
AllBound bind_all(const addrinfo* found, std::uint16_t port) {
  AllBound out;
  for (const addrinfo* row = found; row != nullptr; row = row->ai_next) {
    if (is_repeated(found, row)) continue;
    const bool is_any = port == 0 && !out.sockets.empty();  // then all get the port of the first
    const auto bound = bind_to(*row, is_any ? port_of(out.sockets.front()) : port);
    if (bound.socket >= 0) {
      out.sockets.push_back(bound.socket);
      continue;
    }
    out.error = bound.error;
    if (bound.error != EADDRINUSE) continue;
    for (const int socket : out.sockets) close(socket);
    out.sockets.clear();
    break;
  }
  return out;
}

base::Result<std::vector<int>> bind_to(const HttpSettings& settings) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int fault =
      getaddrinfo(settings.address.c_str(), std::to_string(settings.port).c_str(), &wanted, &found);
  if (fault != 0)
    return cannot_listen(
        settings, base::lower_ascii(gai_strerror(fault)),
        "the address must be a host name or IP address of this machine, such as `127.0.0.1`");
  auto bound = bind_all(found, settings.port);
  // A port that is free on one address may be taken on another.
  for (int i = 0; i < kTries && settings.port == 0 && bound.error == EADDRINUSE; ++i)
    bound = bind_all(found, 0);
  freeaddrinfo(found);
  if (!bound.sockets.empty()) return std::move(bound.sockets);
  std::string hint = base::hint_for(bound.error);
  if (bound.error == EADDRINUSE) hint = "another program is listening there: choose another port";
  if (bound.error == EACCES) hint = "ports below 1024 need privileges: choose a higher one";
  return cannot_listen(settings, base::reason(bound.error), std::move(hint));
}

}  // namespace

tl::unexpected<base::Diagnostics> cannot_listen(const HttpSettings& settings, std::string_view why,
                                                std::string hint) {
  const bool is_six = settings.address.find(':') != std::string::npos;
  const std::string host = is_six ? fmt::format("[{}]", settings.address) : settings.address;
  return base::fail(Code::cannot_listen, {},
                    fmt::format("cannot listen on `{}:{}`: {}", host, settings.port, why),
                    std::move(hint));
}

base::Result<std::unique_ptr<Acceptor>> Acceptor::listen(const HttpSettings& settings) {
  VIBE_TRY(auto listeners, bind_to(settings));
  const int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake >= 0) return std::unique_ptr<Acceptor>(new Acceptor(std::move(listeners), wake));
  const int error = errno;
  for (const int listener : listeners) close(listener);
  return cannot_listen(settings, base::reason(error), base::hint_for(error));
}

Acceptor::Acceptor(std::vector<int> listeners, int wake)
    : listeners_(std::move(listeners)), wake_(wake), port_(port_of(listeners_.front())) {}

Acceptor::~Acceptor() {
  stop();
  close(wake_);
}

void Acceptor::start(Callbacks callbacks) {
  const std::lock_guard lock(mutex_);
  callbacks_ = std::move(callbacks);
  if (is_open_) thread_ = std::thread([this] { work(); });
}

void Acceptor::stop() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(is_open_, false)) return;
  const std::uint64_t one = 1;
  (void)!write(wake_, &one, sizeof one);
  if (thread_.joinable()) thread_.join();
  for (const int listener : listeners_) close(listener);
}

// ---- the thread

void Acceptor::work() {
  while (!wait(-1, true)) {
    for (const int listener : ready_) {
      if (callbacks_.has_room() && accept_one(listener)) continue;
      callbacks_.make_room();
      wait(kRetryPause, false);
      break;
    }
  }
}

bool Acceptor::accept_one(int listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const int socket = accept4(listener, generic, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  const int error = socket < 0 ? errno : 0;
  const bool lacks_means =
      error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
  if (socket >= 0) callbacks_.take(socket, generic, size);
  if (!lacks_means) return true;  // any other error means that the client is gone
  const auto now = std::chrono::steady_clock::now();
  if (!last_trouble_ || now - *last_trouble_ > kTroubleIsOver) callbacks_.trouble(error);
  last_trouble_ = now;
  return false;
}

bool Acceptor::wait(int milliseconds, bool for_clients) {
  std::vector<pollfd> places{{.fd = wake_, .events = POLLIN, .revents = 0}};
  if (for_clients)
    for (const int listener : listeners_)
      places.push_back({.fd = listener, .events = POLLIN, .revents = 0});
  poll(places.data(), places.size(), milliseconds);
  ready_.clear();
  for (std::size_t i = 1; i < places.size(); ++i)
    if (places[i].revents != 0) ready_.push_back(places[i].fd);
  return places[0].revents != 0;
}

}  // namespace vibe::server
