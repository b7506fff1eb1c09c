#include "server/http.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstring>
#include <limits>

#include <sys/resource.h>
#include <sys/socket.h>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include "base/file.h"
#include "server/http_acceptor.h"
#include "server/http_answer.h"
#include "server/http_connections.h"
#include "server/http_exchange.h"
#include "server/http_loop.h"
#include "server/mhd.h"

namespace vibe::server {

namespace {

constexpr std::size_t kMostPem = 1u << 20;      // bytes
constexpr std::size_t kAnswerRoom = 16u << 10;  // bytes for each connection, in addition to a head
constexpr double kStalled = 1;  // seconds without a byte of a body, while the server stops
constexpr const char* kTlsPriorities = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

// As requested, but leaves a quarter of the process's open files for everything else.
std::size_t most_connections(std::size_t asked) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return asked;
  if (files.rlim_cur < files.rlim_max) {
    const rlimit more{.rlim_cur = files.rlim_max, .rlim_max = files.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &more) == 0) files = more;
  }
  if (files.rlim_cur == RLIM_INFINITY) return asked;
  return std::max<std::size_t>(1, std::min<std::size_t>(asked, files.rlim_cur / 4 * 3));
}

std::string address_text(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address != nullptr && address->sa_family == AF_INET) {
    const auto* four = reinterpret_cast<const sockaddr_in*>(address);
    inet_ntop(AF_INET, &four->sin_addr, text.data(), text.size());
  } else if (address != nullptr && address->sa_family == AF_INET6) {
    const auto* six = reinterpret_cast<const sockaddr_in6*>(address);
    inet_ntop(AF_INET6, &six->sin6_addr, text.data(), text.size());
  }
  const std::string_view out(text.data());
  constexpr std::string_view kMapped = "::ffff:";  // an IPv4 client on an IPv6 socket
  const bool is_mapped = out.starts_with(kMapped) && out.find('.') != std::string_view::npos;
  return std::string(is_mapped ? out.substr(kMapped.size()) : out);
}

// The key for counting connections: one host may have all addresses of an IPv6 network.
std::string network_of(const sockaddr* address) {
  if (address == nullptr || address->sa_family != AF_INET6) return address_text(address);
  auto six = *reinterpret_cast<const sockaddr_in6*>(address);
  if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) return address_text(address);
  std::fill(six.sin6_addr.s6_addr + 8, six.sin6_addr.s6_addr + 16, std::uint8_t{0});
  return address_text(reinterpret_cast<const sockaddr*>(&six)) + "/64";
}

class MhdServer final : public HttpServer {
 public:
  MhdServer(const Mhd& mhd, const HttpSettings& settings, Handler& handler,
            std::unique_ptr<Acceptor> acceptor)
      : shared_{.mhd = mhd, .handler = handler, .settings = settings},
        acceptor_(std::move(acceptor)) {}
  MhdServer(const MhdServer&) = delete;
  MhdServer& operator=(const MhdServer&) = delete;
  ~MhdServer() override;

  base::Result<void> start();

  std::uint16_t port() const override { return acceptor_->port(); }
  std::size_t connections() const override { return connections_->size(); }
  void stop_listening() override;
  bool drain(double seconds) override;

 private:
  // What the library's callbacks get.
  struct Worker {
    MhdServer& server;
    std::unique_ptr<Loop> loop;
  };

  static void on_connection(void* worker, MHD_Connection* connection, void** link,
                            MHD_ConnectionNotificationCode what);
  static void* on_line(void* worker, const char* target, MHD_Connection* connection);
  static MHD_Result on_request(void* worker, MHD_Connection* connection, const char* path,
                               const char* method, const char* version, const char* data,
                               std::size_t* size, void** exchange);
  static void on_end(void* worker, MHD_Connection* connection, void** exchange,
                     MHD_RequestTerminationCode how);
  static std::size_t leave_escaped(void* worker, MHD_Connection* connection, char* text);
  static void on_log(void* worker, const char* format, va_list values);
  static Connections::Connection* link_of(const Mhd& mhd, MHD_Connection* connection);

  base::Result<void> read_pem();
  std::vector<MHD_OptionItem> options(Worker& worker);
  bool start_worker(unsigned flags);
  void accept();
  void take(int socket, const sockaddr* address, socklen_t size);
  void refuse(int socket, const sockaddr* address);
  void say_trouble(std::string message, std::string hint);

  HttpShared shared_;
  std::unique_ptr<Acceptor> acceptor_;
  std::string certificate_, key_;
  std::unique_ptr<Connections> connections_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::size_t next_worker_ = 0;                                 // the acceptor's thread
  std::optional<Connections::Clock::time_point> last_refusal_;  // the acceptor's thread
};

// ---- callbacks of the library

Connections::Connection* MhdServer::link_of(const Mhd& mhd, MHD_Connection* connection) {
  const auto* info = mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info != nullptr ? static_cast<Connections::Connection*>(info->socket_context) : nullptr;
}

