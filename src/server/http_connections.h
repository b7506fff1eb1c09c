// Connections: a server's connections, counted against its limits, and the thread that watches
// them. It closes connections whose request arrives or whose answer is read too slowly, tells
// waiting exchanges that their client is gone, and lets clients read the answer to a body that was
// not read. If there are too many, it closes connections without a request head, the oldest first;
// it never closes those with a request. Safe from any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "server/http_exchange.h"

namespace vibe::server {

class Connections {
 public:
  using Clock = Exchange::Clock;
  using Id = std::uint64_t;  // never used again, unlike sockets

  // One connection.
  class Connection {
   public:
    Connection(Id id, int socket, std::string peer, std::string network)
        : id_(id), socket_(socket), peer_(std::move(peer)), network_(std::move(network)) {}

    const std::string& peer() const { return peer_; }
    const std::string& network() const { return network_; }
    // For the connection's thread:
    void begin(std::shared_ptr<Exchange> exchange);
    std::shared_ptr<Exchange> end();  // ends the exchange

   private:
    friend class Connections;
    struct Taking {
      Clock::time_point since;
      std::uint64_t before;  // bytes that the client had read by then
    };

    const Id id_;
    const int socket_;
    const std::string peer_, network_;  // limits count by network
    const Clock::time_point since_ = Clock::now();
    bool lingers_ = false;    // the connection's thread
    bool is_counted_ = true;  // under Connections::mutex_; false: making room

    std::mutex mutex_;                    // for all below
    std::shared_ptr<Exchange> exchange_;  // null: waiting for a request
    Clock::time_point waits_since_ = Clock::now();
    std::optional<std::uint64_t> received_{0};       // when the wait began; none: unknown
    std::optional<Clock::time_point> first_byte_{};  // when an incomplete head began
    std::optional<Taking> taking_{};                 // an answer that is not fully sent
    std::optional<std::size_t> body_{};              // bytes at the last check
  };

  static base::Result<std::unique_ptr<Connections>> open(const HttpSettings& settings,
                                                         std::size_t most);
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  bool has_room() const;  // false: `most` is reached
  void make_room();       // closes connections without a head, so there is room soon
  // Counts the connection from now on, until add() and remove(). If its network is at
  // its limit, closes other connections of that network that have no head; false: all have one.
  bool expect(int socket, const std::string& network);
  void close_gently(int socket);  // closes it once the client has read the answer
  // Ends requests whose body has stalled since the last call.
  void end_stalled_bodies();
  Connection& add(int socket, std::string peer);
  void remove(Connection& link);  // its socket is still open
  std::size_t size() const;
  void give_up_all();  // see Exchange

 private:
  struct Lingering {
    int socket;
    Clock::time_point until;
  };
  // A client that sends nothing more, or is gone.
  struct Leaving {
    Clock::time_point since, next;  // its start, and the next check
    Clock::duration pause;
    bool is_broken;
  };
  // A socket that was handed to the library.
  struct Expected {
    std::string network;
    Clock::time_point since;
  };
  // A connection without a head.
  struct Waiting {
    Clock::time_point since;
    Connection* link;
    bool has_begun;  // part of a head has arrived
  };
  using Exchanges = std::vector<std::shared_ptr<Exchange>>;

  Connections(const HttpSettings& settings, std::size_t most, int epoll, int wake);
  void work();
  void wait(Clock::time_point until);
  void wake();
  // The caller holds the mutex in all below.
  void note_leaving(Id id, std::uint32_t events, Clock::time_point now);
  Exchanges look_at_leaving(Clock::time_point now);
  bool is_gone(Connection& link, Leaving& leaving, Clock::time_point now);
  void end_slow(Clock::time_point now);
  void excuse(Clock::duration stopped);
  std::vector<Waiting> oldest(std::vector<Waiting> waiting, std::size_t count) const;
  std::vector<Waiting> without_head(const std::string* network) const;  // null: all networks
  void end_oldest(const std::string& network);
  Clock::time_point begun_by(const std::string& network) const;
  void uncount(const std::string& network);
  void close_later(int socket);
  void note_first_byte(Connection& link, Clock::time_point now) const;
  bool is_slow_head(Connection& link, Clock::time_point now) const;
  bool is_slow_reader(Connection& link, Clock::time_point now) const;
  void read_lingering(Clock::time_point now);

  const HttpSettings settings_;
  const std::size_t most_, most_of_network_, most_half_heads_;
  const int epoll_, wake_;
  mutable std::mutex mutex_;  // for all below; lock it before a connection's mutex
  std::unordered_map<Id, std::unique_ptr<Connection>> connections_;
  std::unordered_map<Id, Leaving> leaving_;
  std::vector<Lingering> lingering_;
  // Sockets that were handed to the library, before its thread calls add(). If the library drops
  // one because it is out of memory, it is removed when its number is used again.
  std::unordered_map<int, Expected> expected_;
  std::unordered_map<std::string, std::size_t> of_network_;  // connections
  std::condition_variable added_;
  Id last_id_ = 0;
  bool is_ending_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace vibe::server
