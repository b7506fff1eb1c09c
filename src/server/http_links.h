// Links: the connections of a server, counted against its limits, and the thread that looks after
// them: ends those whose request comes or whose answer is taken too slowly, tells exchanges that
// wait that their client is gone, and lets clients read an answer to a body that was not read.
// Connections that have not sent the head of a request are ended where there are too many, the
// oldest first; those with a request are not. Safe from any thread.
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

class Links {
 public:
  using Clock = Exchange::Clock;
  using Id = std::uint64_t;  // never used again, unlike sockets

  // One connection.
  class Link {
   public:
    Link(Id id, int socket, std::string peer, std::string network)
        : id_(id), socket_(socket), peer_(std::move(peer)), network_(std::move(network)) {}

    const std::string& peer() const { return peer_; }
    const std::string& network() const { return network_; }
    // The thread of the connection:
    void begin(std::shared_ptr<Exchange> exchange);
    std::shared_ptr<Exchange> end();  // of the exchange

   private:
    friend class Links;
    struct Taking {
      Clock::time_point since;
      std::uint64_t before;  // bytes that the client had taken then
    };

    const Id id_;
    const int socket_;
    const std::string peer_, network_;  // the latter is what it is counted under
    bool lingers_ = false;              // the thread of the connection
    bool is_counted_ = true;            // that of the links: not ended for others of its network

    std::mutex mutex_;                    // for all below
    std::shared_ptr<Exchange> exchange_;  // null: waits for a request
    Clock::time_point waits_since_ = Clock::now();
    std::optional<std::uint64_t> received_{0};  // bytes, when it began to wait; none: not known yet
    std::optional<Clock::time_point> first_byte_{};  // of a head that is not complete
    std::optional<Taking> taking_{};                 // an answer that is not all sent
    std::optional<std::size_t> body_{};              // bytes, when it was last looked at
  };

  static base::Result<std::unique_ptr<Links>> open(const HttpSettings& settings, std::size_t most);
  ~Links();
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  bool has_room() const;  // false: there are `most`
  void make_room();       // ends connections without a head, so there is some soon
  // It counts from here on, until add() and remove(), or forget(). Where its network has as many
  // as it may, others of it that have no head are ended for it; false: all have one.
  bool expect(int socket, const std::string& network);
  void forget(int socket);        // the library did not take it
  void close_gently(int socket);  // which nobody else has: when the client has read what was sent
  // Ends requests of whose body nothing has come since the last call.
  void end_stalled_bodies();
  Link& add(int socket, std::string peer);
  void remove(Link& link);  // its socket is still open
  std::size_t size() const;
  void give_up_all();  // see Exchange

 private:
  struct Lingering {
    int socket;
    Clock::time_point until;
  };
  // A client that sends nothing more, or has gone.
  struct Leaving {
    Clock::time_point since, next;  // look at it
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
    Link* link;
    bool has_begun;  // some of a head has come
  };
  using Exchanges = std::vector<std::shared_ptr<Exchange>>;

  Links(const HttpSettings& settings, std::size_t most, int epoll, int wake);
  void work();
  void wait(Clock::time_point until);
  void wake();
  // The mutex is held in all below.
  void note_leaving(Id id, std::uint32_t events, Clock::time_point now);
  Exchanges look_at_leaving(Clock::time_point now);
  bool is_gone(Link& link, Leaving& leaving, Clock::time_point now);
  void end_slow(Clock::time_point now);
  void excuse(Clock::duration stopped);
  std::vector<Waiting> oldest(std::vector<Waiting> waiting, std::size_t count) const;
  std::vector<Waiting> without_head(const std::string* network) const;  // null: of all
  void end_oldest(const std::string& network);
  Clock::time_point begun_by(const std::string& network) const;
  void uncount(const std::string& network);
  void close_later(int socket);
  void note_first_byte(Link& link, Clock::time_point now) const;
  bool is_slow_head(Link& link, Clock::time_point now) const;
  bool is_slow_reader(Link& link, Clock::time_point now) const;
  void read_lingering(Clock::time_point now);

  const HttpSettings settings_;
  const std::size_t most_, most_of_network_, most_half_heads_;
  const int epoll_, wake_;
  mutable std::mutex mutex_;  // for all below; taken before that of a link
  std::unordered_map<Id, std::unique_ptr<Link>> links_;
  std::unordered_map<Id, Leaving> leaving_;
  std::vector<Lingering> lingering_;
  // Sockets that were handed to the library, before its thread calls add(). One that it drops after
  // all, for lack of memory, is removed when its number is used again.
  std::unordered_map<int, Expected> expected_;
  std::unordered_map<std::string, std::size_t> of_network_;  // connections
  std::condition_variable added_;
  Id last_id_ = 0;
  bool is_ending_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace vibe::server
