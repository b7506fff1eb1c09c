#include "server/http_acceptor.h"

#include <array>
#include <cerrno>
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

constexpr int kRetryPause = 20;  // milliseconds until it is tried again
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

Bound bind_to(const addrinfo& address) {
  const int type = address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC;
  Bound out{.socket = ::socket(address.ai_family, type, address.ai_protocol)};
  const int yes = 1;
  if (out.socket >= 0 && setsockopt(out.socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
      bind(out.socket, address.ai_addr, address.ai_addrlen) == 0 &&
      ::listen(out.socket, SOMAXCONN) == 0)
    return out;
  out.error = errno;
  if (out.socket >= 0) close(out.socket);
  out.socket = -1;
  return out;
}

base::Result<int> bind_to(const HttpSettings& settings) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int fault =
      getaddrinfo(settings.address.c_str(), std::to_string(settings.port).c_str(), &wanted, &found);
  if (fault != 0)
    return cannot_listen(settings, base::lower_ascii(gai_strerror(fault)),
                         "the address is a name or a number of this machine: `127.0.0.1`");
  Bound bound;
  for (const addrinfo* row = found; row != nullptr && bound.socket < 0; row = row->ai_next)
    bound = bind_to(*row);
  freeaddrinfo(found);
  if (bound.socket >= 0) return bound.socket;
  std::string hint = base::hint_for(bound.error);
  if (bound.error == EADDRINUSE) hint = "another program listens there: choose another port";
  if (bound.error == EACCES) hint = "a port below 1024 needs a privilege: choose a higher one";
  return cannot_listen(settings, base::reason(bound.error), std::move(hint));
}

}  // namespace

tl::unexpected<base::Diagnostics> cannot_listen(const HttpSettings& settings, std::string_view why,
                                                std::string hint) {
  const bool is_six = settings.address.find(':') != std::string::npos;
  const std::string host = is_six ? fmt::format("[{}]", settings.address) : settings.address;
  return base::fail(Code::cannot_listen, {},
                    fmt::format("cannot serve at `{}:{}`: {}", host, settings.port, why),
                    std::move(hint));
}

base::Result<std::unique_ptr<Acceptor>> Acceptor::listen(const HttpSettings& settings) {
  const auto listener = bind_to(settings);
  if (!listener) return tl::unexpected(listener.error());
  const int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake >= 0) return std::unique_ptr<Acceptor>(new Acceptor(*listener, wake));
  const int error = errno;
  close(*listener);
  return cannot_listen(settings, base::reason(error), base::hint_for(error));
}

Acceptor::Acceptor(int listener, int wake)
    : listener_(listener), wake_(wake), port_(port_of(listener)) {}

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
  close(listener_);
}

// ---- the thread

void Acceptor::work() {
  while (!wait(-1, true)) {
    if (callbacks_.has_room() && accept_one()) continue;
    callbacks_.make_room();
    wait(kRetryPause, false);
  }
}

bool Acceptor::accept_one() {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const int socket = accept4(listener_, generic, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  const int error = socket < 0 ? errno : 0;
  const bool lacks_means =
      error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
  if (socket >= 0) callbacks_.take(socket, generic, size);
  if (!lacks_means) return true;  // any other error is the client's, who has gone
  const auto now = std::chrono::steady_clock::now();
  if (!last_trouble_ || now - *last_trouble_ > kTroubleIsOver) callbacks_.trouble(error);
  last_trouble_ = now;
  return false;
}

bool Acceptor::wait(int milliseconds, bool for_client) {
  std::array<pollfd, 2> places{{{.fd = wake_, .events = POLLIN, .revents = 0},
                                {.fd = listener_, .events = POLLIN, .revents = 0}}};
  poll(places.data(), for_client ? 2 : 1, milliseconds);
  return places[0].revents != 0;
}

}  // namespace vibe::server
