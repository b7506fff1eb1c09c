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
    : settings_(settings), most_(most), epoll_(epoll), wake_(wake), thread_([this] { work(); }) {}

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

void Links::expect(int socket) {
  const std::lock_guard lock(mutex_);
  expected_.insert(socket);
}

void Links::forget(int socket) {
  const std::lock_guard lock(mutex_);
  expected_.erase(socket);
}

Links::Link& Links::add(int socket, std::string peer) {
  const std::lock_guard lock(mutex_);
  expected_.erase(socket);
  const Id id = ++last_id_;
  Link& link =
      *links_.emplace(id, std::make_unique<Link>(id, socket, std::move(peer))).first->second;
  epoll_event event{.events = EPOLLRDHUP | EPOLLET, .data = {.u64 = id}};
  epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
  return link;
}

void Links::remove(Link& link) {
  const std::lock_guard lock(mutex_);
  epoll_ctl(epoll_, EPOLL_CTL_DEL, link.socket_, nullptr);
  if (link.lingers_ && !is_ending_ && lingering_.size() < kMostLingering) {
    // The library closes the socket now. With unread bytes in it, that would reset the connection,
    // and the client might never see its answer.
    const int kept = dup(link.socket_);
    if (kept >= 0) {
      shutdown(kept, SHUT_WR);
      lingering_.push_back({kept, Clock::now() + kLinger});
      wake();
    }
  }
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

void Links::end_slow(Clock::time_point now) {
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
  }
}

bool Links::is_slow_head(Link& link, Clock::time_point now) const {
  if (!link.first_byte_) {
    const std::uint64_t received = info_of(link.socket_).tcpi_bytes_received;
    if (!link.received_)
      link.received_ = received;
    else if (received > *link.received_)
      link.first_byte_ = now;
  }
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
  struct Idle {
    Clock::time_point since;
    int socket;
  };
  std::vector<Idle> idle;
  for (const auto& [id, link] : links_) {
    const std::lock_guard lock(link->mutex_);
    if (link->exchange_ || link->first_byte_) continue;
    if (now - link->waits_since_ >= kIdle) idle.push_back({link->waits_since_, link->socket_});
  }
  const std::size_t count = std::min(idle.size(), std::max<std::size_t>(1, most_ / 100));
  std::partial_sort(idle.begin(), idle.begin() + static_cast<std::ptrdiff_t>(count), idle.end(),
                    [](const Idle& a, const Idle& b) { return a.since < b.since; });
  for (std::size_t i = 0; i < count; ++i) shutdown(idle[i].socket, SHUT_RDWR);
}

void Links::read_lingering(Clock::time_point now) {
  std::erase_if(lingering_, [&](const Lingering& row) {
    if (now < row.until && discard(row.socket)) return false;
    close(row.socket);
    return true;
  });
}

}  // namespace vibe::server
