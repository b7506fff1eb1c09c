// HttpClient: many HTTP requests in flight on its own thread, with reused connections, verified
// TLS, proxies from the environment, retries and limits. Does not follow redirects, and knows
// nothing of models.
// Only the client uses libcurl, which is loaded when the first client is made: a command that sends
// nothing does not pay for it. Safe to use from any thread.
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
  // Never sent again if the server may have acted on it: only if no connection could be made, or
  // after status 429. It gets its own connection.
  bool once = false;
  // Called as the body arrives, with the bytes so far (no status yet), from the client's thread.
  // True: the body is complete, whatever the server would still send. A new try starts over.
  std::function<bool(const HttpResponse& so_far)> complete{};
  // Takes the body of an answer with status 200 as it arrives. The body is then not in the response
  // and may have any length. Called from the client's thread; a new try starts over.
  std::function<void(std::string_view bytes)> on_data{};
};

struct HttpResponse {
  enum class Fault : std::uint8_t {
    none,  // an answer arrived, with any status
    cancelled,
    timed_out,
    connection,   // could not connect, or the connection broke
    certificate,  // TLS: the server could not be trusted
    too_large,
    bad_request,  // the URL is malformed
    not_public,   // no address of the host is public, and HttpOptions::public_only is set
  };
  Fault fault = Fault::none;
  std::string message;  // describes the fault
  std::size_t own = 0;  // its first bytes that are our own words
  int status = 0;
  Headers headers;  // names in lower case
  std::string body;
  double latency = 0;  // seconds of the last try, from the first byte sent to the last received
  int tries = 0;
  bool sent = false;  // the last try had a connection: the server may know the request

  std::string_view header(std::string_view name) const;  // lower case; empty: absent
};

// What to do after a try: the seconds to wait before the next, or a negative number to give up.
// `random` is from 0 to 1.
double retry_delay(const HttpResponse& response, double random);

struct HttpOptions {
  std::size_t most_connections = 1024;  // open at a time
  double retry_scale = 1;               // of the waiting times; tests use less
  // Connects only to public addresses (base/address.h), whatever a host name resolves to at that
  // moment, and never through a proxy: for URLs that others can choose.
  bool public_only = false;
  // Masks secrets in the host that messages name; may be empty.
  std::function<void(std::string&)> mask{};
};

class HttpClient {
 public:
  using Done = std::function<void(HttpResponse)>;

  static base::Result<std::unique_ptr<HttpClient>> open(const HttpOptions& options = {});
  virtual ~HttpClient() = default;  // cancels requests in flight

  // Calls `done` exactly once, from the client's thread; it must not take long.
  virtual void send(HttpRequest request, Done done) = 0;

  virtual void cancel_all() = 0;  // at once; also requests that wait for their next try
};

}  // namespace vibe::model
