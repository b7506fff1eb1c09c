// ModelServer: the model server (tests/model_server/) as a child process, for as long as this
// lives. Its methods are safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/json_value.h"

namespace vibe::test {

// A program that prints `PORT n` first and ends with its standard input.
class Listener {
 public:
  explicit Listener(std::vector<std::string> command);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  int port() const { return port_; }

 private:
  pid_t process_ = -1;
  int input_ = -1;
  int port_ = 0;
};

class ModelServer {
 public:
  explicit ModelServer(const std::vector<std::string>& options = {});

  int port() const { return listener_.port(); }
  std::string url(std::string_view path = "") const;  // `http://127.0.0.1:PORT` + path

  base::JsonValue stats() const;
  std::int64_t count(std::string_view pointer) const;  // of the stats; -1: not there

 private:
  Listener listener_;
};

// A body for `POST /v1/chat/completions` with one message.
std::string chat_body(std::string_view prompt);

// A whole answer of an HTTP server on the loopback, headers included; empty: none came.
std::string ask(int port, std::string_view request);

}  // namespace vibe::test
