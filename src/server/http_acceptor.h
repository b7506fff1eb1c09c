// Acceptor: the listening sockets, one per address of the host name, and the thread that hands
// connections on. libmicrohttpd could listen itself, but MHD_quiesce_daemon() races with the
// library's own threads and may abort the process. Does not know HTTP. Safe from any thread.
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
  // Called from the acceptor's thread, one at a time.
  struct Callbacks {
    // A client is waiting: may one more connection be accepted? If not, it waits in the system's
    // queue, and this is called again soon.
    std::function<bool()> has_room;
    // A client is waiting, but the connection limit is reached, or the system is out of file
    // descriptors or memory.
    std::function<void()> make_room;
    // The callee owns the socket from now on.
    std::function<void(int socket, const sockaddr* address, socklen_t size)> take;
    // The system is out of file descriptors or memory: called when that begins, not at each retry.
    std::function<void(int error)> trouble;
  };

  // Binds the addresses. Clients can connect from now on, and wait for start().
  // Code::cannot_listen, also if another program has one of the addresses: clients that use the
  // same name could reach that program instead
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
  // Waits for stop(), for at most `milliseconds` (-1: no limit), and for clients if `for_clients`
  // is set. True: stop() was called.
  bool wait(int milliseconds, bool for_clients);

  const std::vector<int> listeners_;
  const int wake_;
  const std::uint16_t port_;
  Callbacks callbacks_;
  std::vector<int> ready_;  // the thread's: listeners with waiting clients
  std::optional<std::chrono::steady_clock::time_point> last_trouble_;  // the thread's
  std::mutex mutex_;                                                   // for all below
  bool is_open_ = true;
  std::thread thread_;
};

// The error for anything that keeps a server from starting.
tl::unexpected<base::Diagnostics> cannot_listen(const HttpSettings& settings, std::string_view why,
                                                std::string hint = {});

}  // namespace vibe::server
