// Acceptor: the socket where clients connect, and the thread that hands each connection on.
// libmicrohttpd could listen itself, but MHD_quiesce_daemon() races with the library's own threads
// and may abort the process. Knows nothing of HTTP. Safe from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <sys/socket.h>

#include "base/diagnostic.h"
#include "server/http.h"

namespace vibe::server {

class Acceptor {
 public:
  // Called from the thread, one after the other.
  struct Callbacks {
    // A client waits: whether one more connection may be taken. If not, it waits in the system's
    // queue, and this is called again soon.
    std::function<bool()> has_room;
    // A client waits, but there is no room, or the system has no file or memory for it.
    std::function<void()> make_room;
    // The socket is the callee's from here on.
    std::function<void(int socket, const sockaddr* address, socklen_t size)> take;
    // The system has no file or memory for a connection: when that begins, not each time it is
    // tried again.
    std::function<void(int error)> trouble;
  };

  // Binds the address. Clients can connect from here on, and wait for start(). Code::cannot_listen
  static base::Result<std::unique_ptr<Acceptor>> listen(const HttpSettings& settings);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  std::uint16_t port() const { return port_; }
  void start(Callbacks callbacks);  // once
  // When it returns, the last connection has been handed on and new ones are refused.
  void stop();

 private:
  Acceptor(int listener, int wake);
  void work();
  bool accept_one();  // false: not now, try again later
  // True: stop() was called. Waits for that, for `milliseconds` at most (-1: any time), or for a
  // client, if that is asked for.
  bool wait(int milliseconds, bool for_client);

  const int listener_, wake_;
  const std::uint16_t port_;
  Callbacks callbacks_;
  std::optional<std::chrono::steady_clock::time_point> last_trouble_;  // the thread
  std::mutex mutex_;                                                   // for all below
  bool is_open_ = true;
  std::thread thread_;
};

// The error for anything that keeps a server from starting.
tl::unexpected<base::Diagnostics> cannot_listen(const HttpSettings& settings, std::string_view why,
                                                std::string hint = {});

}  // namespace vibe::server
