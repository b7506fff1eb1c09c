// Loop: a libmicrohttpd daemon, and the thread that waits for its sockets and runs it. The library
// has threads for this, but if exactly 128 sockets are ready at once, those of 0.9.75 wait for
// another one, up to the idle timeout, before they handle them. Safe from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <sys/socket.h>

#include "server/mhd.h"

namespace vibe::server {

class Loop {
 public:
  // Flags for start_daemon() that a loop needs.
  static constexpr unsigned kFlags =
      MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME;

  // Null: the system has no file or memory for it. Takes the daemon in any case; calls its
  // callbacks from the loop's thread only, and from the destructor.
  static std::unique_ptr<Loop> start(const Mhd& mhd, MHD_Daemon* daemon);
  ~Loop();  // ends all connections; none may be suspended
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Takes the socket.
  void add(int socket, const sockaddr* address, socklen_t size);
  void resume(MHD_Connection* connection);  // one of this loop's

 private:
  struct Added {
    int socket;
    sockaddr_storage address;
    socklen_t size;
  };

  Loop(const Mhd& mhd, MHD_Daemon* daemon, int epoll, int wake);
  void work();
  void take_added();
  void wait();
  void wake();

  const Mhd& mhd_;
  MHD_Daemon* const daemon_;
  const int epoll_, wake_;  // `epoll_` is the daemon's
  std::atomic<bool> is_woken_{false}, is_ending_{false};
  std::mutex mutex_;
  std::vector<Added> added_;  // by mutex_
  std::thread thread_;        // the last member: it uses the others
};

}  // namespace vibe::server
