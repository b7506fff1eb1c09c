// What the tests of the HTTP client share: clients, requests, and waiting for answers.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <netinet/in.h>

#include "model/http_client.h"
#include "model/server.h"

namespace vibe::model {

using test::ModelServer;
using Fault = HttpResponse::Fault;

inline std::unique_ptr<HttpClient> open_client(double retry_scale = 0.01,
                                               std::size_t connections = 1024) {
  HttpOptions options;
  options.retry_scale = retry_scale;
  options.most_connections = connections;
  auto client = HttpClient::open(options);
  EXPECT_TRUE(client.has_value());
  return std::move(*client);
}

inline HttpRequest chat(const ModelServer& server, std::string_view prompt) {
  HttpRequest out;
  out.url = server.url("/v1/chat/completions");
  out.headers = {{"Content-Type", "application/json"}, {"Authorization", "Bearer sk-secret"}};
  out.body = test::chat_body(prompt);
  return out;
}

// Waits until as many answers came as were asked for.
class Gathered {
 public:
  HttpClient::Done one() {
    const std::lock_guard lock(mutex_);
    ++asked_;
    return [this](HttpResponse response) {
      const std::lock_guard inner(mutex_);
      responses_.push_back(std::move(response));
      came_.notify_all();
    };
  }

  const std::vector<HttpResponse>& all() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(came_.wait_for(lock, std::chrono::seconds(120),
                               [&] { return responses_.size() == asked_; }))
        << responses_.size() << " of " << asked_;
    return responses_;
  }

  std::size_t came() {
    const std::lock_guard lock(mutex_);
    return responses_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::size_t asked_ = 0;
  std::vector<HttpResponse> responses_;
};

inline HttpResponse fetch(HttpClient& client, HttpRequest request) {
  Gathered gathered;
  client.send(std::move(request), gathered.one());
  const auto& all = gathered.all();
  return all.empty() ? HttpResponse{} : all.front();
}

// Sends `count` requests, at most `in_flight` at a time.
inline std::vector<HttpResponse> fetch_many(HttpClient& client, const HttpRequest& request,
                                            std::size_t count, std::size_t in_flight) {
  Gathered gathered;
  std::atomic<std::size_t> next = 0;
  std::function<void()> send_next = [&] {
    if (next.fetch_add(1) >= count) return;
    client.send(request, [&, done = gathered.one()](HttpResponse response) {
      send_next();
      done(std::move(response));
    });
  };
  for (std::size_t i = 0; i < in_flight; ++i) send_next();
  return gathered.all();
}

// A port of the loopback on which nobody listens.
inline int dead_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  bind(descriptor, generic, size);
  getsockname(descriptor, generic, &size);
  close(descriptor);
  return ntohs(address.sin_port);
}

// Sets a variable of the environment for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

}  // namespace vibe::model
