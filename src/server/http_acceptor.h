// Acceptor: the sockets where clients connect, one for each address of the name that is listened
// at, and the thread that hands each connection on.
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
#include <vector>

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

  // Binds the addresses. Clients can connect from here on, and wait for start().
  // Code::cannot_listen, also where one of them is another program's: who connects there by the
  // same name would not come here
  static base::Result<std::unique_ptr<Acceptor>> listen(const HttpSettings& settings);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  std::uint16_t port() const { return port_; }
  void start(Callbacks callbacks);  // once
  // When it returns, the last connection has been handed on and new ones are refused.
  void stop();

 private:
  Acceptor(std::vector<int> listeners, int wake);
  void work();
  bool accept_one(int listener);  // false: not now, try again later
  // Waits for stop(), for `milliseconds` at most (-1: any time), or for clients, if that is asked
  // for. True: stop() was called.
  bool wait(int milliseconds, bool for_clients);

  const std::vector<int> listeners_;
  const int wake_;
  const std::uint16_t port_;
  Callbacks callbacks_;
  std::vector<int> ready_;  // the thread: where clients wait
  std::optional<std::chrono::steady_clock::time_point> last_trouble_;  // the thread
  std::mutex mutex_;                                                   // for all below
  bool is_open_ = true;
  std::thread thread_;
};

// The error for anything that keeps a server from starting.
tl::unexpected<base::Diagnostics> cannot_listen(const HttpSettings& settings, std::string_view why,
                                                std::string hint = {});

}  // namespace vibe::server
