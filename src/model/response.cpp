// What all formats share: faults, errors, excerpts.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "model/provider.h"

namespace vibe::model {

namespace {

using Fault = HttpResponse::Fault;

constexpr std::size_t kMostMessage = 300;  // code points of a provider's message
constexpr std::size_t kMostExcerpt = 120;

std::string one_line(std::string_view text, std::size_t most) {
  // A code point has at most four bytes; this avoids scanning 10 MB for one line.
  const std::string_view head = text.substr(0, 8 * most + 8);
  std::string shown = base::fold_white_space(base::trim(base::printable(head)));
  if (head.size() < text.size()) shown += "…";
  return base::shorten(shown, most);
}

std::string scalar_text(const base::JsonValue* value) {
  if (!value || value->is_null() || value->array() || value->object()) return {};
  return value->text() ? *value->text() : base::to_text(*value);
}

struct Said {
  std::string message, code;
};

// `{error: {message, type, code}}`, `{error: "…"}`, `{message: "…"}`, `{detail: "…" or [{msg}]}`.
Said what_it_says(const base::JsonValue& root) {
  const base::JsonValue* error = root.find("error");
  if (error && error->text()) return {*error->text(), {}};
  if (error && error->object()) {
    Said said{scalar_text(error->find("message")), scalar_text(error->find("code"))};
    if (said.code.empty()) said.code = scalar_text(error->find("type"));
    // OpenRouter: the message of the provider behind it.
    const base::JsonValue* raw = error->pointer("/metadata/raw");
    if (raw && raw->text() && !raw->text()->empty()) said.message += ": " + *raw->text();
    return said;
  }
  if (const auto message = scalar_text(root.find("message")); !message.empty())
    return {message, {}};
  const base::JsonValue* detail = root.find("detail");
  if (detail && detail->array()) {
    const base::JsonValue* first = detail->pointer("/0/msg");
    return {first ? scalar_text(first) : base::to_text(*detail), {}};
  }
  return {scalar_text(detail), {}};
}

std::string show(const Said& said) {
  std::string out = one_line(said.message, kMostMessage);
  const std::string code = one_line(said.code, 60);
  const bool is_status =
      std::all_of(code.begin(), code.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_status && out.find(code) == std::string::npos)
    out += out.empty() ? code : fmt::format(" ({})", code);
  return out;
}

Failure::Kind kind_of_status(std::int64_t status) {
  return status >= 500 ? Failure::Kind::unreachable : Failure::Kind::refused;
}

Failure of_status(const HttpResponse& response) {
  std::string said;
  if (const auto root = base::parse_json(response.body)) said = show(what_it_says(*root));
  if (said.empty()) said = one_line(response.body, kMostMessage);
  if (said.empty() && response.status / 100 == 3)
    said = fmt::format("moved to `{}`", one_line(response.header("location"), kMostExcerpt));
  Failure out = own_failure(kind_of_status(response.status),
                            fmt::format("HTTP {}", response.status), response.tries);
  if (!said.empty()) out.message += ": " + said;
  return out;
}

Failure of_fault(const HttpResponse& response, double timeout) {
  using Kind = Failure::Kind;
  const std::string said = one_line(response.message, kMostMessage);
  const auto with = [&](Kind kind, std::string_view what) {
    Failure out = own_failure(kind, std::string(what), response.tries);
    if (said.empty()) return out;
    out.message += ": " + said;
    if (response.own > 0) out.own += 2 + std::min(response.own, said.size());
    return out;
  };
  switch (response.fault) {
    case Fault::none: break;
    case Fault::cancelled: return own_failure(Kind::cancelled, "cancelled", response.tries);
    case Fault::timed_out:
      return own_failure(Kind::timed_out, fmt::format("no response within {} s", timeout),
                         response.tries);
    case Fault::connection: return with(Kind::unreachable, "no connection");
    case Fault::certificate:
      return with(Kind::unreachable, "the server's certificate cannot be trusted");
    case Fault::too_large: return with(Kind::malformed, "the response is too large");
    case Fault::bad_request: return with(Kind::refused, "cannot be sent");
    case Fault::not_public:
      return {Kind::refused, said, response.tries, 0, std::min(response.own, said.size())};
  }
  return {Kind::unreachable, said, response.tries};
}

}  // namespace

std::string excerpt(std::string_view text) { return one_line(text, kMostExcerpt); }

std::string shown(std::string_view name) { return base::shorten(base::printable(name), 80); }

void hide_keys(std::string& text, const std::vector<std::string>& keys, std::size_t from) {
  constexpr std::string_view kInstead = "[key]";
  for (const std::string& key : keys) {
    if (key.empty()) continue;
    for (std::size_t at = text.find(key, from); at != std::string::npos;
         at = text.find(key, at + kInstead.size()))
      text.replace(at, key.size(), kInstead);
  }
}

void redact(Failure& failure, const std::vector<std::string>& keys) {
  hide_keys(failure.message, keys, failure.own);
}

Failure malformed(std::string_view problem, std::string_view body) {
  if (body.empty())
    return own_failure(Failure::Kind::malformed, fmt::format("{}: the response is empty", problem));
  Failure out = own_failure(Failure::Kind::malformed, fmt::format("{}: ", problem));
  out.message += fmt::format("`{}`", excerpt(body));
  return out;
}

tl::expected<base::JsonValue, Failure> parse_body(const HttpResponse& response) {
  auto root = base::parse_json(response.body);
  if (root) return *std::move(root);
  const std::string type = excerpt(response.header("content-type"));
  const std::string expected = "expected JSON";
  std::string problem = expected;
  if (!type.empty() && type.find("json") == std::string::npos)
    problem += fmt::format(", got `{}`", type);
  else if (!response.body.empty())
    problem += ", but " + root.error();
  Failure out = malformed(problem, response.body);
  out.own = std::min(out.own, expected.size());  // the service chose the type
  return tl::unexpected(std::move(out));
}

std::optional<Failure> stated_error(const base::JsonValue& root) {
  const base::JsonValue* error = root.find("error");
  if (!error || error->is_null()) return std::nullopt;
  const auto code = error->integer_of("code");
  std::string said = show(what_it_says(root));
  if (said.empty()) said = excerpt(base::to_text(*error));
  Failure out = own_failure(kind_of_status(code.value_or(0)),
                            code ? fmt::format("error {}: ", *code) : "error: ");
  out.message += said;
  return out;
}

std::optional<std::int64_t> count_of(const base::JsonValue* object, std::string_view key) {
  const auto count = object ? object->integer_of(key) : std::nullopt;
  constexpr std::int64_t kMost = 1'000'000'000'000;  // of one answer: more is a mistake
  return count && *count >= 0 && *count <= kMost ? count : std::nullopt;
}

std::optional<double> dollars(const base::JsonValue* value) {
  constexpr double kMost = 1e9;  // for one answer: more is a mistake
  const auto number = value ? value->number() : std::nullopt;
  return number && *number >= 0 && *number <= kMost ? number : std::nullopt;
}

std::string arguments_text(const base::JsonValue* arguments) {
  if (!arguments || arguments->is_null()) return "{}";
  return arguments->text() ? *arguments->text() : base::to_text(*arguments);
}

std::optional<Failure> failure_of(const HttpResponse& response, double timeout) {
  if (response.fault != HttpResponse::Fault::none) return of_fault(response, timeout);
  if (response.status < 200 || response.status > 299) return of_status(response);
  return std::nullopt;
}

Outcome read_response(const HttpResponse& response, double timeout,
                      const std::vector<std::string>& keys,
                      const std::function<Outcome(const HttpResponse&)>& decode) {
  auto failure = failure_of(response, timeout);
  Outcome outcome = failure ? Outcome(tl::unexpected(*std::move(failure))) : decode(response);
  if (outcome) {
    outcome->latency = response.latency;
    outcome->tries = response.tries;
  } else {
    outcome.error().tries = response.tries;
    redact(outcome.error(), keys);
  }
  return outcome;
}

}  // namespace vibe::model
