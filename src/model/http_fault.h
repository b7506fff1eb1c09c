// Faults of the HTTP client in words: what libcurl says of a transfer that failed, put so that
// it names the server and holds nothing that may be secret (headers, the URL beyond its port).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "model/curl.h"
#include "model/http_client.h"

namespace vibe::model {

struct ExplainedFault {
  HttpResponse::Fault fault;
  std::string message;
  std::size_t own;  // bytes at its beginning that are our own words, and the masked host
};

using HostMask = std::function<void(std::string&)>;  // may be empty

// `words` are libcurl's own, of the transfer of `easy`; may be empty. `socket_error` is the errno
// of a socket that could not be had, or 0. The host is shown as `mask` leaves it.
ExplainedFault explain_fault(const Curl& curl, CURL* easy, CURLcode code,
                             const HttpRequest& request, std::string_view words, int socket_error,
                             const HostMask& mask);

// Of a host without a public address, where it needs one.
ExplainedFault explain_refusal(const Curl& curl, const HttpRequest& request, const HostMask& mask);

}  // namespace vibe::model
