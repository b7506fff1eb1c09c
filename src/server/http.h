// HTTP: an HTTP/1.1 server on a few threads, for any number of connections. Requests are answered
// at once or later, from any thread; a waiting request uses no thread. Handles limits, TLS, gzip
// and slow clients. Does not know routes. The only part that uses libmicrohttpd, which is loaded
// when the first server starts.
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

// A request line and headers, before the body arrives.
struct Head {
  std::string method;  // as sent; `HEAD` arrives as `GET`, and only the head of the answer is sent
  Target target;
  Headers headers;      // names in lower case
  std::string peer;     // the client's address
  std::string network;  // the key for limits by address; for IPv6, the /64 network
  std::string id;       // the request's id, also in `X-Request-Id` and the access log
  std::shared_ptr<const void> known{};  // the result of Handler::admit()

  std::string_view header(std::string_view name) const;  // name in lower case; empty if missing
};

struct Request : Head {
  std::string body;
  std::string body_file;  // the file with the body, if it went to one; removed after the answer
};

// A body that is produced while it is sent.
class Stream {
 public:
  virtual ~Stream() = default;
  // The next part; empty: none yet, wake() is called when there is; none: the end. Called from one
  // thread at a time, never from the thread that calls wake().
  virtual std::optional<std::string> next() = 0;
  // At the end: the body is incomplete, and the client must notice.
  virtual bool is_broken() const { return false; }
  // Each part is sent when it is ready, and never compressed: a compressor waits for more.
  virtual bool is_live() const { return false; }
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  Headers headers{};
  std::shared_ptr<Stream> stream{};  // replaces the body; null: use the body
};

// Takes the answer. A handler that answers later keeps it. Safe from any thread.
class Reply {
 public:
  virtual ~Reply() = default;
  // Takes one answer; later ones, and answers to a client that is gone, are dropped.
  virtual void send(Response response) = 0;
  virtual void wake() = 0;  // the stream has a part, or has ended
  // `ended` is called once, from any thread, when the client is gone or everything is sent; at once
  // if that is already so.
  virtual void on_end(std::function<void()> ended) = 0;
};
using ReplyPtr = std::shared_ptr<Reply>;

// The decision before a body is read.
struct Admission {
  std::optional<Response> refusal{};    // if set, the body is not read and the connection is closed
  std::size_t most_bytes = 0;           // limit for the body
  bool to_file = false;                 // the body goes to a file, not into memory
  std::shared_ptr<const void> known{};  // the handler's own data: stored in the head from now on
};

// Called from the server's threads, several at a time.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual Admission admit(const Head& head) = 0;
  virtual void handle(Request request, ReplyPtr reply) = 0;  // may answer later
  // Called after every answer, for unreadable requests (status 400), and for requests whose client
  // left before its answer (499). `bytes`: size of the body as sent.
  virtual void done(const Head& head, int status, std::size_t bytes, double seconds) = 0;
  // Why a request failed on the server's side; the client is not told.
  virtual void problem(const Head& head, const base::Diagnostics& why) = 0;
};

struct HttpSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;        // 0: any free port
  std::string certificate, key;  // PEM files; empty: no TLS
  std::size_t threads = 2;
  std::size_t most_connections = 10'000;          // fewer if the system does not allow that many
  std::optional<std::size_t> most_per_address{};  // none: a quarter; 0: no limit
  std::size_t most_header_bytes = 32u << 10;
  double idle_timeout = 60;           // seconds without a byte
  double request_timeout = 30;        // seconds for the head and, at 64 KiB/s or more, the body
  double slowest_reader = 16u << 10;  // least bytes/s a client must read, after idle_timeout
  std::string spool;                  // the folder for bodies that go to files
  // Reports that connections cannot be accepted for now, at most every few seconds. From any
  // thread.
  std::function<void(const base::Diagnostics&)> on_trouble{};
};

class HttpServer {
 public:
  // Starts answering. The handler must outlive the server. Code::cannot_listen
  static base::Result<std::unique_ptr<HttpServer>> start(const HttpSettings& settings,
                                                         Handler& handler);
  virtual ~HttpServer() = default;  // ends all connections

  virtual std::uint16_t port() const = 0;
  virtual std::size_t connections() const = 0;
  virtual void stop_listening() = 0;  // open connections continue
  // Waits until every request is answered, for at most `seconds`. False: some are not. Does not
  // wait for a request whose body has stalled.
  virtual bool drain(double seconds) = 0;
};

}  // namespace vibe::server
