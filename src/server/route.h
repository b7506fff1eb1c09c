// Route: what a server answers to: method, path, who may ask, what it is for, who answers. The
// table is routes() in routes.cpp; `GET /api/openapi.json` and docs/api.md are made from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/team/organisations.h"
#include "base/json_value.h"
#include "server/http.h"
#include "server/http_answer.h"
#include "server/service.h"

namespace vibe::server {

inline constexpr std::size_t kMostBodyBytes = std::size_t{16} << 20;

// One request that a route answers.
struct Call {
  Service& service;
  Request request;
  std::vector<std::string> parameters;  // of the path, decoded, in order
  std::optional<app::Caller> caller;    // none: the route is open to anyone
  ReplyPtr reply;

  std::optional<std::string> query(std::string_view name) const { return request.target.get(name); }
  const std::string& organisation() const { return caller->organisation.id; }
};

struct Parameter {
  std::string_view name, type, doc;  // `limit`, `integer`, …
};

// Where a request is answered: reading a little on the threads of HTTP; what writes or may take
// longer, by the workers of the service. A list may take longer or not (takes_long() in listing.h).
enum class Where : std::uint8_t { at_once, workers, by_query };

struct Route {
  std::string_view method;
  std::string_view path;               // `/api/runs/:id`
  std::optional<store::Role> role;     // a key of at least this one may ask; none: anyone
  std::string_view summary;            // `lists runs`
  std::string_view details;            // further sentences, for the documentation
  std::span<const Parameter> query;    // parameters of the query
  std::string_view request, response;  // examples; empty: none
  void (*answer)(Call&& call);         // now, or later
  Where where = Where::at_once;
  bool takes_file = false;                  // its body is a file, and may be larger
  std::size_t most_bytes = kMostBodyBytes;  // of another body
  std::string_view response_type = "application/json";
  // Requests of a key that it may make in a minute at least, all at once, counted by themselves,
  // unless the operator has lowered the limit of its organisation: then that holds. 0: that always
  // holds, for all such routes together.
  std::int64_t usual_a_minute = 0;
};

std::span<const Route> routes();

// The route of a path, and what stands in the places of its parameters.
struct Found {
  const Route* route = nullptr;  // null: none for this method
  std::vector<std::string> parameters;
  std::string allowed;  // methods of this path; empty: there is no such path
};
Found find_route(std::string_view method, const std::vector<std::string>& segments);

// ---- how routes answer; a plain error() is in http_answer.h
Response json(std::string body, int status = 200);
// By the first error: its status and sentence. 422 lists all of them. What is wrong with the server
// itself is not told to the client: it goes to the log.
Response error(const Call& call, const base::Diagnostics& diagnostics);
int status_of(base::Code code);
inline constexpr std::string_view kFailed = "the server failed; its log says why";
inline constexpr std::string_view kNoStore =
    "the server cannot use its store now; its log says why";

// The body as a JSON object; none where it is not, which is then answered.
std::optional<base::JsonValue> read_object(const Call& call);

// What belongs to the caller's organisation; null where it cannot be had, which is then answered.
app::Tenants::Borrowed<app::Local> open_store(const Call& call);

// A route that has its answer at once.
template <Response (*Make)(const Call&, app::Local&)>
void with_store(Call&& call) {
  if (auto local = open_store(call)) call.reply->send(Make(call, *local));
}
template <Response (*Make)(const Call&)>
void plainly(Call&& call) {
  call.reply->send(Make(call));
}

}  // namespace vibe::server
