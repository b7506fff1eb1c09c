// A socket number that the library closes may belong to another connection the next moment. So
// every access to a socket is under the mutex that remove() locks before the library closes it.
#include "server/http_connections.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/tcp.h>
#include <netinet/in.h>

#include "base/file.h"

namespace vibe::server {

namespace {

using namespace std::chrono_literals;
using Clock = Connections::Clock;

constexpr Clock::duration kTick = 20ms;  // while there is something to watch
constexpr Clock::duration kSlowTick = 1s;
constexpr auto kLinger = 2s;                 // for a client to read the answer
constexpr auto kHalfClosed = 5s;             // for an answer to a client that sends nothing more
constexpr auto kIdle = 100ms;                // before an idle connection is closed to make room
constexpr auto kHalfHead = 1s;               // the same, for one with part of a head
constexpr auto kTimeToBegin = 200ms;         // for the library to start on a connection
constexpr auto kLookAgain = 2ms;             // whether it has
constexpr auto kStopped = 1s;                // a longer delay means that the process was stopped
constexpr std::size_t kFewest = 32;          // connections that an address always may have
constexpr std::size_t kMostLingering = 256;  // sockets
constexpr std::size_t kMostDiscarded = 1u << 20;  // bytes of a socket at a time

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

// Zeros if it is not known.
tcp_info info_of(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  return info;
}

// Bytes that the library has not looked at.
bool has_unread_bytes(int socket) {
  int count = 0;
  return ioctl(socket, FIONREAD, &count) == 0 && count > 0;
}

// False: no more bytes will come.
bool discard(int socket) {
  static thread_local std::array<char, 64u << 10> nowhere;
  for (std::size_t total = 0; total < kMostDiscarded;) {
    const ssize_t got = recv(socket, nowhere.data(), nowhere.size(), MSG_DONTWAIT);
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    total += static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

void Connections::Connection::begin(std::shared_ptr<Exchange> exchange) {
  const std::lock_guard lock(mutex_);
  exchange_ = std::move(exchange);
  if (!first_byte_) first_byte_ = Clock::now();
}

std::shared_ptr<Exchange> Connections::Connection::end() {
  const std::lock_guard lock(mutex_);
  waits_since_ = Clock::now();
  received_.reset();
  first_byte_.reset();
  taking_.reset();
  if (exchange_ && exchange_->leaves_body()) lingers_ = true;
  return std::exchange(exchange_, nullptr);
}

base::Result<std::unique_ptr<Connections>> Connections::open(const HttpSettings& settings,
                                                             std::size_t most) {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  const int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{.events = EPOLLIN, .data = {.u64 = 0}};
  if (epoll >= 0 && wake >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event) == 0)
    return std::unique_ptr<Connections>(new Connections(settings, most, epoll, wake));
  const int error = errno;
  if (epoll >= 0) close(epoll);
  if (wake >= 0) close(wake);
  return base::fail(base::Code::cannot_listen, {},
                    "cannot watch connections: " + base::reason(error), base::hint_for(error));
}

Connections::Connections(const HttpSettings& settings, std::size_t most, int epoll, int wake)
    : settings_(settings),
      most_(most),
      most_of_network_(settings.most_per_address.value_or(std::max(most / 4, kFewest))),
      most_half_heads_(std::max(most / 4, kFewest)),
      epoll_(epoll),
      wake_(wake),
      thread_([this] { work(); }) {}

Connections::~Connections() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake();
  thread_.join();
  for (const auto& row : lingering_) close(row.socket);
  close(epoll_);
  close(wake_);
}

void Connections::wake() {
  const std::uint64_t one = 1;
  (void)!write(wake_, &one, sizeof one);
}

bool Connections::has_room() const {
  const std::lock_guard lock(mutex_);
  return connections_.size() + expected_.size() < most_;
}

bool Connections::expect(int socket, const std::string& network) {
  std::unique_lock lock(mutex_);
  if (const auto dropped = expected_.extract(socket)) uncount(dropped.mapped().network);
  const auto is_full = [&] {
    const auto found = of_network_.find(network);
    return most_of_network_ > 0 && found != of_network_.end() && found->second >= most_of_network_;
  };
  if (is_full()) end_oldest(network);
  if (is_full()) {
    // A connection that the library has not started on can be closed only after it has, and one
    // with unread bytes may have a complete request. All clients wait meanwhile, so this does not
    // wait twice for one that never starts.
    while (begun_by(network) > Clock::now()) added_.wait_for(lock, kLookAgain);
    if (is_full()) end_oldest(network);
  }
  if (is_full()) return false;
  ++of_network_[network];
  expected_.emplace(socket, Expected{network, Clock::now()});
  return true;
}

// When the library should have started on all connections of a network, and read their bytes.
Clock::time_point Connections::begun_by(const std::string& network) const {
  auto out = Clock::time_point::min();
  for (const auto& [socket, expected] : expected_)
    if (expected.network == network) out = std::max(out, expected.since + kTimeToBegin);
  for (const auto& [id, link] : connections_)
    if (link->network_ == network && link->since_ + kTimeToBegin > Clock::now() &&
        has_unread_bytes(link->socket_))
      out = std::max(out, link->since_ + kTimeToBegin);
  return out;
}

void Connections::uncount(const std::string& network) {
  const auto found = of_network_.find(network);
  if (found != of_network_.end() && --found->second == 0) of_network_.erase(found);
}

void Connections::close_gently(int socket) {
  const std::lock_guard lock(mutex_);
  close_later(socket);
}

// Closing a socket with unread bytes resets the connection, and the client might never see its
// answer.
void Connections::close_later(int socket) {
  if (is_ending_ || lingering_.size() >= kMostLingering) {
    close(socket);
    return;
  }
  shutdown(socket, SHUT_WR);
  lingering_.push_back({socket, Clock::now() + kLinger});
  wake();
}

Connections::Connection& Connections::add(int socket, std::string peer) {
  const std::lock_guard lock(mutex_);
  std::string network;
  if (auto expected = expected_.extract(socket)) network = std::move(expected.mapped().network);
  const Id id = ++last_id_;
  Connection& link = *connections_
                          .emplace(id, std::make_unique<Connection>(id, socket, std::move(peer),
                                                                    std::move(network)))
                          .first->second;
  epoll_event event{.events = EPOLLRDHUP | EPOLLET, .data = {.u64 = id}};
  epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
  added_.notify_one();
  return link;
}

void Connections::remove(Connection& link) {
  const std::lock_guard lock(mutex_);
  epoll_ctl(epoll_, EPOLL_CTL_DEL, link.socket_, nullptr);
  if (link.lingers_)  // now the library closes the socket itself
    if (const int kept = dup(link.socket_); kept >= 0) close_later(kept);
  if (link.is_counted_) uncount(link.network_);
  leaving_.erase(link.id_);
  connections_.erase(link.id_);
}

std::size_t Connections::size() const {
  const std::lock_guard lock(mutex_);
  return connections_.size();
}

void Connections::give_up_all() {
  Exchanges all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, link] : connections_) {
      const std::lock_guard link_lock(link->mutex_);
      if (link->exchange_) all.push_back(link->exchange_);
    }
  }
  for (const auto& exchange : all) exchange->give_up();
}

