// A socket that the library closes may be another connection's the next moment. So every look at
// one, and every word to it, is under the mutex that remove() takes before the library closes it.
#include "server/http_links.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/tcp.h>
#include <netinet/in.h>

#include "base/file.h"

namespace vibe::server {

namespace {

using namespace std::chrono_literals;
using Clock = Links::Clock;

constexpr Clock::duration kTick = 20ms;  // while there is something to look at
constexpr Clock::duration kSlowTick = 1s;
constexpr auto kLinger = 2s;                      // for a client to see the answer
constexpr auto kHalfClosed = 5s;                  // for an answer to who sends nothing more
constexpr auto kIdle = 100ms;                     // before a connection makes room
constexpr auto kHalfHead = 1s;                    // the same, of one that has begun a head
constexpr auto kTimeToBegin = 200ms;              // for the library to begin with a connection
constexpr auto kStopped = 1s;                     // late by more: the process was stopped
constexpr std::size_t kFewest = 32;               // connections that an address may have
constexpr std::size_t kMostLingering = 256;       // sockets
constexpr std::size_t kMostDiscarded = 1u << 20;  // bytes of a socket at a time

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

// Zeros where it is not known.
tcp_info info_of(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  return info;
}

// False: there is nothing more to come.
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

void Links::Link::begin(std::shared_ptr<Exchange> exchange) {
  const std::lock_guard lock(mutex_);
  exchange_ = std::move(exchange);
  if (!first_byte_) first_byte_ = Clock::now();
}

std::shared_ptr<Exchange> Links::Link::end() {
  const std::lock_guard lock(mutex_);
  waits_since_ = Clock::now();
  received_.reset();
  first_byte_.reset();
  taking_.reset();
  if (exchange_ && exchange_->leaves_body()) lingers_ = true;
  return std::exchange(exchange_, nullptr);
}

base::Result<std::unique_ptr<Links>> Links::open(const HttpSettings& settings, std::size_t most) {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  const int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{.events = EPOLLIN, .data = {.u64 = 0}};
  if (epoll >= 0 && wake >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event) == 0)
    return std::unique_ptr<Links>(new Links(settings, most, epoll, wake));
  const int error = errno;
  if (epoll >= 0) close(epoll);
  if (wake >= 0) close(wake);
  return base::fail(base::Code::cannot_listen, {},
                    "cannot watch connections: " + base::reason(error), base::hint_for(error));
}

Links::Links(const HttpSettings& settings, std::size_t most, int epoll, int wake)
    : settings_(settings),
      most_(most),
      most_of_network_(settings.most_per_address.value_or(std::max(most / 4, kFewest))),
      most_half_heads_(std::max(most / 4, kFewest)),
      epoll_(epoll),
      wake_(wake),
      thread_([this] { work(); }) {}

Links::~Links() {
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

void Links::wake() {
  const std::uint64_t one = 1;
  (void)!write(wake_, &one, sizeof one);
}

bool Links::has_room() const {
  const std::lock_guard lock(mutex_);
  return links_.size() + expected_.size() < most_;
}

bool Links::expect(int socket, const std::string& network) {
  std::unique_lock lock(mutex_);
  if (const auto dropped = expected_.extract(socket)) uncount(dropped.mapped().network);
  const auto is_full = [&] {
    const auto found = of_network_.find(network);
    return most_of_network_ > 0 && found != of_network_.end() && found->second >= most_of_network_;
  };
  if (is_full()) end_oldest(network);
  if (is_full()) {
    // Those that the library has not begun with may be ended only then. All clients wait meanwhile,
    // so one that it never begins with is not waited for again.
    added_.wait_until(lock, begun_by(network), [&] { return begun_by(network) <= Clock::now(); });
    if (is_full()) end_oldest(network);
  }
  if (is_full()) return false;
  ++of_network_[network];
  expected_.emplace(socket, Expected{network, Clock::now()});
  return true;
}

// When the library should have begun with all that it was given of a network.
Clock::time_point Links::begun_by(const std::string& network) const {
  auto out = Clock::time_point::min();
  for (const auto& [socket, expected] : expected_)
    if (expected.network == network) out = std::max(out, expected.since + kTimeToBegin);
  return out;
}

void Links::uncount(const std::string& network) {
  const auto found = of_network_.find(network);
  if (found != of_network_.end() && --found->second == 0) of_network_.erase(found);
}

void Links::forget(int socket) {
  const std::lock_guard lock(mutex_);
  if (const auto dropped = expected_.extract(socket)) uncount(dropped.mapped().network);
}

void Links::close_gently(int socket) {
  const std::lock_guard lock(mutex_);
  close_later(socket);
}

// Closed with unread bytes in it, a socket resets the connection, and the client might never see
// its answer.
void Links::close_later(int socket) {
  if (is_ending_ || lingering_.size() >= kMostLingering) {
    close(socket);
    return;
  }
  shutdown(socket, SHUT_WR);
  lingering_.push_back({socket, Clock::now() + kLinger});
  wake();
}

Links::Link& Links::add(int socket, std::string peer) {
  const std::lock_guard lock(mutex_);
  std::string network;
  if (auto expected = expected_.extract(socket)) network = std::move(expected.mapped().network);
  const Id id = ++last_id_;
  Link& link =
      *links_.emplace(id, std::make_unique<Link>(id, socket, std::move(peer), std::move(network)))
           .first->second;
  epoll_event event{.events = EPOLLRDHUP | EPOLLET, .data = {.u64 = id}};
  epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
  added_.notify_one();
  return link;
}

void Links::remove(Link& link) {
  const std::lock_guard lock(mutex_);
  epoll_ctl(epoll_, EPOLL_CTL_DEL, link.socket_, nullptr);
  if (link.lingers_)  // the library closes the socket itself now
    if (const int kept = dup(link.socket_); kept >= 0) close_later(kept);
  if (link.is_counted_) uncount(link.network_);
  leaving_.erase(link.id_);
  links_.erase(link.id_);
}

std::size_t Links::size() const {
  const std::lock_guard lock(mutex_);
  return links_.size();
}

void Links::give_up_all() {
  Exchanges all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, link] : links_) {
      const std::lock_guard link_lock(link->mutex_);
      if (link->exchange_) all.push_back(link->exchange_);
    }
  }
  for (const auto& exchange : all) exchange->give_up();
}

