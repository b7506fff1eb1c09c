// Faults of the HTTP client in words: what libcurl says of a transfer that failed, put so that
// it names the server and holds nothing that may be secret (headers, the URL beyond its port).
#pragma once

#include <string>
#include <string_view>

#include "model/curl.h"
#include "model/http_client.h"

namespace vibe::model {

struct ExplainedFault {
  HttpResponse::Fault fault;
  std::string message;
};

// `words` are libcurl's own, of the transfer of `easy`; may be empty. `socket_error` is the errno
// of a socket that could not be had, or 0.
ExplainedFault explain_fault(const Curl& curl, CURL* easy, CURLcode code,
                             const HttpRequest& request, std::string_view words, int socket_error);

// Of a host without a public address, where it needs one.
ExplainedFault explain_refusal(const Curl& curl, const HttpRequest& request);

}  // namespace vibe::model