// ---- the thread

void Connections::work() {
  const double shortest = std::min(settings_.request_timeout, settings_.idle_timeout);
  const std::chrono::milliseconds pause(std::clamp(static_cast<int>(shortest * 1000 / 8), 20, 500));
  auto next_look = Clock::now();
  auto until = next_look;
  for (;;) {
    wait(until);
    const auto now = Clock::now();
    Exchanges gone;
    {
      const std::lock_guard lock(mutex_);
      if (is_ending_) return;
      if (now - until > kStopped) excuse(now - until);
      read_lingering(now);
      gone = look_at_leaving(now);
      if (now >= next_look) {
        end_slow(now);
        next_look = now + pause;
      }
      const bool is_busy = !lingering_.empty() || !leaving_.empty();
      until = is_busy ? std::min(next_look, now + kTick) : next_look;
    }
    for (const auto& exchange : gone) exchange->give_up();  // this takes other locks
  }
}

void Connections::wait(Clock::time_point until) {
  std::array<epoll_event, 64> events;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                               static_cast<int>(std::max<std::int64_t>(0, left)));
  const std::lock_guard lock(mutex_);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.u64 != 0) {
      note_leaving(event.data.u64, event.events, Clock::now());
    } else {
      std::uint64_t times = 0;
      (void)!read(wake_, &times, sizeof times);
    }
  }
}

