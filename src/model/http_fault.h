// Messages for the HTTP client's faults: what libcurl says about a failed transfer, reworded to
// name the server and to omit anything that may be secret (headers, the URL beyond its port).
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
  std::size_t own;  // its first bytes that are our own words and the masked host
};

using HostMask = std::function<void(std::string&)>;  // may be empty

// `words` is libcurl's message for the transfer of `easy`; may be empty. `socket_error` is the
// errno of a socket that could not be opened, or 0. The host is shown as `mask` leaves it.
ExplainedFault explain_fault(const Curl& curl, CURL* easy, CURLcode code,
                             const HttpRequest& request, std::string_view words, int socket_error,
                             const HostMask& mask);

// The fault of a host that needs a public address and has none.
ExplainedFault explain_refusal(const Curl& curl, const HttpRequest& request, const HostMask& mask);

}  // namespace vibe::model
