// Route: one row of the API: method, path, required role, summary, handler. The table is routes()
// in routes.cpp; `GET /api/openapi.json` and docs/api.md are made from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "app/team/organisations.h"
#include "base/json_value.h"
#include "server/body.h"
#include "server/http.h"
#include "server/http_answer.h"
#include "server/service.h"

namespace vibe::server {

inline constexpr std::size_t kMostBodyBytes = std::size_t{16} << 20;

struct Route;

// One request that a route answers.
struct Call {
  Service& service;
  const Route& route;
  Request request;
  std::vector<std::string> parameters;  // path parameters, decoded, in order
  std::optional<app::Caller> caller;    // none: the route is open to everyone
  ReplyPtr reply;

  std::optional<std::string> query(std::string_view name) const { return request.target.get(name); }
  const std::string& organisation() const { return caller->organisation.id; }
};

struct Parameter {
  std::string_view name, type, doc;  // `limit`, `integer`, …
};

// Where a request is answered: short reads on the HTTP threads; writes, and anything that may take
// longer, on the service's workers. A list may be either (takes_long() in listing.h).
enum class Where : std::uint8_t { at_once, workers, by_query };

struct Route {
  std::string_view method;
  std::string_view path;               // `/api/runs/:id`
  std::optional<store::Role> role;     // the least role of the key; none: open to everyone
  std::string_view summary;            // `lists runs`
  std::string_view details;            // more sentences, for the documentation
  std::span<const Parameter> query;    // query parameters
  std::string_view request, response;  // examples; empty: none
  void (*answer)(Call&& call);         // answers now or later
  Where where = Where::at_once;
  bool takes_file = false;                  // its body is a file, and may be larger
  std::size_t most_bytes = kMostBodyBytes;  // limit for other bodies
  std::string_view response_type = "application/json";
  // Requests per minute that a key may always make to this route, all at once, counted separately,
  // unless the operator has lowered the organisation's limit: then that limit applies. 0: the
  // organisation's limit always applies, shared with all such routes.
  std::int64_t usual_a_minute = 0;
  const base::Section* body = nullptr;  // the keys of a JSON body; null: not read
};

std::span<const Route> routes();

// The route of a path, and the values of its path parameters.
struct Found {
  const Route* route = nullptr;  // null: no route for this method
  std::vector<std::string> parameters;
  std::string allowed;  // methods of this path; empty: unknown path
};
Found find_route(std::string_view method, const std::vector<std::string>& segments);

// ---- how routes answer; a plain error() is in http_answer.h
Response json(std::string body, int status = 200);
// Status and sentence come from the first error; 400 and 422 list all of them. Problems of the
// server itself are logged, not sent to the client.
Response error(const Call& call, const base::Diagnostics& diagnostics);
int status_of(base::Code code);
inline constexpr std::string_view kFailed = "the server failed; its log says why";
inline constexpr std::string_view kNoStore =
    "the server cannot use its store now; its log says why";

// The body as a JSON object; if it is not one, sends the error and returns none.
std::optional<base::JsonValue> read_object(const Call& call);

// The data of the caller's organisation; if it is not available, sends the error and returns null.
app::Tenants::Borrowed<app::Local> open_store(const Call& call);

// A route that answers at once.
template <Response (*Make)(const Call&, app::Local&)>
void with_store(Call&& call) {
  if (auto local = open_store(call)) call.reply->send(Make(call, *local));
}
template <Response (*Make)(const Call&)>
void plainly(Call&& call) {
  call.reply->send(Make(call));
}

inline void no_rules(const Body&, base::Diagnostics&) {}

// A route that answers at once if its body is valid, by the keys of its row: Make(call, local,
// body), or Make(call, body) without a store. `Rules` checks what rows cannot express.
template <auto Make, void (*Rules)(const Body&, base::Diagnostics&) = no_rules>
void with_body(Call&& call) {
  const auto sent = read_object(call);
  if (!sent) return;
  const Body body(*call.route.body, *sent);
  base::Diagnostics found;
  body.report(found);
  Rules(body, found);
  if (found.failed()) {
    call.reply->send(error(call, found));
  } else if constexpr (std::is_invocable_v<decltype(Make), const Call&, const Body&>) {
    call.reply->send(Make(call, body));
  } else if (auto local = open_store(call)) {
    call.reply->send(Make(call, *local, body));
  }
}

}  // namespace vibe::server
