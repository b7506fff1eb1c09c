// Exchange: one request and its answer, from the request line to the last byte. Reads the body,
// calls the handler, and sends the answer, now or later; while there is nothing to send, the
// connection is suspended and uses no thread. Functions marked so belong to the connection's
// thread; the others are safe from any thread, also after the server has ended.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/http.h"
#include "server/http_answer.h"
#include "server/http_loop.h"
#include "server/http_spool.h"
#include "server/mhd.h"

namespace vibe::server {

// The number of requests that are not answered yet.
class OpenCount {
 public:
  void add();
  void remove();
  bool wait_for_none(double seconds);

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  std::size_t count_ = 0;
};

// What all exchanges of a server share. Outlives its connections, not the replies.
struct HttpShared {
  const Mhd& mhd;
  Handler& handler;
  const HttpSettings settings;
  std::atomic<bool> is_ending{false};         // suspend nothing any more
  std::atomic<bool> ends_connections{false};  // close each after its next answer
  OpenCount open{};
};

class Exchange final : public std::enable_shared_from_this<Exchange> {
 public:
  using Clock = std::chrono::steady_clock;

  // `target`: a pointer into the library's buffer, valid until the head is read.
  Exchange(HttpShared& shared, Loop& loop, MHD_Connection* connection, const char* target,
           std::string peer, std::string network);
  ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // ---- the connection's thread; MHD_NO closes the connection
  // The library is about to answer one of this thread's requests itself, before its head reaches
  // proceed(), and does not say which. This answers those with an unreadable `Content-Length` and
  // shuts their connections, so that nothing from the library follows.
  static void refuse_unreadable_lengths();
  // Called when the library has a head, a part of the body, or all of it.
  MHD_Result proceed(const char* method, const char* version, const char* data, std::size_t* size);
  ssize_t read_stream(char* to, std::size_t most);
  void end(MHD_RequestTerminationCode how);

  // ---- any thread
  void send(Response response);
  void wake();
  void on_end(std::function<void()> ended);
  bool is_answered() const;
  void give_up();  // the client is gone, or the server is stopping: stops waiting

  bool has_head() const { return stage_ != Stage::line; }
  bool is_suspended() const;
  bool is_sending() const { return stage_ == Stage::answered; }
  bool is_late(Clock::time_point now) const;         // its body arrives too slowly
  void excuse(Clock::duration stopped);              // the process was stopped this long
  std::optional<std::size_t> body_so_far() const;    // bytes; none: not being read
  bool leaves_body() const { return leaves_body_; }  // do not read what follows

 private:
  enum class Stage { line, body, handling, answered };

  MHD_Result begin(const char* method, const char* version);
  void read_head(const char* method, const char* version);
  std::optional<Response> refuse(bool is_http_1_0);
  bool has_unreadable_length() const;
  MHD_Result take(std::string_view data);
  MHD_Result finish();
  MHD_Result queue(Response response);
  MHD_Result say_and_close(Response response);
  Response cannot_keep_body();
  bool may_suspend() const { return !is_gone_ && !shared_.is_ending; }
  void resume();  // the mutex is held

  HttpShared& shared_;           // not valid after the end
  Loop& loop_;                   // the connection's; not valid after the end
  const char* const target_at_;  // not valid after the head
  const std::string raw_target_;
  const Clock::time_point started_ = Clock::now();
  std::atomic<Stage> stage_{Stage::line};
  std::atomic<std::size_t> received_{0};  // bytes of the body
  std::atomic<bool> leaves_body_{false};
  std::atomic<Clock::rep> excused_{0};

  // the connection's thread
  Head head_;
  Admission admission_;
  BodyLength length_;
  std::string body_;
  Spool spool_;
  std::optional<Response> refusal_;
  bool is_head_only_ = false, is_counted_ = false, is_head_whole_ = true;
  int status_ = 0;
  std::size_t sent_ = 0;
  std::shared_ptr<Stream> stream_;
  std::string part_;  // the current part of the stream
  std::size_t part_sent_ = 0;

  mutable std::mutex mutex_;    // for all below
  MHD_Connection* connection_;  // null: it has ended
  std::optional<Response> response_;
  bool is_answered_ = false, is_suspended_ = false, is_woken_ = false, is_gone_ = false;
  std::vector<std::function<void()>> ended_;
};

}  // namespace vibe::server
