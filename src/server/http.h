// HTTP: a server of HTTP/1.1 on a few threads, whatever the number of connections. Requests are
// answered at once or later, from any thread; one that waits costs no thread. Sees to limits,
// TLS, gzip and slow clients. Knows no route. The only part that knows libmicrohttpd, which is
// loaded when the first server starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "server/target.h"

namespace vibe::server {

using Headers = std::vector<std::pair<std::string, std::string>>;

// A request line and headers, before the body has come.
struct Head {
  std::string method;  // as it was sent; `HEAD` comes as `GET`, of which only the head is sent
  Target target;
  Headers headers;      // names in lower case
  std::string peer;     // the address of the client
  std::string network;  // what limits by address count it under: of IPv6, its /64 network
  std::string id;       // of the request, in its answer as `X-Request-Id` and in the access log
  std::shared_ptr<const void> known{};  // what Handler::admit() gave

  std::string_view header(std::string_view name) const;  // lower case; empty: not there
};

struct Request : Head {
  std::string body;
  std::string body_file;  // where the body is, if it was to go to a file: removed after the answer
};

// A body that is made while it is sent.
class Stream {
 public:
  virtual ~Stream() = default;
  // Its next part; empty: there is none yet, wake() comes when there is; none: this was all. Called
  // from one thread at a time, never from the one that calls wake().
  virtual std::optional<std::string> next() = 0;
  // At its end: it was not all, which the client has to notice.
  virtual bool is_broken() const { return false; }
  // Each part is sent when it comes: it is never packed, since a packer waits for more.
  virtual bool is_live() const { return false; }
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  Headers headers{};
  std::shared_ptr<Stream> stream{};  // instead of the body; null: the body it is
};

// Where the answer goes. Kept by whoever answers later. Safe from any thread.
class Reply {
 public:
  virtual ~Reply() = default;
  // Once; what is sent after that, or to a client that is gone, is dropped.
  virtual void send(Response response) = 0;
  virtual void wake() = 0;  // the stream has something, or has ended
  // Called once when the client is gone or all is sent, from any thread; at once if that is so.
  virtual void on_end(std::function<void()> ended) = 0;
};
using ReplyPtr = std::shared_ptr<Reply>;

// What is decided before a body is read.
struct Admission {
  std::optional<Response> refusal{};    // then a body is not read, but the connection closed
  std::size_t most_bytes = 0;           // of the body
  bool to_file = false;                 // the body goes to a file, not into memory
  std::shared_ptr<const void> known{};  // the handler's own: in the head from here on
};

// Called from the server's threads, several at a time.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual Admission admit(const Head& head) = 0;
  virtual void handle(Request request, ReplyPtr reply) = 0;  // may answer later
  // After every answer, and for requests that could not be read (status 400, say) or whose client
  // left before its answer (499). `bytes`: of the body, as it was sent.
  virtual void done(const Head& head, int status, std::size_t bytes, double seconds) = 0;
  // Why a request failed through no fault of its client, who is not told.
  virtual void problem(const Head& head, const base::Diagnostics& why) = 0;
};

struct HttpSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;        // 0: any that is free
  std::string certificate, key;  // PEM files; empty: no TLS
  std::size_t threads = 2;
  std::size_t most_connections = 10'000;          // fewer where the system does not allow so many
  std::optional<std::size_t> most_per_address{};  // none: a quarter of them; 0: no limit
  std::size_t most_header_bytes = 32u << 10;
  double idle_timeout = 60;           // seconds without a byte
  double request_timeout = 30;        // seconds from the first byte to the last of the head and, at
                                      // 64 KiB a second or more, of the body
  double slowest_reader = 16u << 10;  // bytes of an answer that are taken in a second, once
                                      // idle_timeout has passed
  std::string spool;                  // the folder for bodies that go to files
  // Connections cannot be taken for now, at most every few seconds. From any thread.
  std::function<void(const base::Diagnostics&)> on_trouble{};
};

class HttpServer {
 public:
  // Answers from here on. The handler has to outlive the server. Code::cannot_listen
  static base::Result<std::unique_ptr<HttpServer>> start(const HttpSettings& settings,
                                                         Handler& handler);
  virtual ~HttpServer() = default;  // ends all connections

  virtual std::uint16_t port() const = 0;
  virtual std::size_t connections() const = 0;
  virtual void stop_listening() = 0;  // what is connected goes on
  // Waits until every request is answered, for so many seconds at most. False: some are not. A
  // request whose body has stopped coming is not waited for.
  virtual bool drain(double seconds) = 0;
};

}  // namespace vibe::server