void MhdServer::on_connection(void* worker, MHD_Connection* connection, void** link,
                              MHD_ConnectionNotificationCode what) {
  auto& server = static_cast<Worker*>(worker)->server;
  const Mhd& mhd = server.shared_.mhd;
  if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
    if (*link != nullptr)
      server.connections_->remove(
          *static_cast<Connections::Connection*>(std::exchange(*link, nullptr)));
    return;
  }
  const auto* socket = mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  const int fd = socket->connect_fd;
  const auto* address = mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  *link = &server.connections_->add(
      fd, address_text(address != nullptr ? address->client_addr : nullptr));
}

void* MhdServer::on_line(void* worker, const char* target, MHD_Connection* connection) {
  auto& [server, loop] = *static_cast<Worker*>(worker);
  auto* link = link_of(server.shared_.mhd, connection);
  if (link == nullptr) return nullptr;
  auto exchange = std::make_shared<Exchange>(server.shared_, *loop, connection, target,
                                             link->peer(), link->network());
  Exchange* out = exchange.get();
  link->begin(std::move(exchange));
  // The library would also parse the query, and hangs if it has no memory for that many parameters.
  // In its buffer, which is not constant, this makes them one.
  auto* text = const_cast<char*>(target);
  std::replace(text, text + std::strlen(text), '&', '+');
  return out;
}

MHD_Result MhdServer::on_request(void*, MHD_Connection*, const char*, const char* method,
                                 const char* version, const char* data, std::size_t* size,
                                 void** exchange) {
  if (*exchange == nullptr) return MHD_NO;
  return static_cast<Exchange*>(*exchange)->proceed(method, version, data, size);
}

void MhdServer::on_end(void* worker, MHD_Connection* connection, void** exchange,
                       MHD_RequestTerminationCode how) {
  auto& server = static_cast<Worker*>(worker)->server;
  *exchange = nullptr;
  auto* link = link_of(server.shared_.mhd, connection);
  if (link == nullptr) return;
  if (const auto ended = link->end()) ended->end(how);
}

// Only read_target() parses the target.
std::size_t MhdServer::leave_escaped(void*, MHD_Connection*, char* text) {
  return std::strlen(text);
}

// This is the only sign of some of the library's own answers: 0.9.75 sends two, one after the
// other, if it cannot read a `Content-Length`, and calls nothing before or between them.
void MhdServer::on_log(void*, const char* format, va_list) {
  if (std::string_view(format).starts_with("Error processing request"))
    Exchange::refuse_unreadable_lengths();
}

// ---- start and end

base::Result<void> MhdServer::read_pem() {
  const HttpSettings& settings = shared_.settings;
  VIBE_TRY(auto certificate, base::read_file(settings.certificate, kMostPem));
  VIBE_TRY(auto key, base::read_file(settings.key, kMostPem));
  certificate_ = std::move(certificate);
  key_ = std::move(key);
  return {};
}

std::vector<MHD_OptionItem> MhdServer::options(Worker& worker) {
  const HttpSettings& settings = shared_.settings;
  const auto number = [](auto value) { return static_cast<std::intptr_t>(value); };
  const auto call = [](auto function) { return reinterpret_cast<std::intptr_t>(function); };
  std::vector<MHD_OptionItem> out{
      {MHD_OPTION_EXTERNAL_LOGGER, call(on_log), nullptr},
      // Connections counts them. The library notices late that a connection has ended, and would
      // refuse another.
      {MHD_OPTION_CONNECTION_LIMIT, number(std::numeric_limits<int>::max()), nullptr},
      {MHD_OPTION_CONNECTION_MEMORY_LIMIT, number(settings.most_header_bytes + kAnswerRoom),
       nullptr},
      {MHD_OPTION_CONNECTION_TIMEOUT, number(std::max(1.0, std::ceil(settings.idle_timeout))),
       nullptr},
      {MHD_OPTION_NOTIFY_CONNECTION, call(on_connection), &worker},
      {MHD_OPTION_NOTIFY_COMPLETED, call(on_end), &worker},
      {MHD_OPTION_URI_LOG_CALLBACK, call(on_line), &worker},
      {MHD_OPTION_UNESCAPE_CALLBACK, call(leave_escaped), nullptr},
      // `Exchange` refuses the rest, with the server's own messages.
      {MHD_OPTION_STRICT_FOR_CLIENT, 0, nullptr},
  };
  if (!certificate_.empty()) {
    out.push_back({MHD_OPTION_HTTPS_MEM_CERT, 0, certificate_.data()});
    out.push_back({MHD_OPTION_HTTPS_MEM_KEY, 0, key_.data()});
    out.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(kTlsPriorities)});
  }
  out.push_back({MHD_OPTION_END, 0, nullptr});
  return out;
}

