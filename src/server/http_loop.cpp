#include "server/http_loop.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace vibe::server {

std::unique_ptr<Loop> Loop::start(const Mhd& mhd, MHD_Daemon* daemon) {
  const auto* info = mhd.get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  const int wake = info != nullptr ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
  if (wake >= 0) return std::unique_ptr<Loop>(new Loop(mhd, daemon, info->epoll_fd, wake));
  mhd.stop_daemon(daemon);
  return nullptr;
}

Loop::Loop(const Mhd& mhd, MHD_Daemon* daemon, int epoll, int wake)
    : mhd_(mhd), daemon_(daemon), epoll_(epoll), wake_(wake), thread_([this] { work(); }) {}

Loop::~Loop() {
  is_ending_ = true;
  wake();
  thread_.join();
  for (const auto& one : added_) close(one.socket);
  mhd_.stop_daemon(daemon_);
  close(wake_);
}

void Loop::add(int socket, const sockaddr* address, socklen_t size) {
  Added one{.socket = socket, .address = {}, .size = size};
  std::memcpy(&one.address, address, std::min<std::size_t>(size, sizeof one.address));
  {
    const std::lock_guard lock(mutex_);
    added_.push_back(one);
  }
  wake();
}

void Loop::resume(MHD_Connection* connection) {
  mhd_.resume_connection(connection);
  wake();
}

// Once for any number of calls before the thread looks.
void Loop::wake() {
  if (is_woken_.exchange(true)) return;
  const std::uint64_t one = 1;
  (void)!write(wake_, &one, sizeof one);
}

// ---- the thread

void Loop::work() {
  while (!is_ending_) {
    take_added();
    mhd_.run(daemon_);
    wait();
  }
}

void Loop::take_added() {
  std::vector<Added> added;
  {
    const std::lock_guard lock(mutex_);
    added.swap(added_);
  }
  // If it fails, it closes the socket.
  for (const auto& one : added)
    mhd_.add_connection(daemon_, one.socket, reinterpret_cast<const sockaddr*>(&one.address),
                        one.size);
}

void Loop::wait() {
  MHD_UNSIGNED_LONG_LONG most = 0;  // milliseconds
  const bool has_timeout = mhd_.get_timeout(daemon_, &most) == MHD_YES;
  constexpr MHD_UNSIGNED_LONG_LONG kMost = std::numeric_limits<int>::max();
  std::array<pollfd, 2> places{{{.fd = wake_, .events = POLLIN, .revents = 0},
                                {.fd = epoll_, .events = POLLIN, .revents = 0}}};
  poll(places.data(), places.size(), has_timeout ? static_cast<int>(std::min(most, kMost)) : -1);
  if (places[0].revents == 0) return;
  std::uint64_t count = 0;
  (void)!read(wake_, &count, sizeof count);
  is_woken_.exchange(false);  // before the thread looks: no later call is lost
}

}  // namespace vibe::server
