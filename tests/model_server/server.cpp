#include "model_server/server.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

namespace model_server {

namespace {

constexpr std::size_t kMostHead = 64u << 10, kMostBody = 256u << 20;

struct Reason {
  int status;
  std::string_view words;
};
constexpr std::array kReasons{
    Reason{200, "OK"},
    Reason{400, "Bad Request"},
    Reason{401, "Unauthorized"},
    Reason{404, "Not Found"},
    Reason{429, "Too Many Requests"},
    Reason{500, "Internal Server Error"},
    Reason{503, "Service Unavailable"},
};

std::string_view reason(int status) {
  for (const auto& row : kReasons)
    if (row.status == status) return row.words;
  return "Status";
}

// `http://host/path?query`, as proxies get it, or `/path?query` → `/path`.
std::string_view path_of(std::string_view target) {
  if (target.starts_with("http://")) {
    target.remove_prefix(7);
    target.remove_prefix(std::min(target.find('/'), target.size()));
  }
  return target.substr(0, target.find('?'));
}

}  // namespace

int Server::listen() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigprocmask(SIG_BLOCK, &ends, nullptr);
  signals_ = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, generic, size) != 0 || ::listen(listener_, 4096) != 0 ||
      getsockname(listener_, generic, &size) != 0)
    return 0;
  watch(listener_, EPOLL_CTL_ADD, EPOLLIN);
  watch(signals_, EPOLL_CTL_ADD, EPOLLIN);
  watch(STDIN_FILENO, EPOLL_CTL_ADD, EPOLLIN);
  return ntohs(address.sin_port);
}

void Server::watch(int descriptor, int operation, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  epoll_ctl(epoll_, operation, descriptor, &event);
}

void Server::run() {
  while (wait()) fire_timers();
}

bool Server::wait() {
  std::array<epoll_event, 256> events;
  timespec rest{};
  if (!timers_.empty()) {
    const auto left = timers_.top().due - Clock::now();
    const auto nanos = std::max<std::int64_t>(0, std::chrono::nanoseconds(left).count());
    rest = {nanos / 1'000'000'000, nanos % 1'000'000'000};
  }
  const int count = epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()),
                                 timers_.empty() ? nullptr : &rest, nullptr);
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    const int descriptor = event.data.fd;
    if (descriptor == signals_) return false;
    if (descriptor == STDIN_FILENO) {
      std::array<char, 256> ignored{};
      if (read(STDIN_FILENO, ignored.data(), ignored.size()) <= 0) return false;
      continue;
    }
    if (descriptor == listener_) {
      accept_all();
      continue;
    }
    const auto found = connections_.find(descriptor);
    if (found == connections_.end()) continue;
    if ((event.events & EPOLLOUT) != 0)
      resume(descriptor, found->second->id);
    else
      receive(*found->second);
  }
  return true;
}

void Server::fire_timers() {
  while (!timers_.empty() && timers_.top().due <= Clock::now()) {
    const Timer timer = timers_.top();
    timers_.pop();
    resume(timer.descriptor, timer.id);
  }
}

void Server::after(Connection& connection, double millis) {
  const std::chrono::duration<double, std::milli> pause(millis);
  timers_.push({Clock::now() + std::chrono::duration_cast<Clock::duration>(pause),
                connection.descriptor, connection.id});
}

void Server::accept_all() {
  while (true) {
    const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    const int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    auto connection = std::make_unique<Connection>();
    connection->descriptor = descriptor;
    connection->id = next_id_++;
    connections_[descriptor] = std::move(connection);
    stats_.connected();
    watch(descriptor, EPOLL_CTL_ADD, EPOLLIN);
  }
}

void Server::receive(Connection& connection) {
  std::array<char, 64u << 10> buffer;
  const auto got = recv(connection.descriptor, buffer.data(), buffer.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0 || connection.in.size() > kMostHead + kMostBody) {
    shut(connection, false);
    return;
  }
  connection.in.append(buffer.data(), static_cast<std::size_t>(got));
  if (!connection.busy) serve(connection);
}

void Server::serve(Connection& connection) {
  const auto id = connection.id;
  const int descriptor = connection.descriptor;
  while (take_request(connection)) {
    const auto found = connections_.find(descriptor);  // the answer may have ended it
    if (found == connections_.end() || found->second->id != id || connection.busy) return;
  }
}