// ---- the thread

void Links::work() {
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
    for (const auto& exchange : gone) exchange->give_up();  // it takes other locks
  }
}

void Links::wait(Clock::time_point until) {
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

void Links::note_leaving(Id id, std::uint32_t events, Clock::time_point now) {
  if (!links_.contains(id)) return;
  auto& leaving = leaving_.try_emplace(id, Leaving{now, now, kTick, false}).first->second;
  leaving.next = now;
  if ((events & (EPOLLHUP | EPOLLERR)) != 0) leaving.is_broken = true;
}

Links::Exchanges Links::look_at_leaving(Clock::time_point now) {
  Exchanges gone;
  for (auto& [id, leaving] : leaving_) {
    if (leaving.next > now) continue;
    leaving.next = now + leaving.pause;
    leaving.pause = std::min(leaving.pause * 2, kSlowTick);
    Link& link = *links_.at(id);
    const std::lock_guard lock(link.mutex_);
    if (is_gone(link, leaving, now)) gone.push_back(link.exchange_);
  }
  return gone;
}

// Whether an exchange waits for nothing any more.
bool Links::is_gone(Link& link, Leaving& leaving, Clock::time_point now) {
  if (!link.exchange_ || !link.exchange_->is_suspended()) {
    // The library reads what is there, and then misses the end if that had come with it. This
    // makes it look again.
    shutdown(link.socket_, SHUT_RD);
    return false;
  }
  // One that has closed looks like one that sends nothing more and waits for its answer. So it has
  // a while, unless it is a stream, which such a client would hardly ask for.
  return leaving.is_broken || link.exchange_->is_sending() || now - leaving.since > kHalfClosed;
}

// While the process is stopped nobody is slow but itself.
void Links::excuse(Clock::duration stopped) {
  for (const auto& [id, link] : links_) {
    const std::lock_guard lock(link->mutex_);
    if (link->first_byte_) *link->first_byte_ += stopped;
    if (link->taking_) link->taking_->since += stopped;
    if (link->exchange_) link->exchange_->excuse(stopped);
  }
}

void Links::end_slow(Clock::time_point now) {
  std::vector<Waiting> half_heads;
  for (const auto& [id, link] : links_) {
    const std::lock_guard lock(link->mutex_);
    const auto& exchange = link->exchange_;
    const bool has_head = exchange && exchange->has_head();
    const bool is_slow = has_head ? exchange->is_late(now) : is_slow_head(*link, now);
    const bool takes_slowly = has_head && is_slow_reader(*link, now);
    // What it has not taken is not kept for it.
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    if (takes_slowly) setsockopt(link->socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    if (is_slow || takes_slowly) shutdown(link->socket_, SHUT_RDWR);
    // What has come without a line of a request may be of TLS.
    const bool has_begun = exchange || (link->first_byte_ && settings_.certificate.empty());
    if (has_begun && !has_head && !is_slow)
      half_heads.push_back({*link->first_byte_, link.get(), true});
  }
  if (half_heads.size() <= most_half_heads_) return;
  const std::size_t surplus = half_heads.size() - most_half_heads_;
  for (const auto& row : oldest(std::move(half_heads), surplus))
    shutdown(row.link->socket_, SHUT_RDWR);
}

std::vector<Links::Waiting> Links::oldest(std::vector<Waiting> waiting, std::size_t count) const {
  count = std::min(count, waiting.size());
  std::partial_sort(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count),
                    waiting.end(),
                    [](const Waiting& a, const Waiting& b) { return a.since < b.since; });
  waiting.resize(count);
  return waiting;
}

std::vector<Links::Waiting> Links::without_head(const std::string* network) const {
  const auto now = Clock::now();
  std::vector<Waiting> out;
  for (const auto& [id, link] : links_) {
    if (network != nullptr && (!link->is_counted_ || link->network_ != *network)) continue;
    const std::lock_guard lock(link->mutex_);
    if (link->exchange_ && link->exchange_->has_head()) continue;
    note_first_byte(*link, now);
    out.push_back({link->first_byte_.value_or(link->waits_since_), link.get(),
                   link->first_byte_.has_value()});
  }
  return out;
}

// Several at a time: each look is at all connections.
void Links::end_oldest(const std::string& network) {
  const std::size_t count = std::max<std::size_t>(1, most_of_network_ / 100);
  for (const auto& row : oldest(without_head(&network), count)) {
    row.link->is_counted_ = false;
    uncount(network);
    shutdown(row.link->socket_, SHUT_RDWR);
  }
}

void Links::end_stalled_bodies() {
  const std::lock_guard all(mutex_);
  for (const auto& [id, link] : links_) {
    const std::lock_guard lock(link->mutex_);
    const auto now = link->exchange_ ? link->exchange_->body_so_far() : std::nullopt;
    if (now && now == link->body_) shutdown(link->socket_, SHUT_RDWR);
    link->body_ = now;
  }
}

// The library tells of a line when all of it has come.
void Links::note_first_byte(Link& link, Clock::time_point now) const {
  if (link.first_byte_) return;
  const std::uint64_t received = info_of(link.socket_).tcpi_bytes_received;
  if (!link.received_)
    link.received_ = received;
  else if (received > *link.received_)
    link.first_byte_ = now;
}

bool Links::is_slow_head(Link& link, Clock::time_point now) const {
  note_first_byte(link, now);
  return link.first_byte_ && seconds(now - *link.first_byte_) > settings_.request_timeout;
}

// The library notices alone who takes nothing at all. A stream that waits for something to say has
// nothing to be taken.
bool Links::is_slow_reader(Link& link, Clock::time_point now) const {
  if (!link.exchange_->is_sending() || link.exchange_->is_suspended()) {
    link.taking_.reset();
    return false;
  }
  const std::uint64_t taken = info_of(link.socket_).tcpi_bytes_acked;
  if (!link.taking_) link.taking_ = Link::Taking{now, taken};
  const double allowed =
      settings_.idle_timeout +
      static_cast<double>(taken - link.taking_->before) / settings_.slowest_reader;
  return seconds(now - link.taking_->since) > allowed;
}

// The one that waited longest first.
void Links::make_room() {
  const std::lock_guard all(mutex_);
  const auto now = Clock::now();
  auto waiting = without_head(nullptr);
  std::erase_if(waiting, [&](const Waiting& row) {
    return now - row.since < (row.has_begun ? Clock::duration(kHalfHead) : Clock::duration(kIdle));
  });
  const std::size_t count = std::max<std::size_t>(1, most_ / 100);
  for (const auto& row : oldest(std::move(waiting), count)) shutdown(row.link->socket_, SHUT_RDWR);
}

void Links::read_lingering(Clock::time_point now) {
  std::erase_if(lingering_, [&](const Lingering& row) {
    if (now < row.until && discard(row.socket)) return false;
    close(row.socket);
    return true;
  });
}

}  // namespace vibe::server
