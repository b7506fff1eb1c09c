#include "remote/server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <future>
#include <thread>

#include <fmt/format.h>

#include "base/address.h"
#include "base/file.h"
#include "base/text.h"
#include "base/url.h"

namespace vibe::remote {

using base::Code;
using base::Diagnostics;
using model::HttpResponse;

namespace {

constexpr std::size_t kMostAnswerBytes = std::size_t{2} << 30;  // a run may have a million results
constexpr double kTimeout = 120;                                // seconds
constexpr double kLongest = 7 * 86400;                          // seconds, of a streamed answer
constexpr int kMostWaits = 6;     // retries for a server that says to come back later
constexpr double kMostWait = 60;  // seconds, even if the server asks for more
constexpr double kUsualWait = 1;  // if it does not say how long

double wait_of(const HttpResponse& response) {
  const auto asked = base::parse_double(response.header("retry-after"));
  return asked && *asked >= 0 ? std::min(*asked, kMostWait) : kUsualWait;
}

bool asks_to_wait(const HttpResponse& response) {
  return response.fault == HttpResponse::Fault::none &&
         (response.status == 429 || response.status == 503) &&
         !response.header("retry-after").empty();
}

std::string sentence_of(const HttpResponse& response) {
  const auto body = base::parse_json(response.body);
  return body ? base::printable(body->text_of("error")) : std::string();
}

const base::CodeRow* code_row(std::string_view name) {
  const auto* row = std::find_if(base::kCodes.begin(), base::kCodes.end(), [&](const auto& each) {
    return base::to_string(each.code) == name;
  });
  return row == base::kCodes.end() ? nullptr : row;
}

// The offset of a line and a column, both from 1, clipped to the text.
std::uint32_t offset_of(std::string_view text, std::int64_t line, std::int64_t column) {
  std::size_t at = 0;
  for (; line > 1 && at < text.size(); --line) at = std::min(text.find('\n', at), text.size()) + 1;
  at = std::min(at, text.size());
  for (; column > 1 && at < text.size() && text[at] != '\n'; --column)
    at += base::decode(text, at).length;
  return static_cast<std::uint32_t>(std::min(at, text.size()));
}

// The server's diagnostics about the sent text, as if they were found here.
Diagnostics diagnostics_of(const base::JsonValue& body, const base::SourcePtr& about) {
  Diagnostics out;
  const base::JsonValue* all = body.find("diagnostics");
  if (!all || !all->array()) return out;
  for (const auto& each : *all->array()) {
    const base::CodeRow* row = code_row(each.text_of("code"));
    base::Where where;
    if (const auto line = each.integer_of("line"); line && about) {
      const auto place = [&](std::string_view line_key, std::string_view column_key) {
        return offset_of(about->text(), each.integer_of(line_key).value_or(*line),
                         each.integer_of(column_key).value_or(1));
      };
      where = {about, {place("line", "column"), place("end_line", "end_column")}};
      where.span.end = std::max(where.span.begin, where.span.end);
    }
    out.add(row ? row->code : Code::refused_by_server, where, std::string(each.text_of("message")),
            std::string(each.text_of("hint")));
  }
  return out;
}

Diagnostics one(Code code, std::string message, std::string hint = {}) {
  Diagnostics out;
  out.add(code, {}, std::move(message), std::move(hint));
  return out;
}

// Whether base::reason_and_hint() has added a hint.
bool has_hint(std::string_view message) {
  constexpr std::array kErrors{EMFILE, ENFILE};
  return std::any_of(kErrors.begin(), kErrors.end(), [&](int error) {
    return message.find(base::hint_for(error)) != message.npos;
  });
}

Diagnostics explain_fault(const HttpResponse& response, const std::string& url) {
  std::string hint = "is it running? `VIBECHECK_API_URL` and `--server` set its address";
  if (response.fault == HttpResponse::Fault::certificate)
    hint = "set `SSL_CERT_FILE` to a file with the trusted certificates";
  const bool says_what_to_do = has_hint(response.message);
  if (response.fault == HttpResponse::Fault::too_large || says_what_to_do) hint.clear();
  return one(Code::unreachable_server,
             fmt::format("the server `{}` cannot be reached: {}", url, response.message),
             std::move(hint));
}

Diagnostics explain_no_json(const HttpResponse& response, const std::string& url,
                            const Question& question) {
  const auto begin = base::lower_ascii(base::trim(response.body).substr(0, 100));
  const bool is_page = begin.starts_with("<!doctype") || begin.starts_with("<html");
  return one(Code::strange_server,
             fmt::format("`{}` is not a vibecheck server: it answers `{} {}` with HTTP {} and {}",
                         url, question.method, question.path.substr(0, question.path.find('?')),
                         response.status, is_page ? "a web page" : "no JSON"),
             "`VIBECHECK_API_URL` and `--server` take the address of `vibe serve`");
}

struct StatusRow {
  int status;
  Code code;
  std::string_view words;  // before the server's own message
  std::string_view hint;
};
constexpr std::string_view kKeyHint =
    "set `VIBECHECK_API_KEY`, or put it into `~/.vibecheck/.env`; `vibe redeem CODE` does that for "
    "an invitation";
constexpr std::array kStatuses{
    StatusRow{401, Code::refused_key,
              "the server `{}` refuses the key: it is unknown, expired or revoked, or its "
              "organisation is suspended",
              "ask the server's operator; put another key into `VIBECHECK_API_KEY` or "
              "`~/.vibecheck/.env`"},
    StatusRow{402, Code::no_credit, "the server `{}` refused", "`vibe get org` shows the credits"},
    StatusRow{403, Code::refused_key, "the key may not do this on the server `{}`",
              "an administrator can give you a key with another role"},
    StatusRow{409, Code::conflict, "the server `{}` refused", ""},
    StatusRow{429, Code::limit_reached, "the server `{}` received too many requests",
              "try again later"},
    StatusRow{502, Code::unreachable_server, "the server `{}` cannot be reached", ""},
    StatusRow{503, Code::unreachable_server, "the server `{}` is unavailable", "try again later"},
    StatusRow{504, Code::unreachable_server, "the server `{}` cannot be reached", ""},
};
// Any other status: 500 and above is the server's fault, not the user's.
constexpr StatusRow kServerFault{0, Code::unreachable_server, "the server `{}` failed",
                                 "try again later; the reason is in the server's log"};
constexpr StatusRow kRefused{0, Code::refused_by_server, "the server `{}` refused", ""};

}  // namespace

base::Result<std::string> server_url(std::string_view written) {
  std::string out(base::trim(written));
  while (out.ends_with('/')) out.pop_back();
  if (out.find("://") == std::string::npos && !out.empty())
    out = (base::is_loopback(base::split_url(out).host) ? "http://" : "https://") + out;
  if (base::is_http_url(out) && out.find_first_of("?#") == std::string::npos) return out;
  return base::fail(
      Code::bad_config, {}, fmt::format("`{}` is not a server address", base::printable(written)),
      "write `https://vibe.example.com`, for example, in `VIBECHECK_API_URL` or `--server`");
}

bool is_open_to_others(std::string_view url) {
  return url.starts_with("http://") && !base::is_loopback(base::split_url(url).host);
}

Server::Server(Address address, std::unique_ptr<model::HttpClient> client, double wait_scale)
    : address_(std::move(address)), client_(std::move(client)), wait_scale_(wait_scale) {}

base::Result<std::unique_ptr<Server>> Server::open(Address address,
                                                   const model::HttpOptions& options) {
  VIBE_TRY(auto client, model::HttpClient::open(options));
  return std::unique_ptr<Server>(
      new Server(std::move(address), std::move(client), options.retry_scale));
}

model::HttpRequest Server::request(const Question& question) const {
  model::HttpRequest out;
  out.method = question.method;
  out.url = address_.url + question.path;
  out.body = question.body;
  out.timeout = kTimeout;
  out.most_bytes = kMostAnswerBytes;
  out.most_tries = 1;
  out.once = question.method != "GET";
  out.headers = {{"Accept", "application/json"}};
  if (!question.body.empty()) out.headers.emplace_back("Content-Type", question.type);
  if (!address_.key.empty()) out.headers.emplace_back("Authorization", "Bearer " + address_.key);
  return out;
}

HttpResponse Server::send(const Question& question) {
  for (int waits = 0;; ++waits) {
    std::promise<HttpResponse> promise;
    client_->send(request(question),
                  [&](HttpResponse response) { promise.set_value(std::move(response)); });
    HttpResponse response = promise.get_future().get();
    if (!asks_to_wait(response) || waits == kMostWaits) return response;
    std::this_thread::sleep_for(std::chrono::duration<double>(wait_of(response) * wait_scale_));
  }
}

base::Result<Answer> Server::ask(const Question& question) {
  const HttpResponse response = send(question);
  const bool is_fine = response.status >= 200 && response.status < 300;
  const bool is_answer = is_fine || (question.may_conflict && response.status == 409) ||
                         (question.may_be_missing && response.status == 404);
  if (response.fault != HttpResponse::Fault::none || !is_answer)
    return tl::unexpected(explain(response, question));
  if (is_fine && question.wants_bytes) return Answer{response.status, {}, response.body};
  auto body = base::parse_json(response.body);
  // A page of another program says nothing about what is missing.
  if (!body || !body->object() || (!is_fine && body->text_of("error").empty()))
    return tl::unexpected(explain_no_json(response, address_.url, question));
  return Answer{response.status, *std::move(body)};
}

void Server::stream(const Question& question, std::function<void(std::string_view)> on_data,
                    model::HttpClient::Done done) {
  model::HttpRequest out = request(question);
  out.timeout = kLongest;
  out.on_data = std::move(on_data);
  client_->send(std::move(out), std::move(done));
}

void Server::stream(const std::string& path, std::string_view last_event,
                    std::function<void(std::string_view)> on_data, model::HttpClient::Done done) {
  model::HttpRequest out = request({.path = path});
  out.timeout = kLongest;
  out.headers[0].second = "text/event-stream";
  if (!last_event.empty()) out.headers.emplace_back("Last-Event-ID", last_event);
  out.on_data = std::move(on_data);
  client_->send(std::move(out), std::move(done));
}

// Older servers may not know the path: what does the version say?
Diagnostics Server::explain_missing(const Question& question) {
  const HttpResponse response = send({.path = "/api/version"});
  const auto body = base::parse_json(response.body);
  const std::string_view version = body ? body->text_of("version") : std::string_view();
  if (response.status != 200 || version.empty())
    return explain_no_json(response, address_.url, {.path = "/api/version"});
  return one(Code::strange_server,
             fmt::format("the server `{}`, version {}, does not know `{} {}`", address_.url,
                         base::printable(version), question.method,
                         question.path.substr(0, question.path.find('?'))),
             "it is older than this program, whose version `vibe version` shows: update it");
}

Diagnostics Server::explain(const HttpResponse& response, const Question& question) {
  if (response.fault != HttpResponse::Fault::none) return explain_fault(response, address_.url);
  if (response.status == 404 || response.status == 405) return explain_missing(question);
  const std::string sentence = sentence_of(response);
  const auto body = base::parse_json(response.body);
  // Of a refused request (400), the sentence below has the only problem.
  if ((response.status == 400 || response.status == 422) && body)
    if (auto found = diagnostics_of(*body, question.about);
        found.errors() > (response.status == 400 ? 1u : 0u))
      return found;
  if (response.status == 401 && address_.key.empty())
    return one(Code::refused_key, fmt::format("the server `{}` requires a key", address_.url),
               std::string(kKeyHint));
  const auto* row = std::find_if(kStatuses.begin(), kStatuses.end(), [&](const StatusRow& each) {
    return each.status == response.status;
  });
  if (row == kStatuses.end()) {
    if (sentence.empty()) return explain_no_json(response, address_.url, question);
    row = response.status >= 500 ? &kServerFault : &kRefused;
  }
  std::string message = fmt::format(fmt::runtime(row->words), address_.url);
  // For a refused key, that is all there is to say, whatever the server's version.
  if (response.status != 401)
    message += sentence.empty() ? fmt::format(": HTTP {}", response.status) : ": " + sentence;
  return one(row->code, std::move(message), std::string(row->hint));
}

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
    if (is_plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string query(const std::vector<std::pair<std::string_view, std::string>>& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters)
    out += fmt::format("{}{}={}", out.empty() ? "?" : "&", name, encoded(value));
  return out;
}

}  // namespace vibe::remote
