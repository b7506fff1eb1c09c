// Server: HTTP/1.1 with keep-alive on the loopback, on one thread, for answers that take their
// time without a thread each. Ends when its standard input does, or by SIGTERM.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "model_server/answer.h"
#include "model_server/stats.h"

namespace model_server {

class Server {
 public:
  explicit Server(const Options& options) : answers_(options) {}

  int listen();  // the port, 0: it cannot
  void run();

 private:
  using Clock = std::chrono::steady_clock;

  struct Connection {
    int descriptor = -1;
    std::uint64_t id = 0;  // descriptors come again, ids do not
    std::string in, out;
    std::size_t sent = 0;       // of `out`
    std::size_t drip_from = 0;  // where the body begins
    bool busy = false;          // a request is being answered
    bool counted = false;       // in the stats
    bool waits_for_room = false;
    bool last = false;  // closed after this answer
    double drip = 0;
    int status = 200;
    Reply::Ending ending = Reply::Ending::whole;
    Clock::time_point began;
  };
  struct Timer {
    Clock::time_point due;
    int descriptor;
    std::uint64_t id;
    bool operator>(const Timer& other) const { return due > other.due; }
  };

  void accept_all();
  void receive(Connection& connection);
  void serve(Connection& connection);  // the requests that are complete; may close it
  bool take_request(Connection& connection);
  Reply reply_to(const Request& request, bool& counted);
  void send(Connection& connection);  // may close it
  void resume(int descriptor, std::uint64_t id);
  void after(Connection& connection, double millis);
  void fire_timers();
  bool wait();  // false: to end
  void shut(Connection& connection, bool reset);
  void watch(int descriptor, int operation, std::uint32_t events) const;

  Answers answers_;
  Stats stats_;
  int listener_ = -1, epoll_ = -1, signals_ = -1;
  std::uint64_t next_id_ = 1;
  std::unordered_map<int, std::unique_ptr<Connection>> connections_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
};

}  // namespace model_server