void Connections::note_leaving(Id id, std::uint32_t events, Clock::time_point now) {
  if (!connections_.contains(id)) return;
  auto& leaving = leaving_.try_emplace(id, Leaving{now, now, kTick, false}).first->second;
  leaving.next = now;
  if ((events & (EPOLLHUP | EPOLLERR)) != 0) leaving.is_broken = true;
}

Connections::Exchanges Connections::look_at_leaving(Clock::time_point now) {
  Exchanges gone;
  for (auto& [id, leaving] : leaving_) {
    if (leaving.next > now) continue;
    leaving.next = now + leaving.pause;
    leaving.pause = std::min(leaving.pause * 2, kSlowTick);
    Connection& link = *connections_.at(id);
    const std::lock_guard lock(link.mutex_);
    if (is_gone(link, leaving, now)) gone.push_back(link.exchange_);
  }
  return gone;
}

// Whether an exchange waits for a client that is gone.
bool Connections::is_gone(Connection& link, Leaving& leaving, Clock::time_point now) {
  if (!link.exchange_ || !link.exchange_->is_suspended()) {
    // The library reads the available bytes, and then misses an end of file that came with them.
    // This makes it look again.
    shutdown(link.socket_, SHUT_RD);
    return false;
  }
  // A client that has closed looks like one that sends nothing more and waits for its answer. So it
  // gets some time, unless the answer is a stream, which such a client would hardly request.
  return leaving.is_broken || link.exchange_->is_sending() || now - leaving.since > kHalfClosed;
}

// While the process is stopped, slowness is not the client's fault.
void Connections::excuse(Clock::duration stopped) {
  for (const auto& [id, link] : connections_) {
    const std::lock_guard lock(link->mutex_);
    if (link->first_byte_) *link->first_byte_ += stopped;
    if (link->taking_) link->taking_->since += stopped;
    if (link->exchange_) link->exchange_->excuse(stopped);
  }
}

void Connections::end_slow(Clock::time_point now) {
  std::vector<Waiting> half_heads;
  for (const auto& [id, link] : connections_) {
    const std::lock_guard lock(link->mutex_);
    const auto& exchange = link->exchange_;
    const bool has_head = exchange && exchange->has_head();
    const bool is_slow = has_head ? exchange->is_late(now) : is_slow_head(*link, now);
    const bool takes_slowly = has_head && is_slow_reader(*link, now);
    // Unread data is dropped.
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    if (takes_slowly) setsockopt(link->socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    if (is_slow || takes_slowly) shutdown(link->socket_, SHUT_RDWR);
    // Bytes without a request line may be TLS.
    const bool has_begun = exchange || (link->first_byte_ && settings_.certificate.empty());
    if (has_begun && !has_head && !is_slow)
      half_heads.push_back({*link->first_byte_, link.get(), true});
  }
  if (half_heads.size() <= most_half_heads_) return;
  const std::size_t surplus = half_heads.size() - most_half_heads_;
  for (const auto& row : oldest(std::move(half_heads), surplus))
    shutdown(row.link->socket_, SHUT_RDWR);
}

std::vector<Connections::Waiting> Connections::oldest(std::vector<Waiting> waiting,
                                                      std::size_t count) const {
  count = std::min(count, waiting.size());
  std::partial_sort(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count),
                    waiting.end(),
                    [](const Waiting& a, const Waiting& b) { return a.since < b.since; });
  waiting.resize(count);
  return waiting;
}

