// Dispatch: the step between HTTP and the routes. Finds the route of a request, checks the key and
// its role, rate limits and body size, calls the route, and keeps the access log and the metrics.
// Safe from any thread.
#pragma once

#include <optional>

#include "server/http.h"
#include "server/rate_limit.h"
#include "server/route.h"
#include "server/service.h"

namespace vibe::server {

class Dispatch : public Handler {
 public:
  explicit Dispatch(Service& service) : service_(service) {}

  Admission admit(const Head& head) override;
  void handle(Request request, ReplyPtr reply) override;
  void done(const Head& head, int status, std::size_t bytes, double seconds) override;
  void problem(const Head& head, const base::Diagnostics& why) override;

 private:
  Admission decide(const Head& head);
  // None: the caller may have the route's answer.
  std::optional<Response> authorise(const Head& head, const Route& route,
                                    std::optional<app::Caller>& caller);

  Service& service_;
  RateLimit by_key_, by_address_;
  RateLimit by_route_{10'000, 1};  // for routes with their own limit
};

}  // namespace vibe::server
