// A client without a network: keeps the requests, gives prepared responses.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/http_client.h"

namespace vibe::model {

struct FakeWire {
  std::vector<HttpRequest> sent;
  std::function<HttpResponse(const HttpRequest&)> answer;  // null: waits until it is cancelled
  std::vector<HttpClient::Done> waiting;
};

class FakeClient final : public HttpClient {
 public:
  explicit FakeClient(FakeWire& wire) : wire_(wire) {}
  FakeClient(const FakeClient&) = delete;
  FakeClient& operator=(const FakeClient&) = delete;
  ~FakeClient() override { FakeClient::cancel_all(); }

  void send(HttpRequest request, Done done) override {
    wire_.sent.push_back(request);
    if (wire_.answer)
      done(wire_.answer(request));
    else
      wire_.waiting.push_back(std::move(done));
  }

  void cancel_all() override {
    for (auto& done : std::exchange(wire_.waiting, {})) {
      HttpResponse response;
      response.fault = HttpResponse::Fault::cancelled;
      response.tries = 1;
      done(response);
    }
  }

 private:
  FakeWire& wire_;
};

inline HttpResponse response_of(int status, std::string body, int tries = 1) {
  HttpResponse out;
  out.status = status;
  out.body = std::move(body);
  out.tries = tries;
  out.latency = 0.25;
  out.headers = {{"content-type", "application/json"}};
  return out;
}

inline HttpResponse fault_of(HttpResponse::Fault fault, std::string message = {}, int tries = 1) {
  HttpResponse out;
  out.fault = fault;
  out.message = std::move(message);
  out.tries = tries;
  return out;
}

}  // namespace vibe::model
