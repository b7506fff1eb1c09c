// Answer: makes a route's answer ready to send: compressed if the client accepts it, with the
// headers that every answer has. Does not send. Safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "server/http.h"

namespace vibe::server {

inline constexpr std::size_t kPackFrom = 1024;  // bytes; smaller bodies are not compressed

Response error(int status, std::string_view sentence);  // `{"error": "…"}`

// Follows the rules of `Accept-Encoding`: `gzip;q=0` means no.
bool accepts_gzip(std::string_view accept_encoding);

// Compresses the body if allowed, and adds the common headers; drops invalid headers.
void make_ready(Response& response, const Head& head);

// The bytes of an answer that is ready, for a connection that is closed after it.
std::string response_text(const Response& response, std::string_view reason_phrase);

// The client's id if it is valid: 1-64 of `A-Z a-z 0-9 . _ -`. Else a new one.
std::string request_id(std::string_view from_client);

// Whether names are valid in HTTP and values have no control characters: other headers may be read
// in more than one way.
bool are_plain(const Headers& headers);

// The length of a body according to its headers.
struct BodyLength {
  bool is_valid = true;     // false: the end of the request is ambiguous
  bool is_chunked = false;  // then the length is unknown
  std::size_t bytes = 0;
};
BodyLength body_length(const Head& head, bool is_http_1_0);

}  // namespace vibe::server