std::vector<Connections::Waiting> Connections::without_head(const std::string* network) const {
  const auto now = Clock::now();
  std::vector<Waiting> out;
  for (const auto& [id, link] : connections_) {
    if (network != nullptr && (!link->is_counted_ || link->network_ != *network)) continue;
    const std::lock_guard lock(link->mutex_);
    if (link->exchange_ && link->exchange_->has_head()) continue;
    note_first_byte(*link, now);
    if (has_unread_bytes(link->socket_)) continue;  // perhaps a complete head
    out.push_back({link->first_byte_.value_or(link->waits_since_), link.get(),
                   link->first_byte_.has_value()});
  }
  return out;
}

// Closes several at a time: each search visits all connections.
void Connections::end_oldest(const std::string& network) {
  const std::size_t count = std::max<std::size_t>(1, most_of_network_ / 100);
  for (const auto& row : oldest(without_head(&network), count)) {
    row.link->is_counted_ = false;
    uncount(network);
    shutdown(row.link->socket_, SHUT_RDWR);
  }
}

void Connections::end_stalled_bodies() {
  const std::lock_guard all(mutex_);
  for (const auto& [id, link] : connections_) {
    const std::lock_guard lock(link->mutex_);
    const auto now = link->exchange_ ? link->exchange_->body_so_far() : std::nullopt;
    if (now && now == link->body_) shutdown(link->socket_, SHUT_RDWR);
    link->body_ = now;
  }
}

// The library reports a request line only when it is complete.
void Connections::note_first_byte(Connection& link, Clock::time_point now) const {
  if (link.first_byte_) return;
  const std::uint64_t received = info_of(link.socket_).tcpi_bytes_received;
  if (!link.received_)
    link.received_ = received;
  else if (received > *link.received_)
    link.first_byte_ = now;
}

bool Connections::is_slow_head(Connection& link, Clock::time_point now) const {
  note_first_byte(link, now);
  return link.first_byte_ && seconds(now - *link.first_byte_) > settings_.request_timeout;
}

// The library itself notices a client that reads nothing at all. A stream with nothing to send is
// not slow.
bool Connections::is_slow_reader(Connection& link, Clock::time_point now) const {
  if (!link.exchange_->is_sending() || link.exchange_->is_suspended()) {
    link.taking_.reset();
    return false;
  }
  const std::uint64_t taken = info_of(link.socket_).tcpi_bytes_acked;
  if (!link.taking_) link.taking_ = Connection::Taking{now, taken};
  const double allowed =
      settings_.idle_timeout +
      static_cast<double>(taken - link.taking_->before) / settings_.slowest_reader;
  return seconds(now - link.taking_->since) > allowed;
}

// The longest wait first.
void Connections::make_room() {
  const std::lock_guard all(mutex_);
  const auto now = Clock::now();
  auto waiting = without_head(nullptr);
  std::erase_if(waiting, [&](const Waiting& row) {
    return now - row.since < (row.has_begun ? Clock::duration(kHalfHead) : Clock::duration(kIdle));
  });
  const std::size_t count = std::max<std::size_t>(1, most_ / 100);
  for (const auto& row : oldest(std::move(waiting), count)) shutdown(row.link->socket_, SHUT_RDWR);
}

void Connections::read_lingering(Clock::time_point now) {
  std::erase_if(lingering_, [&](const Lingering& row) {
    if (now < row.until && discard(row.socket)) return false;
    close(row.socket);
    return true;
  });
}

}  // namespace vibe::server
