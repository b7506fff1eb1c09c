// Serve: a server put together: the organisations and their stores, the workers of the queue, HTTP
// and its routes. Starting is all or nothing; stopping lets what is under way come to an end. Waits
// for no signal and prints nothing: that is the command's (cli/serve.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "config/config.h"

namespace vibe::server {

struct ServeRequest {
  config::Config config;  // `serve` says where to listen, and what suites may use
  std::string version;    // of the program
  // A public address without TLS is an error unless this is set.
  bool insecure = false;
  // A line for the operator: `listening on http://127.0.0.1:8080`, and on the first start
  // `admin key: vibe_…`, once. Called from the thread that calls start().
  std::function<void(std::string_view)> say = [](std::string_view) {};
};

class Serving {
 public:
  // Listens, and works on the queue, from here on. Code::cannot_listen, Code::store_key, …
  static base::Result<std::unique_ptr<Serving>> start(ServeRequest request);
  virtual ~Serving() = default;  // as stop()

  virtual void reopen_log() {}  // the access log, which was moved away
  // Takes no further connections, answers what waits, lets what is in flight finish, hands the rest
  // of the queue back, and returns when all of it has ended. May be called again.
  virtual void stop() = 0;
};

}  // namespace vibe::server
