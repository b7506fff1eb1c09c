// Answer: what a route says, made ready to be sent: packed if the client unpacks it, with the
// headers that every answer has. Does not send. Safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "server/http.h"

namespace vibe::server {

inline constexpr std::size_t kPackFrom = 1024;  // bytes: smaller ones are sent as they are

Response error(int status, std::string_view sentence);  // `{"error": "…"}`

// By the rules of `Accept-Encoding`: `gzip;q=0` is a no.
bool accepts_gzip(std::string_view accept_encoding);

// Packs the body if it may, and adds what every answer has; what is no valid header is left out.
void make_ready(Response& response, const Head& head);

// An answer as it goes over the connection, which is closed after it. Of one that is ready.
std::string response_text(const Response& response, std::string_view reason_phrase);

// One of the client's if it can be kept: 1-64 of `A-Z a-z 0-9 . _ -`. Else a new one.
std::string request_id(std::string_view from_client);

// Names that HTTP allows, and no control characters: others may be read in more than one way.
bool are_plain(const Headers& headers);

// The length of a body by its headers, before it has come.
struct BodyLength {
  bool is_valid = true;     // else nobody can tell where the request ends
  bool is_chunked = false;  // then it is not known
  std::size_t bytes = 0;
};
BodyLength body_length(const Head& head, bool is_http_1_0);

}  // namespace vibe::server
