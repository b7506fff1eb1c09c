// HttpWorld: a server on loopback whose answers a test decides, and a client that sends any bytes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder.h"
#include "server/http.h"

namespace vibe::server {

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

// One connection. A read that takes longer than ten seconds fails.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port, int receive_buffer = 0);
  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient();

  bool send(std::string_view bytes);                 // false: the server does not take it
  std::optional<Answer> read(bool has_body = true);  // none: closed, or nothing for ten seconds
  std::optional<std::string> read_chunk();           // of a body after read(false); none: its end
  std::optional<Answer> ask(std::string_view request);
  void end_sending();
  bool is_closed();  // by the server; waits for it
  void close(bool reset = false);

 private:
  bool fill();
  std::optional<std::string> take(std::size_t bytes);
  std::optional<std::string> take_line();

  int socket_ = -1;
  std::string buffer_;
};

std::string get(std::string_view target, std::string_view more_headers = {});
std::string post(std::string_view target, std::string_view body, std::string_view more = {});

struct Done {
  std::string method, path, id;
  int status = 0;
  std::size_t bytes = 0;
};

class TestHandler final : public Handler {
 public:
  Admission admit(const Head& head) override;
  void handle(Request request, ReplyPtr reply) override;
  void done(const Head& head, int status, std::size_t bytes, double seconds) override;
  void problem(const Head& head, const base::Diagnostics& why) override;

  std::vector<Done> wait_for_done(std::size_t count);  // so many, or ten seconds
  std::vector<std::string> problems() const;           // `ID: what it was`

  // Set before the server starts. Without: any body, answered by `{"ok": true}`.
  std::function<Admission(const Head&)> admits;
  std::function<void(Request, ReplyPtr)> handles;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Done> done_;
  std::vector<std::string> problems_;
};

// Replies that a test answers later.
class Held {
 public:
  void add(ReplyPtr reply);
  std::vector<ReplyPtr> wait_for(std::size_t count);  // so many, or ten seconds; it forgets them

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ReplyPtr> replies_;
};

// True as soon as it is, within ten seconds.
bool eventually(const std::function<bool()>& holds);

class HttpWorld {
 public:
  HttpWorld();

  std::uint16_t start();  // the port
  RawClient connect() const { return RawClient(server->port()); }

  base::TempFolder folder;
  HttpSettings settings;
  TestHandler handler;
  std::unique_ptr<HttpServer> server;
};

}  // namespace vibe::server
