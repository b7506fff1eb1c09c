#include "server/dispatch.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "server/caller.h"
#include "server/guarded.h"
#include "server/listing.h"

namespace vibe::server {

namespace {

// Per address: a client without a valid key cannot be counted by key.
constexpr std::int64_t kOpenRequestsAMinute = 1'200, kWrongKeysAMinute = 120;

Response too_many(std::string_view what, std::int64_t seconds) {
  Response out = error(429, fmt::format("too many {}, try again in {} s", what, seconds));
  out.headers.emplace_back("Retry-After", std::to_string(seconds));
  return out;
}

// Monitoring calls these, and must not take a rate limit for an outage.
bool is_probe(const Route& route) { return route.path == "/healthz" || route.path == "/readyz"; }

// A mistyped filter must not list everything.
std::optional<Response> refuse_unknown_filter(const Target& target, const Route& route) {
  for (const auto& [name, value] : target.query) {
    if (name.find("__") == name.npos) continue;
    const auto is_it = [&wanted = name](const Parameter& row) { return row.name == wanted; };
    if (std::any_of(route.query.begin(), route.query.end(), is_it)) continue;
    return error(400, fmt::format("Invalid filter `{}`: no such filter",
                                  base::printable(base::shorten(name, 100))));
  }
  return std::nullopt;
}

// If the operator has lowered the limit, it applies to all requests.
std::int64_t allowed_of(const Route& route, std::int64_t allowed) {
  const bool is_lowered = allowed < store::Limits{}.requests_a_minute;
  return is_lowered ? allowed : std::max(allowed, route.usual_a_minute);
}

// What the request head contains.
struct Known {
  Found found;
  std::optional<app::Caller> caller;
};

const Known& known_of(const Head& head) { return *static_cast<const Known*>(head.known.get()); }

std::string route_name(const Route& route) {
  return fmt::format("{} {}", route.method, route.path);
}

void answer(Service& service, Call call) {
  const Route& route = call.route;
  const ReplyPtr reply = call.reply;
  const std::string id = call.request.id;
  if (guarded(service.log, id, [&] { route.answer(std::move(call)); })) return;
  guarded(service.log, id, [&] { reply->send(error(500, kFailed)); });
}

}  // namespace

std::optional<Response> Dispatch::authorise(const Head& head, const Route& route,
                                            std::optional<app::Caller>& caller) {
  if (is_probe(route)) return std::nullopt;
  const auto now = std::chrono::steady_clock::now();
  const std::string_view key = key_of(head);
  if (!route.role || key.empty()) {
    if (const auto wait = by_address_.refuse("open " + head.network, kOpenRequestsAMinute, now))
      return too_many("requests without a key", *wait);
    if (!route.role) return std::nullopt;
    return refused_key("this needs a key: send it as `X-API-KEY` or as `Authorization: Bearer`");
  }
  auto found = find_caller(service_, key);
  if (!found) {
    service_.log.write_problem(head.id, found.error());
    return error(503, "the server cannot look up keys");
  }
  caller = *std::move(found);
  if (!caller) {
    // Wrong keys never block a right one: others may share the address, behind a proxy.
    if (const auto wait = by_address_.refuse("guesses " + head.network, kWrongKeysAMinute, now))
      return too_many("wrong keys", *wait);
    return refused_key();
  }
  const std::int64_t allowed = caller->organisation.limits.requests_a_minute;
  const auto wait = route.usual_a_minute > 0
                        ? by_route_.refuse(fmt::format("{} {}", route.path, caller->key.id),
                                           allowed_of(route, allowed), now)
                        : by_key_.refuse(caller->key.id, allowed, now);
  if (wait) return too_many("requests", *wait);
  if (caller->key.role < *route.role)
    return error(403, fmt::format("the key has the role `{}`, but this needs `{}`",
                                  to_string(caller->key.role), to_string(*route.role)));
  return refuse_unknown_filter(head.target, route);
}

namespace {

Response no_route(const Head& head, const Found& found) {
  const std::string path = base::printable(base::shorten(head.target.path, 200));
  if (found.allowed.empty()) return error(404, fmt::format("there is no route `{}`", path));
  Response out = error(405, fmt::format("`{}` takes {}", path, found.allowed));
  out.headers.emplace_back("Allow", found.allowed);
  return out;
}

}  // namespace

Admission Dispatch::admit(const Head& head) {
  Admission out;
  if (!guarded(service_.log, head.id, [&] { out = decide(head); })) {
    out = {};
    out.refusal = error(500, kFailed);
  }
  return out;
}

Admission Dispatch::decide(const Head& head) {
  auto known = std::make_shared<Known>();
  known->found = find_route(head.method, head.target.segments);
  Admission out{.most_bytes = kMostBodyBytes, .known = known};
  const Route* route = known->found.route;
  if (!route) {
    out.refusal = no_route(head, known->found);
  } else if (service_.queue.load() == nullptr) {
    out.refusal = error(503, "the server is starting");
  } else {
    out.refusal = authorise(head, *route, known->caller);
    out.to_file = route->takes_file;
    out.most_bytes = out.to_file ? service_.config.serve.most_upload_bytes : route->most_bytes;
  }
  return out;
}

void Dispatch::handle(Request request, ReplyPtr reply) {
  const Known& known = known_of(request);
  const Route& route = *known.found.route;
  Call call{service_, route, std::move(request), known.found.parameters, known.caller, reply};
  const bool is_quick = route.where == Where::at_once ||
                        (route.where == Where::by_query && !takes_long(call.request.target));
  if (is_quick) return answer(service_, std::move(call));
  const std::string owner = call.caller ? call.organisation() : "anyone";
  const auto shared = std::make_shared<Call>(std::move(call));  // tasks must be copyable
  const bool is_added =
      service_.workers.add([this, shared] { answer(service_, std::move(*shared)); }, owner);
  if (!is_added) reply->send(error(503, "the server has no free thread now"));
}

void Dispatch::done(const Head& head, int status, std::size_t bytes, double seconds) {
  AccessLine line{.id = head.id,
                  .method = head.method,
                  .path = head.target.path,
                  .peer = head.peer,
                  .status = status,
                  .bytes = bytes,
                  .seconds = seconds,
                  .organisation = {},
                  .key = {}};
  std::string route = "other";
  if (head.known) {
    const Known& known = known_of(head);
    if (known.found.route) route = route_name(*known.found.route);
    if (known.caller) {
      line.organisation = known.caller->organisation.slug;
      line.key = known.caller->key.id;
    }
  }
  service_.metrics.add_request(route, status, seconds);
  service_.log.write(line);
}

void Dispatch::problem(const Head& head, const base::Diagnostics& why) {
  service_.log.write_problem(head.id, why);
}

}  // namespace vibe::server
