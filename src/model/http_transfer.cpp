#include "model/http_transfer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "model/http_fault.h"

namespace vibe::model {

namespace {

constexpr std::size_t kMostHeaderBytes = 256u << 10;

bool is_plain(std::string_view text) {  // nothing that would end a header line
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

// The status in the first line of an answer: `HTTP/1.1 200 OK`.
int status_of(std::string_view line) {
  int status = 0;
  const auto begin = std::min(line.find(' '), line.size());
  line = line.substr(std::min(begin + 1, line.size()));
  std::from_chars(line.data(), line.data() + line.size(), status);
  return status;
}

// Called when the connection is ready and the request is about to be sent. libcurl's own time stamp
// is taken after the first bytes were sent, when a quick answer may already have arrived.
int on_send(void* self, char*, char*, int, int) {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.sent = transfer.received = std::chrono::steady_clock::now();
  transfer.response.sent = true;
  return CURL_PREREQFUNC_OK;
}

std::size_t on_body(const char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.received = std::chrono::steady_clock::now();
  if (transfer.request.on_data && transfer.status == 200) {
    transfer.request.on_data({data, size * count});
    return size * count;
  }
  auto& body = transfer.response.body;
  transfer.too_large = size * count > transfer.request.most_bytes - body.size();
  if (transfer.too_large) return 0;
  body.append(data, size * count);
  transfer.complete = transfer.request.complete && transfer.request.complete(transfer.response);
  return transfer.complete ? 0 : size * count;
}

std::size_t on_header(const char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.received = std::chrono::steady_clock::now();
  const std::string_view line(data, size * count);
  transfer.header_bytes += line.size();
  transfer.too_large = transfer.header_bytes > kMostHeaderBytes;
  if (transfer.too_large) return 0;
  auto& headers = transfer.response.headers;
  if (line.starts_with("HTTP/")) {
    headers.clear();  // the earlier ones belong to an interim answer
    transfer.status = status_of(line);
  }
  if (const auto colon = line.find(':'); colon != line.npos && !line.starts_with("HTTP/"))
    headers.emplace_back(base::lower_ascii(line.substr(0, colon)),
                         base::trim(line.substr(colon + 1)));
  return line.size();
}

void set_request(const Curl& curl, Transfer& transfer) {
  const auto set = [&](CURLoption option, auto value) {
    curl.easy_setopt(transfer.easy, option, value);
  };
  const auto& request = transfer.request;
  constexpr double kMostMillis = 1e9;
  constexpr std::size_t kMostSize = std::numeric_limits<curl_off_t>::max();
  const double millis = std::isfinite(request.timeout) ? request.timeout * 1000 : kMostMillis;
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_HTTPHEADER, transfer.lines);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::clamp(millis, 1.0, kMostMillis)));
  const std::size_t most = request.on_data ? 0 : request.most_bytes;  // 0: any length
  set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(std::min(most, kMostSize)));
  set(CURLOPT_ERRORBUFFER, transfer.error.data());
  // On a kept-open connection, libcurl itself resends a request that seems to be lost.
  const long is_fresh = request.once ? 1 : 0;
  set(CURLOPT_FRESH_CONNECT, is_fresh);
  set(CURLOPT_FORBID_REUSE, is_fresh);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_HEADERDATA, &transfer);
  set(CURLOPT_PREREQDATA, &transfer);
  set(CURLOPT_HTTPGET, 1L);  // resets the handle's previous method
  const bool is_known = request.method == "GET" || request.method == "POST";
  set(CURLOPT_CUSTOMREQUEST, is_known ? nullptr : request.method.c_str());
  if (request.method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else if (request.method == "POST" || !request.body.empty()) {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.data());
  }
}

}  // namespace

std::string_view unusable(const HttpRequest& request) {
  if (!request.url.starts_with("http://") && !request.url.starts_with("https://"))
    return "the URL begins with neither `http://` nor `https://`";
  if (!is_plain(request.url)) return "the URL contains a line break or a NUL byte";
  if (!is_plain(request.method) || request.method.find(' ') != std::string::npos ||
      request.method.empty())
    return "the method is not an HTTP method";
  for (const auto& [name, value] : request.headers)
    if (!is_plain(name) || !is_plain(value) || name.empty())
      return "a header contains a line break or a NUL byte";
  return {};
}

std::string authorities() {
  constexpr const char* kSystem = "/etc/ssl/certs/ca-certificates.crt";
  const char* named = std::getenv("SSL_CERT_FILE");  // NOLINT(concurrency-mt-unsafe)
  if (named != nullptr && *named != '\0') return named;
  return access(kSystem, R_OK) == 0 ? kSystem : "";
}

CURL* new_easy(const Curl& curl, const std::string& authorities) {
  CURL* easy = curl.easy_init();
  const auto set = [&](CURLoption option, auto value) { curl.easy_setopt(easy, option, value); };
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_TCP_NODELAY, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_USERAGENT, "vibecheck");
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  if (!authorities.empty()) {
    set(CURLOPT_CAINFO, authorities.c_str());
    set(CURLOPT_PROXY_CAINFO, authorities.c_str());
    // With a folder set as well, libcurl rereads all certificates for each connection.
    set(CURLOPT_CAPATH, static_cast<char*>(nullptr));
    set(CURLOPT_PROXY_CAPATH, static_cast<char*>(nullptr));
  }
  set(CURLOPT_WRITEFUNCTION, &on_body);
  set(CURLOPT_HEADERFUNCTION, &on_header);
  set(CURLOPT_PREREQFUNCTION, &on_send);
  return easy;
}

void add_headers(const Curl& curl, Transfer& transfer) {
  const auto add = [&](const std::string& line) {
    transfer.lines = curl.slist_append(transfer.lines, line.c_str());
  };
  bool has_type = false;
  for (const auto& [name, value] : transfer.request.headers) {
    has_type = has_type || base::lower_ascii(name) == "content-type";
    add(value.empty() ? name + ";" : fmt::format("{}: {}", name, value));
  }
  if (!has_type) add("Content-Type:");  // or libcurl claims a form
  add("Expect:");                       // or it waits before a large body
}

void begin_try(const Curl& curl, Transfer& transfer, CURL* easy) {
  const int tries = transfer.response.tries;
  transfer.response = HttpResponse{};
  transfer.response.tries = tries + 1;
  transfer.easy = easy;
  transfer.header_bytes = 0;
  transfer.status = 0;
  transfer.too_large = transfer.complete = false;
  transfer.has_private = transfer.has_public = false;
  transfer.socket_error = 0;
  transfer.sent = transfer.received = {};
  transfer.error[0] = '\0';
  set_request(curl, transfer);
}

void read_outcome(const Curl& curl, Transfer& transfer, CURLcode code,
                  const std::function<void(std::string&)>& host_mask) {
  auto& response = transfer.response;
  response.latency = std::chrono::duration<double>(transfer.received - transfer.sent).count();
  if (code == CURLE_OK || transfer.complete) {
    long status = 0;
    curl.easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
    response.status = static_cast<int>(status);
    return;
  }
  response.headers.clear();
  response.body.clear();
  if (transfer.too_large) code = CURLE_FILESIZE_EXCEEDED;
  const bool is_refused = transfer.has_private && !transfer.has_public;
  auto explained = is_refused
                       ? explain_refusal(curl, transfer.request, host_mask)
                       : explain_fault(curl, transfer.easy, code, transfer.request,
                                       transfer.error.data(), transfer.socket_error, host_mask);
  response.fault = explained.fault;
  response.message = std::move(explained.message);
  response.own = explained.own;
}

}  // namespace vibe::model
