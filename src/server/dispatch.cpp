#include "server/dispatch.h"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "server/route.h"

namespace vibe::server {

namespace {

// Of what changes something without a key: each client's, by its address.
constexpr std::int64_t kOpenPostsAMinute = 600;

bool may(store::Role role, Access access) {
  switch (access) {
    case Access::anyone:
    case Access::read: return true;
    case Access::run: return role != store::Role::read;
    case Access::admin: return role == store::Role::admin;
  }
  std::abort();
}

Response too_many(std::int64_t seconds) {
  Response out = error(429, fmt::format("too many requests, try again in {} s", seconds));
  out.headers.emplace_back("Retry-After", std::to_string(seconds));
  return out;
}

// What is known of a request from its head.
struct Known {
  Found found;
  std::optional<app::Caller> caller;
};

const Known& known_of(const Head& head) { return *static_cast<const Known*>(head.known.get()); }

std::string route_name(const Route& route) {
  return fmt::format("{} {}", route.method, route.path);
}

void answer(Service& service, const Route& route, Call call) {
  const ReplyPtr reply = call.reply;
  const std::string id = call.request.id;
  std::string problem;
  try {
    return route.answer(std::move(call));
  } catch (const std::exception& thrown) {  // memory, or a bug: the server goes on
    problem = thrown.what();
  }
  base::Diagnostics found;
  found.add(base::Code::refused_by_server, {}, fmt::format("an exception: {}", problem));
  service.log.write_problem(id, found);
  reply->send(error(500, "the server failed; its log says why"));
}

}  // namespace

std::string_view key_of(const Head& head) {
  const std::string_view own = base::trim(head.header("x-api-key"));
  if (!own.empty()) return own;
  constexpr std::string_view kBearer = "bearer ";
  const std::string_view text = base::trim(head.header("authorization"));
  if (base::lower_ascii(text.substr(0, kBearer.size())) != kBearer) return {};
  return base::trim(text.substr(kBearer.size()));
}

namespace {

// None: the caller may have the route's answer.
std::optional<Response> authorise(Service& service, RateLimit& limit, const Head& head,
                                  const Route& route, std::optional<app::Caller>& caller) {
  const auto now = std::chrono::steady_clock::now();
  if (route.access == Access::anyone) {
    if (route.method == "GET") return std::nullopt;
    const auto wait = limit.refuse("peer " + head.peer, kOpenPostsAMinute, now);
    return wait ? std::optional(too_many(*wait)) : std::nullopt;
  }
  const auto refused = [](std::string_view sentence) {
    Response out = error(401, sentence);
    out.headers.emplace_back("WWW-Authenticate", "Bearer");
    return out;
  };
  const std::string_view key = key_of(head);
  if (key.empty())
    return refused("a key is needed: send it as `X-API-KEY` or as `Authorization: Bearer`");
  {
    auto directory = service.tenants.directory();
    auto found =
        directory
            ? app::check_key(**directory, service.tenants.master_key(), key, base::now_millis())
            : base::Result<std::optional<app::Caller>>(tl::unexpected(directory.error()));
    if (!found) {
      service.log.write_problem(head.id, found.error());
      return error(503, "the server cannot look up keys");
    }
    caller = *std::move(found);
  }
  if (!caller) return refused("the key is not known, has expired, or was revoked");
  if (const auto wait =
          limit.refuse(caller->key.id, caller->organisation.limits.requests_a_minute, now))
    return too_many(*wait);
  if (!may(caller->key.role, route.access))
    return error(403, fmt::format("the key has the role `{}`, this needs `{}`",
                                  to_string(caller->key.role), to_string(route.access)));
  return std::nullopt;
}

Response no_route(const Head& head, const Found& found) {
  const std::string path = base::printable(base::shorten(head.target.path, 200));
  if (found.allowed.empty()) return error(404, fmt::format("there is no route `{}`", path));
  Response out = error(405, fmt::format("`{}` takes {}", path, found.allowed));
  out.headers.emplace_back("Allow", found.allowed);
  return out;
}

}  // namespace

Admission Dispatch::admit(const Head& head) {
  auto known = std::make_shared<Known>();
  known->found = find_route(head.method, head.target.segments);
  Admission out{.most_bytes = kMostBodyBytes, .known = known};
  const Route* route = known->found.route;
  if (!route) {
    out.refusal = no_route(head, known->found);
  } else if (service_.queue.load() == nullptr) {
    out.refusal = error(503, "the server is starting");
  } else {
    out.refusal = authorise(service_, limit_, head, *route, known->caller);
    out.to_file = route->takes_file;
    if (out.to_file) out.most_bytes = service_.config.serve.most_upload_bytes;
  }
  return out;
}

void Dispatch::handle(Request request, ReplyPtr reply) {
  const Known& known = known_of(request);
  const Route& route = *known.found.route;
  Call call{service_, std::move(request), known.found.parameters, known.caller, reply};
  if (route.where == Where::at_once) return answer(service_, route, std::move(call));
  const auto shared = std::make_shared<Call>(std::move(call));  // tasks have to be copyable
  const bool is_added =
      service_.workers.add([this, &route, shared] { answer(service_, route, std::move(*shared)); });
  if (!is_added) reply->send(error(503, "the server has no thread for this now"));
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

}  // namespace vibe::server
