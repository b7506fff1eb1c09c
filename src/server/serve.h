// Serve: a complete server: the organisations and their stores, the queue workers, HTTP and its
// routes. Starting is all or nothing; stopping lets work in progress finish. Handles no signals and
// prints nothing: cli/serve.cpp does.
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
  config::Config config;  // `serve` has the address to listen on, and what suites may use
  std::string version;    // of the program
  // A public address without TLS is an error unless this is set.
  bool insecure = false;
  // A line for the operator: `listening on http://127.0.0.1:8080`, and on the first start
  // `admin key: vibe_…`, once. Called from the thread that calls start().
  std::function<void(std::string_view)> say = [](std::string_view) {};
};

class Serving {
 public:
  // Starts to listen and to work on the queue. Code::cannot_listen, Code::store_key, …
  static base::Result<std::unique_ptr<Serving>> start(ServeRequest request);
  virtual ~Serving() = default;  // calls stop()

  virtual void reopen_log() {}  // after the access log was moved away
  // Accepts no more connections, answers waiting requests, lets requests in flight finish, returns
  // the rest to the queue, and returns when all of it has ended. May be called again.
  virtual void stop() = 0;
};

}  // namespace vibe::server