base::Result<void> MhdServer::start() {
  const HttpSettings& settings = shared_.settings;
  unsigned flags = Loop::kFlags | MHD_USE_ERROR_LOG;  // the log: only to on_log()
  if (!settings.certificate.empty()) {
    flags |= MHD_USE_TLS;
    VIBE_TRY(read_pem());
  }
  VIBE_TRY(auto links, Connections::open(settings, most_connections(settings.most_connections)));
  connections_ = std::move(links);
  const std::size_t wanted = std::max<std::size_t>(1, settings.threads);
  errno = 0;
  while (workers_.size() < wanted && start_worker(flags)) continue;
  if (workers_.size() == wanted) {
    accept();
    return {};
  }
  const int error = errno;
  if (error == EMFILE || error == ENFILE || error == ENOMEM)
    return cannot_listen(settings, base::reason(error), base::hint_for(error));
  if (settings.certificate.empty())
    return cannot_listen(settings, "the HTTP library did not start");
  return cannot_listen(settings, "TLS cannot be set up",
                       fmt::format("`{}` and `{}` must be a certificate and its key, in PEM format",
                                   settings.certificate, settings.key));
}

bool MhdServer::start_worker(unsigned flags) {
  auto worker = std::make_unique<Worker>(Worker{.server = *this, .loop = nullptr});
  auto items = options(*worker);
  auto* daemon = shared_.mhd.start_daemon(flags, 0, nullptr, nullptr, on_request, worker.get(),
                                          MHD_OPTION_ARRAY, items.data(), MHD_OPTION_END);
  if (daemon == nullptr) return false;
  worker->loop = Loop::start(shared_.mhd, daemon);
  if (worker->loop == nullptr) return false;
  workers_.push_back(std::move(worker));
  return true;
}

void MhdServer::accept() {
  const auto trouble = [this](int error) {
    const bool is_files = error == EMFILE || error == ENFILE;
    say_trouble(
        "cannot accept more connections for now: " + base::reason(error),
        is_files ? "allow more open files (`LimitNOFILE=` in the service, `ulimit -n`)" : "");
  };
  acceptor_->start({.has_room = [this] { return connections_->has_room(); },
                    .make_room = [this] { connections_->make_room(); },
                    .take = [this](int socket, const sockaddr* address,
                                   socklen_t size) { take(socket, address, size); },
                    .trouble = trouble});
}

void MhdServer::take(int socket, const sockaddr* address, socklen_t size) {
  if (!connections_->expect(socket, network_of(address))) return refuse(socket, address);
  workers_[next_worker_++ % workers_.size()]->loop->add(socket, address, size);
}

// All connections that its address may have are busy with requests.
void MhdServer::refuse(int socket, const sockaddr* address) {
  constexpr auto kAgain = std::chrono::seconds(10);
  const auto now = Connections::Clock::now();
  if (!last_refusal_ || now - *last_refusal_ > kAgain) {
    last_refusal_ = now;
    say_trouble(
        fmt::format("`{}` has reached the connection limit for one address", network_of(address)),
        "raise `serve.connections_per_address`; set it to 0 behind a proxy");
  }
  if (shared_.settings.certificate.empty()) {
    Head head;
    head.id = request_id({});
    Response response = error(503, "too many connections from your address");
    make_ready(response, head);
    const std::string text = response_text(response, shared_.mhd.reason_phrase(503));
    (void)!::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  connections_->close_gently(socket);
}

void MhdServer::say_trouble(std::string message, std::string hint) {
  if (!shared_.settings.on_trouble) return;
  base::Diagnostics why;
  why.add(base::Code::cannot_listen, {}, std::move(message), std::move(hint));
  shared_.settings.on_trouble(why);
}

bool MhdServer::drain(double seconds) {
  const auto end = Connections::Clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    connections_->end_stalled_bodies();
    const double left = std::chrono::duration<double>(end - Connections::Clock::now()).count();
    if (shared_.open.wait_for_none(std::clamp(left, 0.0, kStalled))) return true;
    if (left <= 0) return false;
  }
}

void MhdServer::stop_listening() {
  shared_.ends_connections = true;
  acceptor_->stop();
}

MhdServer::~MhdServer() {
  if (connections_ == nullptr) return;
  stop_listening();
  shared_.is_ending = true;
  connections_->give_up_all();  // the library panics if connections are still suspended
  workers_.clear();
}

}  // namespace

base::Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpSettings& settings,
                                                            Handler& handler) {
  const auto& loaded = load_mhd();
  if (!loaded.error.empty())
    return cannot_listen(settings,
                         fmt::format("cannot load `libmicrohttpd.so.12`: {}", loaded.error),
                         "install it: the package is `libmicrohttpd12` on Debian and Ubuntu");
  VIBE_TRY(auto acceptor, Acceptor::listen(settings));
  auto server = std::make_unique<MhdServer>(loaded.mhd, settings, handler, std::move(acceptor));
  VIBE_TRY(server->start());
  return server;
}

}  // namespace vibe::server
