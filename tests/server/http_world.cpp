#include "server/http_world.h"

#include <charconv>
#include <thread>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "base/text.h"

namespace vibe::server {

namespace {

constexpr std::chrono::seconds kPatience{10};

}  // namespace

RawClient::RawClient(std::uint16_t port, int receive_buffer) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{.tv_sec = kPatience.count(), .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (receive_buffer > 0) {
    // Short segments keep the server's buffer short, too.
    const int segment = 536;
    setsockopt(socket_, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) close();
}

RawClient::RawClient(RawClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), buffer_(std::move(other.buffer_)) {}

RawClient::~RawClient() { close(); }

void RawClient::close(bool reset) {
  if (socket_ < 0) return;
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  if (reset) setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(std::exchange(socket_, -1));
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool RawClient::fill() {
  char bytes[16384];
  const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
  if (got <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> RawClient::take(std::size_t bytes) {
  while (buffer_.size() < bytes)
    if (!fill()) return std::nullopt;
  std::string out = buffer_.substr(0, bytes);
  buffer_.erase(0, bytes);
  return out;
}

std::optional<std::string> RawClient::take_line() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n")) == std::string::npos)
    if (!fill()) return std::nullopt;
  std::string out = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return out;
}

std::optional<std::string> RawClient::read_chunk() {
  const auto line = take_line();
  if (!line) return std::nullopt;
  std::size_t size = 0;
  std::from_chars(line->data(), line->data() + line->size(), size, 16);
  auto chunk = take(size);
  take_line();
  if (!chunk || chunk->empty()) return std::nullopt;
  return chunk;
}

std::optional<Answer> RawClient::read(bool has_body) {
  Answer out;
  const auto first = take_line();
  if (!first || !first->starts_with("HTTP/1.") || first->size() < 12) return std::nullopt;
  out.status = std::atoi(first->c_str() + 9);
  for (;;) {
    const auto line = take_line();
    if (!line) return std::nullopt;
    if (line->empty()) break;
    const auto colon = line->find(':');
    if (colon == std::string::npos) return std::nullopt;
    out.headers[base::lower_ascii(line->substr(0, colon))] = base::trim(line->substr(colon + 1));
  }
  if (!has_body || out.status == 100) return out;
  if (out.headers.contains("content-length")) {
    auto body = take(static_cast<std::size_t>(std::atoll(out.headers["content-length"].c_str())));
    if (!body) return std::nullopt;
    out.body = std::move(*body);
  } else if (out.headers["transfer-encoding"] == "chunked") {
    while (auto chunk = read_chunk()) out.body += *chunk;
  } else {
    while (fill()) continue;
    out.body = std::exchange(buffer_, {});
  }
  return out;
}

std::optional<Answer> RawClient::ask(std::string_view request) {
  send(request);
  return read();
}

void RawClient::end_sending() { shutdown(socket_, SHUT_WR); }

bool RawClient::is_closed() {
  char byte = 0;
  const ssize_t got = recv(socket_, &byte, 1, 0);
  return got == 0 || (got < 0 && errno == ECONNRESET);
}

std::string get(std::string_view target, std::string_view more_headers) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n{}\r\n", target, more_headers);
}

std::string post(std::string_view target, std::string_view body, std::string_view more) {
  return fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n{}\r\n{}", target,
                     body.size(), more, body);
}

Admission TestHandler::admit(const Head& head) {
  return admits ? admits(head) : Admission{.most_bytes = 1u << 20};
}

void TestHandler::handle(Request request, ReplyPtr reply) {
  if (handles) return handles(std::move(request), std::move(reply));
  reply->send({.body = R"({"ok": true})"});
}

void TestHandler::done(const Head& head, int status, std::size_t bytes, double seconds) {
  EXPECT_GE(seconds, 0);
  const std::lock_guard lock(mutex_);
  done_.push_back({head.method, head.target.path, head.id, status, bytes});
  changed_.notify_all();
}

void TestHandler::problem(const Head& head, const base::Diagnostics& why) {
  const std::lock_guard lock(mutex_);
  problems_.push_back(head.id + ": " + base::render(why));
}

std::vector<std::string> TestHandler::problems() const {
  const std::lock_guard lock(mutex_);
  return problems_;
}

std::vector<Done> TestHandler::wait_for_done(std::size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [&] { return done_.size() >= count; });
  return done_;
}

void Held::add(ReplyPtr reply) {
  const std::lock_guard lock(mutex_);
  replies_.push_back(std::move(reply));
  changed_.notify_all();
}

std::vector<ReplyPtr> Held::wait_for(std::size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [&] { return replies_.size() >= count; });
  return std::exchange(replies_, {});
}

bool eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

HttpWorld::HttpWorld() : folder(base::TempFolder::make().value()) {
  settings.spool = folder.path();
}

std::uint16_t HttpWorld::start() {
  auto started = HttpServer::start(settings, handler);
  if (!started) {
    ADD_FAILURE() << base::render(started.error());
    std::abort();
  }
  server = std::move(*started);
  return server->port();
}

}  // namespace vibe::server
