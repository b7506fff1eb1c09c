#include "server/http_answer.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/crypto.h"
#include "base/gzip.h"
#include "base/json.h"
#include "base/text.h"

namespace vibe::server {

namespace {

bool is_name_character(char c) {
  const char low = base::lower_ascii(c);
  return (low >= 'a' && low <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

// A line break in a value would begin another header.
void remove_controls(std::string& value) {
  for (char& c : value)
    if (is_control(c)) c = ' ';
  value = base::trim(value);
}

bool is_header_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_name_character);
}

// The library sets these, or they would contradict it.
bool is_reserved(std::string_view lower) {
  static constexpr std::array kReserved{
      "content-length", "transfer-encoding", "connection", "keep-alive", "date", "server"};
  return std::find(kReserved.begin(), kReserved.end(), lower) != kReserved.end();
}

bool has(const Headers& headers, std::string_view lower) {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const auto& row) { return base::lower_ascii(row.first) == lower; });
}

// Compressed data does not get smaller.
bool is_packable(std::string_view type) {
  if (type.starts_with("image/svg")) return true;
  for (const std::string_view packed : {"image/", "font/", "video/", "audio/", "application/zip",
                                        "application/gzip", "application/zstd"})
    if (type.starts_with(packed)) return false;
  return true;
}

class PackedStream final : public Stream {
 public:
  PackedStream(std::shared_ptr<Stream> plain, std::unique_ptr<base::Gzip> gzip)
      : plain_(std::move(plain)), gzip_(std::move(gzip)) {}

  std::optional<std::string> next() override {
    while (!is_ended_) {
      const auto part = plain_->next();
      is_ended_ = !part;
      if (is_ended_ && plain_->is_broken()) break;
      if (is_ended_) return gzip_->end();
      auto packed = gzip_->add(*part);
      if (!packed.empty() || part->empty()) return packed;
    }
    return std::nullopt;
  }
  bool is_broken() const override { return plain_->is_broken(); }

 private:
  const std::shared_ptr<Stream> plain_;
  const std::unique_ptr<base::Gzip> gzip_;
  bool is_ended_ = false;
};

void pack_stream(Response& response) {
  auto gzip = base::Gzip::begin();
  if (!gzip) return;
  response.stream = std::make_shared<PackedStream>(std::move(response.stream), std::move(gzip));
  response.headers.emplace_back("Content-Encoding", "gzip");
}

void pack(Response& response, const Head& head) {
  const bool is_large =
      response.stream ? !response.stream->is_live() : response.body.size() >= kPackFrom;
  if (!is_large || !is_packable(response.type) || has(response.headers, "content-encoding")) return;
  if (!has(response.headers, "vary")) response.headers.emplace_back("Vary", "Accept-Encoding");
  if (!accepts_gzip(head.header("accept-encoding"))) return;
  if (response.stream) return pack_stream(response);
  auto packed = base::gzip(response.body);
  if (!packed) return;
  response.body = std::move(*packed);
  response.headers.emplace_back("Content-Encoding", "gzip");
}

// The text before the mark, and removes both; all of it if there is no mark.
std::string_view take_until(std::string_view& text, char mark) {
  const auto end = text.find(mark);
  const auto taken = text.substr(0, end);
  text = end == text.npos ? std::string_view() : text.substr(end + 1);
  return taken;
}

// The `q` among parameters: `;q=0.5`. 1 if missing, 0 if not a number.
double weight(std::string_view parameters) {
  while (!parameters.empty()) {
    const auto one = base::trim(take_until(parameters, ';'));
    if (one.starts_with("q=") || one.starts_with("Q="))
      return base::parse_double(one.substr(2)).value_or(0);
  }
  return 1;
}

}  // namespace

Response error(int status, std::string_view sentence) {
  base::JsonWriter json;
  json.begin_object().key("error").string(sentence).end_object();
  return {.status = status, .body = json.text()};
}

bool accepts_gzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    const auto row = take_until(accept_encoding, ',');
    auto weights = row;
    const auto name = base::lower_ascii(base::trim(take_until(weights, ';')));
    const bool accepted = weight(weights) > 0;
    if (name == "gzip" || name == "x-gzip") return accepted;
    if (name == "*") any = accepted;
  }
  return any;
}

void make_ready(Response& response, const Head& head) {
  if (response.status < 200 || response.status > 599) response.status = 500;
  pack(response, head);
  auto& headers = response.headers;
  std::erase_if(headers, [](const auto& row) {
    return !is_header_name(row.first) || is_reserved(base::lower_ascii(row.first));
  });
  if (!response.type.empty() && !has(headers, "content-type"))
    headers.emplace_back("Content-Type", response.type);
  if (response.status == 503 && !has(headers, "retry-after"))
    headers.emplace_back("Retry-After", "1");  // seconds
  headers.emplace_back("X-Content-Type-Options", "nosniff");
  headers.emplace_back("X-Request-Id", head.id);
  const bool keeps = !response.type.starts_with("application/json");
  if (!keeps && !has(headers, "cache-control")) headers.emplace_back("Cache-Control", "no-store");
  for (auto& [name, value] : headers) remove_controls(value);
}

std::string response_text(const Response& response, std::string_view reason_phrase) {
  std::string out = fmt::format("HTTP/1.1 {} {}\r\nConnection: close\r\nContent-Length: {}\r\n",
                                response.status, reason_phrase, response.body.size());
  for (const auto& [name, value] : response.headers) out += fmt::format("{}: {}\r\n", name, value);
  return out + "\r\n" + response.body;
}

std::string request_id(std::string_view from_client) {
  constexpr std::size_t kMost = 64, kNew = 12;
  if (!from_client.empty() && from_client.size() <= kMost &&
      std::all_of(from_client.begin(), from_client.end(), is_name_character))
    return std::string(from_client);
  return base::random_text(kNew);
}

bool are_plain(const Headers& headers) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
  return std::all_of(headers.begin(), headers.end(), [&](const auto& row) {
    const auto& [name, value] = row;
    return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
      return is_name_character(c) || kSigns.find(c) != std::string_view::npos;
    }) && std::none_of(value.begin(), value.end(), [](char c) {
      return is_control(c) && c != '\t';
    });
  });
}

BodyLength body_length(const Head& head, bool is_http_1_0) {
  BodyLength out;
  std::size_t lengths = 0;
  for (const auto& [name, value] : head.headers) {
    if (name == "transfer-encoding") {
      out.is_valid = out.is_valid && !out.is_chunked && base::lower_ascii(value) == "chunked";
      out.is_chunked = true;
    } else if (name == "content-length") {
      const char* end = value.data() + value.size();
      const auto [stop, fault] = std::from_chars(value.data(), end, out.bytes);
      out.is_valid = out.is_valid && fault == std::errc() && stop == end && !value.empty();
      ++lengths;
    }
  }
  // Two lengths allow request smuggling: the next reader may use the other one.
  if (lengths > 1 || (out.is_chunked && (lengths > 0 || is_http_1_0))) out.is_valid = false;
  return out;
}

}  // namespace vibe::server
