// Servers on loopback for tests of clients: ServedWorld is a real one, StubServer gives the answers
// that a test sets.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/environment.h"
#include "app/server_world.h"
#include "base/temp_folder.h"
#include "remote/archive.h"
#include "remote/server.h"
#include "server/http_world.h"
#include "server/serve.h"

namespace vibe::app {

// Divides waiting times by 1000.
inline model::HttpOptions impatient() {
  model::HttpOptions out;
  out.retry_scale = 0.001;
  return out;
}

inline std::unique_ptr<remote::Server> connect_to(const std::string& url, const std::string& key) {
  auto server = remote::Server::open({url, key}, impatient());
  if (!server) {
    ADD_FAILURE() << base::render(server.error());
    std::abort();
  }
  return *std::move(server);
}

// A `vibe serve` in this process. Its models answer as in ServerWorld.
class ServedWorld {
  test::Environment environment_;  // restored last

 public:
  explicit ServedWorld(const std::vector<std::string>& local_models = {}) {
    environment_.unset_proxies();
    environment_.unset("VIBECHECK_MASTER_KEY");
    server::ServeRequest request;
    request.config.home = folder_.path() + "/server";
    request.config.serve.port = 0;
    request.config.serve.access_log = folder_.path() + "/access.log";
    request.config.serve.local_models = local_models;
    request.config.models.variable = [](std::string_view name) -> std::optional<std::string> {
      return name == "OPENAI_API_KEY" ? std::optional<std::string>("sk-test") : std::nullopt;
    };
    request.config.models.make_client =
        [this](const model::HttpOptions&) -> base::Result<std::unique_ptr<model::HttpClient>> {
      return std::make_unique<WireClient>(wire);
    };
    request.version = "1.2.3";
    request.say = [this](std::string_view line) {
      constexpr std::string_view kWhere = "listening on ", kKey = "admin key: ";
      if (line.starts_with(kWhere)) url = line.substr(kWhere.size());
      if (line.starts_with(kKey)) key = line.substr(kKey.size());
    };
    auto started = server::Serving::start(std::move(request));
    if (!started) {
      ADD_FAILURE() << base::render(started.error());
      std::abort();
    }
    serving_ = *std::move(started);
    server = connect_to(url, key);
    archive = remote::make_archive(*server);
  }
  ~ServedWorld() {
    wire.let_go();
    serving_->stop();
  }

  std::string home() const { return folder_.path() + "/server"; }
  void stop() { serving_->stop(); }

  Wire wire;
  std::string url, key;                     // an admin key
  std::unique_ptr<remote::Server> server;   // a client with that key
  std::unique_ptr<store::Archive> archive;  // the client's view

 private:
  const base::TempFolder folder_ = base::TempFolder::make().value();
  std::unique_ptr<server::Serving> serving_;
};

// Answers each route as set by answer(); any other with 404.
class StubServer {
  test::Environment environment_;  // restored last

 public:
  struct Asked {
    std::string what;  // `GET /api/version`
    std::string body, authorization;
    std::vector<std::pair<std::string, std::string>> query;
  };

  StubServer() {
    environment_.unset_proxies();
    world_.handler.handles = [this](server::Request request, server::ReplyPtr reply) {
      server::Response response{.status = 404, .body = R"({"error": "no"})"};
      {
        const std::lock_guard lock(mutex_);
        const std::string what = request.method + " " + request.target.path;
        if (const auto found = answers_.find(what); found != answers_.end())
          response = found->second;
        asked_.push_back({what, request.body, std::string(request.header("authorization")),
                          request.target.query});
      }
      reply->send(std::move(response));
    };
    url_ = fmt::format("http://127.0.0.1:{}", world_.start());
    server = connect_to(url_, "vibe_key");
    archive = remote::make_archive(*server);
    answer("GET /api/version", R"({"version": "1.2.3"})");
  }

  const std::string& url() const { return url_; }
  void answer(const std::string& what, std::string body, int status = 200,
              std::string type = "application/json") {
    const std::lock_guard lock(mutex_);
    answers_[what] = {.status = status, .type = std::move(type), .body = std::move(body)};
  }
  // All requests so far, in order.
  std::vector<Asked> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  // The requests to one route.
  std::vector<Asked> asked(std::string_view what) const {
    auto out = asked();
    std::erase_if(out, [&](const Asked& one) { return one.what != what; });
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, server::Response> answers_;
  std::vector<Asked> asked_;
  std::string url_;
  server::HttpWorld world_;

 public:
  std::unique_ptr<remote::Server> server;  // destroyed before the server
  std::unique_ptr<store::Archive> archive;
};

}  // namespace vibe::app