// Takes one request from what came, and answers it or sets the time for it.
bool Server::take_request(Connection& connection) {
  const std::string_view in = connection.in;
  const auto head_end = in.find("\r\n\r\n");
  if (head_end == in.npos) return false;
  const auto line_end = in.find("\r\n");
  Request request;
  std::string_view line = in.substr(0, line_end);
  request.method = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(request.method.size() + 1, line.size()));
  request.path = path_of(line.substr(0, line.find(' ')));
  request.head =
      in.substr(std::min(line_end + 2, head_end), head_end - std::min(line_end + 2, head_end));
  std::size_t size = 0;
  const auto length = request.header("content-length");
  std::from_chars(length.data(), length.data() + length.size(), size);
  const auto whole = head_end + 4 + size;
  if (in.size() < whole) return false;
  request.body = in.substr(head_end + 4, size);

  connection.began = Clock::now();
  connection.last = request.header("connection") == "close";
  const Reply reply = reply_to(request, connection.counted);
  connection.out =
      fmt::format("HTTP/1.1 {} {}\r\ncontent-type: {}\r\ncontent-length: {}\r\n{}\r\n",
                  reply.status, reason(reply.status), reply.type, reply.body.size(), reply.headers);
  connection.drip_from = connection.out.size();
  const std::size_t left_out =
      reply.ending == Reply::Ending::whole ? 0 : reply.body.size() / 2;  // half of the body
  connection.out.append(reply.body, 0, reply.body.size() - left_out);
  connection.sent = 0;
  connection.drip = reply.drip;
  connection.status = reply.status;
  connection.ending = reply.ending;
  connection.busy = true;
  connection.in.erase(0, whole);
  if (reply.latency > 0)
    after(connection, reply.latency);
  else
    send(connection);
  return true;
}

Reply Server::reply_to(const Request& request, bool& counted) {
  counted = request.path != "/stats" && request.path != "/reset";
  if (counted) {
    stats_.began(request);
    return answers_.answer(request);
  }
  Reply reply;
  if (request.path == "/stats") {
    reply.body = stats_.json();
  } else {
    stats_.reset();
    answers_.reset();
    reply.body = "{}";
  }
  return reply;
}

void Server::send(Connection& connection) {
  while (connection.sent < connection.out.size()) {
    const bool drips = connection.drip > 0 && connection.sent >= connection.drip_from;
    const auto end = drips                 ? connection.sent + 1
                     : connection.drip > 0 ? connection.drip_from
                                           : connection.out.size();
    const auto wrote = ::send(connection.descriptor, connection.out.data() + connection.sent,
                              end - connection.sent, MSG_NOSIGNAL);
    if (wrote < 0 && errno == EAGAIN) {
      connection.waits_for_room = true;
      watch(connection.descriptor, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
      return;
    }
    if (wrote < 0) {
      shut(connection, false);
      return;
    }
    connection.sent += static_cast<std::size_t>(wrote);
    if (drips && connection.sent < connection.out.size()) {
      after(connection, connection.drip);
      return;
    }
  }
  if (connection.waits_for_room) {
    connection.waits_for_room = false;
    watch(connection.descriptor, EPOLL_CTL_MOD, EPOLLIN);
  }
  const bool is_whole = connection.ending == Reply::Ending::whole;
  if (connection.counted && is_whole) {
    const std::chrono::duration<double> took(Clock::now() - connection.began);
    stats_.ended(connection.status, took.count());
    connection.counted = false;
  }
  connection.busy = false;
  if (!is_whole || connection.last) shut(connection, connection.ending == Reply::Ending::reset);
}

void Server::resume(int descriptor, std::uint64_t id) {
  const auto still_there = [&] {
    const auto found = connections_.find(descriptor);
    return found != connections_.end() && found->second->id == id ? found->second.get() : nullptr;
  };
  if (auto* connection = still_there()) send(*connection);
  auto* connection = still_there();
  if (connection != nullptr && !connection->busy && !connection->in.empty()) serve(*connection);
}

void Server::shut(Connection& connection, bool reset) {
  if (connection.counted) stats_.broke();
  if (reset) {
    const linger at_once{1, 0};
    setsockopt(connection.descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  close(connection.descriptor);
  connections_.erase(connection.descriptor);  // and with it `connection`
}

}  // namespace model_server
