// HttpClient: many HTTP requests in flight on one thread of its own, with connections reused,
// TLS verified, proxies from the environment, retries and limits. Follows no redirects, and knows
// nothing of models.
// The only part that knows libcurl, which is loaded when the first client is made: a command
// that sends nothing does not pay for it. Safe to use from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace vibe::model {

inline constexpr int kMostTries = 5;

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpResponse;

struct HttpRequest {
  std::string method = "POST";
  std::string url;
  Headers headers;
  std::string body;
  double timeout = 60;                 // seconds, for each try
  std::size_t most_bytes = 32u << 20;  // of the answer's body
  int most_tries = kMostTries;
  // Never sent again where the server may have acted on it: only while no connection could be
  // made, and after a status of 429. It has a connection of its own.
  bool once = false;
  // Asked as the body comes, with what is there so far (no status yet), from the client's thread.
  // True: that is all of it, whatever the server would still send. A new try begins anew.
  std::function<bool(const HttpResponse& so_far)> complete{};
  // Takes the body of an answer with status 200 as it comes, which is then not in the response and
  // may be of any length. From the client's thread; a new try begins anew.
  std::function<void(std::string_view bytes)> on_data{};
};

struct HttpResponse {
  enum class Fault : std::uint8_t {
    none,  // an answer came, whatever its status
    cancelled,
    timed_out,
    connection,   // could not connect, or the connection broke
    certificate,  // TLS: the server could not be trusted
    too_large,
    bad_request,  // a URL that cannot be one
    not_public,   // no address of the host is public, and HttpOptions::public_only is set
  };
  Fault fault = Fault::none;
  std::string message;  // of a fault
  std::size_t own = 0;  // bytes at its beginning that are our own words
  int status = 0;
  Headers headers;  // names in lower case
  std::string body;
  double latency = 0;  // seconds: of the last try, from the first byte sent to the last received
  int tries = 0;
  bool sent = false;  // a connection was there, at the last try: the server may know the request

  std::string_view header(std::string_view name) const;  // lower case; empty: not there
};

// What to do after a try: the seconds to wait before the next, or a negative number to give up.
// `random` is from 0 to 1.
double retry_delay(const HttpResponse& response, double random);

struct HttpOptions {
  std::size_t most_connections = 1024;  // open at a time
  double retry_scale = 1;               // of the waiting times; tests use less
  // Connects to addresses of the Internet alone (base/address.h), whatever a host's name resolves
  // to at that moment, and through no proxy: for URLs that others have a say in.
  bool public_only = false;
  // Takes secrets out of the host that messages name; may be empty.
  std::function<void(std::string&)> mask{};
};

class HttpClient {
 public:
  using Done = std::function<void(HttpResponse)>;

  static base::Result<std::unique_ptr<HttpClient>> open(const HttpOptions& options = {});
  virtual ~HttpClient() = default;  // cancels what is in flight

  // Calls `done` exactly once, from the client's thread; it must not take long.
  virtual void send(HttpRequest request, Done done) = 0;

  virtual void cancel_all() = 0;  // what is in flight or waiting for its next try, now
};

}  // namespace vibe::model
