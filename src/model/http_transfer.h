// Transfer: one request of the HTTP client from send() to its `done`, through all its tries, and
// its conversion to a libcurl handle and back. Knows nothing of other transfers, threads or time.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "model/curl.h"
#include "model/http_client.h"

namespace vibe::model {

struct Transfer {
  void* client = nullptr;  // its owner
  HttpRequest request;
  HttpClient::Done done;
  HttpResponse response;
  std::string host;             // the URL up to its path
  CURL* easy = nullptr;         // set while it is in flight
  curl_slist* lines = nullptr;  // the headers
  std::size_t header_bytes = 0;
  int status = 0;                                        // of the answer whose body is arriving
  bool too_large = false, complete = false;              // why reading the body stopped
  bool has_private = false, has_public = false;          // addresses that were refused, tried
  int socket_error = 0;                                  // errno: why there is no socket
  std::chrono::steady_clock::time_point sent, received;  // its first byte, the answer's last
  std::array<char, CURL_ERROR_SIZE> error{};
};

// Why a request cannot be sent; empty if it can.
std::string_view unusable(const HttpRequest& request);

// The file of trusted certificates: SSL_CERT_FILE, else the system's; empty: libcurl's choice.
std::string authorities();
CURL* new_easy(const Curl& curl, const std::string& authorities);

void add_headers(const Curl& curl, Transfer& transfer);  // once for all tries
void begin_try(const Curl& curl, Transfer& transfer, CURL* easy);
void read_outcome(const Curl& curl, Transfer& transfer, CURLcode code,
                  const std::function<void(std::string&)>& host_mask);

}  // namespace vibe::model
