// How routes answer: JSON, errors as sentences, bodies read as JSON.
#include <array>

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

namespace {

struct StatusRow {
  Code code;
  int status;
};
constexpr std::array kStatuses{
    StatusRow{Code::bad_usage, 400},     StatusRow{Code::no_credit, 402},
    StatusRow{Code::not_found, 404},     StatusRow{Code::conflict, 409},
    StatusRow{Code::run_held, 409},      StatusRow{Code::lease_lost, 409},
    StatusRow{Code::limit_reached, 429}, StatusRow{Code::store_unusable, 503},
    StatusRow{Code::store_newer, 503},   StatusRow{Code::store_damaged, 503},
    StatusRow{Code::store_key, 503},     StatusRow{Code::cannot_write, 503},
    StatusRow{Code::no_client, 503},
};

}  // namespace

// The rest is about what the client sent, and has its place in it.
int status_of(Code code) {
  for (const auto& row : kStatuses)
    if (row.code == code) return row.status;
  return 422;
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
  if (!first.hint.empty()) out += "; " + first.hint;
  if (errors > 1) out += fmt::format(", and {} more error{}", errors - 1, errors > 2 ? "s" : "");
  return base::printable(out);  // messages may quote what was sent as it is
}

constexpr std::string_view kRetryAfter = "10";  // seconds; a place in a queue, more or less

}  // namespace

Response error(const Call& call, const base::Diagnostics& diagnostics) {
  const base::Diagnostic& first = first_error(diagnostics);
  const int status = status_of(first.code);
  if (status == 503) {
    call.service.log.write_problem(call.request.id, diagnostics);
    return error(status, kNoStore);
  }
  if (status != 422) {
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
