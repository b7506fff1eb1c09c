// How routes answer: JSON, errors as sentences, bodies read as JSON.
#include <cstdlib>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "server/route.h"

namespace vibe::server {

using base::Code;

Response json(std::string body, int status) {
  Response out;
  out.status = status;
  out.body = std::move(body);
  return out;
}

int status_of(Code code) {
  switch (base::fault_of(code)) {
    case base::Fault::input: return 422;  // about the client's input, with its position
    case base::Fault::usage: return 400;
    case base::Fault::missing: return 404;
    case base::Fault::conflict:
    case base::Fault::busy: return 409;
    case base::Fault::limit: return 429;
    case base::Fault::credit: return 402;
    case base::Fault::setup:
    case base::Fault::world: return 503;
  }
  std::abort();
}

namespace {

// The first error, and where it is.
const base::Diagnostic& first_error(const base::Diagnostics& diagnostics) {
  for (const auto& one : diagnostics.all())
    if (one.severity == base::Severity::error) return one;
  return diagnostics.all().front();
}

std::string sentence_of(const base::Diagnostic& first, std::size_t errors) {
  std::string out = first.message;
  if (first.source) {
    const auto at = first.source->position(first.span.begin);
    out += fmt::format(" (line {}, column {})", at.line, at.column);
  }
  if (errors > 1)  // their hints are in the list
    out += fmt::format(", and {}", base::counted(errors - 1, "more error"));
  else if (!first.hint.empty())
    out += "; " + first.hint;
  return base::printable(out);  // messages may quote the client's bytes
}

constexpr std::string_view kRetryAfter = "10";  // seconds; roughly until the queue has room

}  // namespace

Response error(const Call& call, const base::Diagnostics& diagnostics) {
  const base::Diagnostic& first = first_error(diagnostics);
  const int status = status_of(first.code);
  if (status == 503) {
    call.service.log.write_problem(call.request.id, diagnostics);
    return error(status, kNoStore);
  }
  if (status != 400 && status != 422) {
    Response out = error(status, sentence_of(first, 1));
    if (status == 429) out.headers.emplace_back("Retry-After", kRetryAfter);
    return out;
  }
  base::JsonWriter out;
  out.begin_object().key("error").string(sentence_of(first, diagnostics.errors()));
  out.key("diagnostics").begin_array();
  for (const auto& one : diagnostics.all()) base::write_json(out, one);
  out.end_array().end_object();
  return json(out.text(), status);
}

std::optional<base::JsonValue> read_object(const Call& call) {
  const std::string type = base::lower_ascii(call.request.header("content-type"));
  const std::string_view name = base::trim(std::string_view(type).substr(0, type.find(';')));
  if (!name.empty() && name != "application/json") {
    call.reply->send(error(415, fmt::format("the body is `{}`, expected `application/json`",
                                            base::printable(base::shorten(name, 100)))));
    return std::nullopt;
  }
  auto body = base::parse_json(call.request.body);
  if (!body) {
    call.reply->send(error(400, fmt::format("the body is not JSON: {}", body.error())));
    return std::nullopt;
  }
  if (!body->object()) {
    call.reply->send(error(400, "the body is not a JSON object"));
    return std::nullopt;
  }
  return *std::move(body);
}

app::Tenants::Borrowed<app::Local> open_store(const Call& call) {
  auto local = call.service.tenants.local(call.organisation());
  if (local) return *std::move(local);
  call.reply->send(error(call, local.error()));
  return {nullptr, [](app::Local*) {}};
}

}  // namespace vibe::server
