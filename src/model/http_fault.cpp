#include "model/http_fault.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <initializer_list>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"

namespace vibe::model {

namespace {

using Fault = HttpResponse::Fault;

// libcurl's errors in our words. `{}` is host and port; a reason may follow.
struct FaultRow {
  CURLcode code;
  Fault fault;
  std::string_view words;
  bool with_reason;
};
constexpr std::array kFaults{
    FaultRow{CURLE_URL_MALFORMAT, Fault::bad_request, "the URL is malformed", true},
    FaultRow{CURLE_COULDNT_RESOLVE_HOST, Fault::connection, "cannot find the host of {}", false},
    FaultRow{CURLE_COULDNT_RESOLVE_PROXY, Fault::connection, "cannot find the proxy for {}", true},
    FaultRow{CURLE_COULDNT_CONNECT, Fault::connection, "cannot connect to {}", true},
    FaultRow{CURLE_GOT_NOTHING, Fault::connection, "{} closed the connection without a response",
             false},
    FaultRow{CURLE_PARTIAL_FILE, Fault::connection,
             "{} closed the connection in the middle of the response", false},
    FaultRow{CURLE_RECV_ERROR, Fault::connection, "the connection to {} broke", true},
    FaultRow{CURLE_SEND_ERROR, Fault::connection, "the connection to {} broke", true},
    FaultRow{CURLE_SSL_CONNECT_ERROR, Fault::connection, "no TLS connection to {}", true},
    FaultRow{CURLE_FILESIZE_EXCEEDED, Fault::too_large, "the response from {} is too large", false},
    FaultRow{CURLE_PEER_FAILED_VERIFICATION, Fault::certificate, "cannot trust {}", true},
    FaultRow{CURLE_SSL_CACERT_BADFILE, Fault::certificate, "cannot trust {}", true},
    FaultRow{CURLE_SSL_ISSUER_ERROR, Fault::certificate, "cannot trust {}", true},
    FaultRow{CURLE_SSL_INVALIDCERTSTATUS, Fault::certificate, "cannot trust {}", true},
    FaultRow{CURLE_SSL_CERTPROBLEM, Fault::certificate, "cannot trust {}", true},
};
constexpr FaultRow kOtherFault{CURLE_OK, Fault::connection, "the request to {} failed", true};

std::string lower_first(std::string_view words) {  // but `SSL` stays
  std::string out(words);
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (out.size() > 1 && is_upper(out[0]) && !is_upper(out[1]))
    out[0] = static_cast<char>(out[0] - 'A' + 'a');
  return out;
}

// Parts of a URL, joined by a colon.
std::string parts(const Curl& curl, const std::string& url,
                  std::initializer_list<CURLUPart> wanted) {
  std::string out;
  CURLU* parsed = curl.url();
  if (curl.url_set(parsed, CURLUPART_URL, url.c_str(), 0) == CURLUE_OK) {
    for (const auto part : wanted) {
      char* text = nullptr;
      if (curl.url_get(parsed, part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) continue;
      if (!out.empty()) out += ':';
      out += text;
      curl.free(text);
    }
  }
  curl.url_cleanup(parsed);
  return out;
}

// An errno if the process ran out of files, else 0. libcurl does not say why it cannot read a file.
int lack_of_files(CURLcode code, int socket_error) {
  if (socket_error == EMFILE || socket_error == ENFILE) return socket_error;
  const bool reads_files = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_FAILED_INIT ||
                           code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_SSL_CACERT_BADFILE;
  return reads_files ? base::lack_of_files() : 0;
}

struct Reason {
  std::string words;
  bool is_own;  // the system's words; libcurl's may name the host
};

Reason reason(const Curl& curl, CURL* easy, CURLcode code, std::string_view where,
              std::string_view words) {
  const auto host = where.substr(0, where.rfind(':'));
  const bool of_proxy = code == CURLE_COULDNT_CONNECT && words.find(host) == words.npos;
  long number = 0;
  curl.easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
  if (number != 0 && !of_proxy)
    return {lower_first(std::generic_category().message(static_cast<int>(number))), true};
  return {lower_first(words.empty() ? curl.easy_strerror(code) : words), false};
}

std::string masked(std::string text, const HostMask& mask) {
  if (mask) mask(text);
  return text;
}

}  // namespace

ExplainedFault explain_fault(const Curl& curl, CURL* easy, CURLcode code,
                             const HttpRequest& request, std::string_view words, int socket_error,
                             const HostMask& mask) {
  const auto host = parts(curl, request.url, {CURLUPART_HOST, CURLUPART_PORT});
  const auto where = masked(host, mask);
  const auto own = [](Fault fault, std::string message) {
    const std::size_t size = message.size();
    return ExplainedFault{fault, std::move(message), size};
  };
  if (code == CURLE_OPERATION_TIMEDOUT) {
    curl_off_t connected = 0;
    curl.easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
    const auto* missing = connected > 0 ? "no complete response from" : "no connection to";
    return own(Fault::timed_out,
               fmt::format("{} {} within {:g} s", missing, where, request.timeout));
  }
  if (const int lack = lack_of_files(code, socket_error); lack != 0)
    return own(Fault::connection,
               fmt::format("cannot connect to {}: {}", where, base::reason_and_hint(lack)));
  const auto* row = std::find_if(kFaults.begin(), kFaults.end(),
                                 [&](const FaultRow& fault) { return fault.code == code; });
  if (row == kFaults.end()) row = &kOtherFault;
  auto out = own(row->fault, fmt::format(fmt::runtime(row->words), where));
  if (!row->with_reason) return out;
  const Reason why = reason(curl, easy, code, host, words);
  out.message += ": " + why.words;
  if (why.is_own) out.own = out.message.size();
  return out;
}

ExplainedFault explain_refusal(const Curl& curl, const HttpRequest& request, const HostMask& mask) {
  std::string message = fmt::format("{} is an address that only this server can reach",
                                    masked(parts(curl, request.url, {CURLUPART_HOST}), mask));
  const std::size_t own = message.size();
  return {Fault::not_public, std::move(message), own};
}

}  // namespace vibe::model
