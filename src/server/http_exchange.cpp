// A connection is suspended and resumed under the exchange's mutex alone, and only when it is not,
// or is: an answer or a wake-up that comes in between is seen, and the library never hears of a
// connection that it has freed.
#include "server/http_exchange.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <sys/socket.h>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::server {

namespace {

constexpr double kSlowest = 64 << 10;           // bytes of a body in a second
constexpr std::size_t kReserve = 1u << 20;      // bytes for a body before any has come
constexpr std::size_t kStreamBlock = 4u << 10;  // bytes
constexpr int kClientGone = 499;                // for the log: nobody was there to answer

double seconds_since(Exchange::Clock::time_point begin) {
  return std::chrono::duration<double>(Exchange::Clock::now() - begin).count();
}

// What a handler holds. Where nobody is left to answer, the client shall not wait for it.
class HeldReply final : public Reply {
 public:
  explicit HeldReply(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
  HeldReply(const HeldReply&) = delete;
  HeldReply& operator=(const HeldReply&) = delete;
  ~HeldReply() override {
    if (!exchange_->is_answered()) exchange_->send(error(500, "the request was not answered"));
  }

  void send(Response response) override { exchange_->send(std::move(response)); }
  void wake() override { exchange_->wake(); }
  void on_end(std::function<void()> ended) override { exchange_->on_end(std::move(ended)); }

 private:
  std::shared_ptr<Exchange> exchange_;
};

MHD_Result add_header(void* headers, MHD_ValueKind, const char* name, std::size_t name_size,
                      const char* value, std::size_t value_size) {
  static_cast<Headers*>(headers)->emplace_back(
      base::lower_ascii(std::string_view(name, name_size)),
      base::trim({value != nullptr ? value : "", value_size}));
  return MHD_YES;
}

void free_body(void* body) { delete static_cast<std::string*>(body); }

ssize_t read_part(void* exchange, std::uint64_t, char* to, std::size_t most) {
  return (*static_cast<std::shared_ptr<Exchange>*>(exchange))->read_stream(to, most);
}

void free_exchange(void* exchange) { delete static_cast<std::shared_ptr<Exchange>*>(exchange); }

}  // namespace

void OpenCount::add() {
  const std::lock_guard lock(mutex_);
  ++count_;
}

void OpenCount::remove() {
  const std::lock_guard lock(mutex_);
  if (--count_ == 0) none_.notify_all();
}

bool OpenCount::wait_for_none(double seconds) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, std::chrono::duration<double>(seconds),
                        [this] { return count_ == 0; });
}

std::string_view Head::header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [&](const auto& row) { return row.first == name; });
  return found != headers.end() ? std::string_view(found->second) : std::string_view();
}

Exchange::Exchange(HttpShared& shared, MHD_Connection* connection, std::string_view target,
                   std::string peer)
    : shared_(shared), raw_target_(target), connection_(connection) {
  head_.peer = std::move(peer);
}

MHD_Result Exchange::proceed(const char* method, const char* version, const char* data,
                             std::size_t* size) {
  switch (stage_.load()) {
    case Stage::line: return begin(method, version);
    case Stage::body: {
      if (*size == 0) return finish();
      const auto result = take({data, *size});
      *size = 0;
      return result;
    }
    case Stage::handling: return finish();
    case Stage::answered: return MHD_YES;
  }
  return MHD_NO;
}

// ---- reading

void Exchange::read_head(std::string_view method) {
  is_head_only_ = method == "HEAD";
  head_.method = is_head_only_ ? "GET" : method;
  head_.headers.reserve(16);
  shared_.mhd.get_connection_values(connection_, MHD_HEADER_KIND, add_header, &head_.headers);
  head_.id = request_id(head_.header("x-request-id"));
}

std::optional<Response> Exchange::refuse(bool is_http_1_0) {
  length_ = body_length(head_, is_http_1_0);
  if (!are_plain(head_.headers)) {
    length_.is_valid = false;
    return error(400, "a header of the request is malformed");
  }
  if (!length_.is_valid) return error(400, "the length of the request's body is not clear");
  const auto* size =
      shared_.mhd.get_connection_info(connection_, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  if (size != nullptr && size->header_size > shared_.settings.most_header_bytes)
    return error(431, "the head of the request is too large");
  auto target = read_target(raw_target_);
  if (!target) return error(400, "the path or the query of the request is malformed");
  head_.target = std::move(*target);
  admission_ = shared_.handler.admit(head_);
  head_.known = std::move(admission_.known);
  if (admission_.refusal) return std::move(admission_.refusal);
  if (length_.bytes > admission_.most_bytes)
    return error(
        413, fmt::format("the body of the request is larger than {} bytes", admission_.most_bytes));
  return std::nullopt;
}

MHD_Result Exchange::begin(std::string_view method, std::string_view version) {
  shared_.open.add();
  is_counted_ = true;
  read_head(method);
  refusal_ = refuse(version == "HTTP/1.0");
  stage_ = Stage::body;
  const bool has_body = length_.is_chunked || length_.bytes > 0 || !length_.is_valid;
  if (refusal_ && has_body) {
    leaves_body_ = true;
    Response refusal = std::move(*refusal_);
    make_ready(refusal, head_);
    return queue(std::move(refusal));
  }
  if (refusal_ || !has_body) return MHD_YES;
  if (!admission_.to_file) body_.reserve(std::min(length_.bytes, kReserve));
  if (admission_.to_file && !spool_.open(shared_.settings.spool))
    refusal_ = error(500, "the body of the request cannot be kept");
  return MHD_YES;
}

MHD_Result Exchange::take(std::string_view data) {
  received_ += data.size();
  if (refusal_) return say_and_close(std::move(*refusal_));
  if (received_ > admission_.most_bytes)
    return say_and_close(error(413, fmt::format("the body of the request is larger than {} bytes",
                                                admission_.most_bytes)));
  if (!admission_.to_file) {
    body_.append(data);
  } else if (!spool_.write(data)) {
    return say_and_close(error(500, "the body of the request cannot be kept"));
  }
  return MHD_YES;
}

MHD_Result Exchange::finish() {
  if (stage_ == Stage::body) {
    stage_ = Stage::handling;
    if (!refusal_ && !spool_.close())
      refusal_ = error(500, "the body of the request cannot be kept");
    if (refusal_) {
      send(std::move(*refusal_));
    } else {
      Request request{head_, std::move(body_), spool_.path()};
      shared_.handler.handle(std::move(request), std::make_shared<HeldReply>(shared_from_this()));
    }
  }
  std::unique_lock lock(mutex_);
  if (response_) {
    Response response = std::move(*response_);
    response_.reset();
    lock.unlock();
    return queue(std::move(response));
  }
  if (!may_suspend()) return MHD_NO;
  shared_.mhd.suspend_connection(connection_);
  is_suspended_ = true;
  return MHD_YES;
}

// ---- answering

// The answer to a body that is still coming: the library would read all of it first.
MHD_Result Exchange::say_and_close(Response response) {
  leaves_body_ = true;
  make_ready(response, head_);
  status_ = response.status;
  sent_ = response.body.size();
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nConnection: close\r\nContent-Length: {}\r\n", response.status,
      shared_.mhd.reason_phrase(static_cast<unsigned>(response.status)), response.body.size());
  for (const auto& [name, value] : response.headers) text += fmt::format("{}: {}\r\n", name, value);
  text += "\r\n" + response.body;
  const auto* session =
      shared_.mhd.get_connection_info(connection_, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  const auto* socket =
      shared_.mhd.get_connection_info(connection_, MHD_CONNECTION_INFO_CONNECTION_FD);
  // It is small, and all that was ever sent to this client: it fits into the socket's buffer.
  if (!shared_.settings.certificate.empty()) {
    if (session != nullptr && shared_.mhd.tls_send != nullptr)
      shared_.mhd.tls_send(session->tls_session, text.data(), text.size());
  } else if (socket != nullptr) {
    (void)!::send(socket->connect_fd, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  return MHD_NO;
}

MHD_Result Exchange::queue(Response response) {
  const Mhd& mhd = shared_.mhd;
  stage_ = Stage::answered;
  status_ = response.status;
  MHD_Response* made = nullptr;
  if (response.stream) {
    stream_ = std::move(response.stream);
    made = mhd.response_from_callback(MHD_SIZE_UNKNOWN, kStreamBlock, read_part,
                                      new std::shared_ptr<Exchange>(shared_from_this()),
                                      free_exchange);
  } else {
    auto* body = new std::string(std::move(response.body));
    if (!is_head_only_) sent_ = body->size();
    made = mhd.response_from_buffer(body->size(), body->data(), free_body, body);
  }
  if (made == nullptr) return MHD_NO;
  // The end of the chunks would be sent even where the head alone is. This closes the connection.
  if (stream_ && is_head_only_)
    mhd.set_response_options(made, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
  for (const auto& [name, value] : response.headers)
    mhd.add_response_header(made, name.c_str(), value.c_str());
  if (leaves_body_ || shared_.ends_connections)
    mhd.add_response_header(made, MHD_HTTP_HEADER_CONNECTION, "close");
  const MHD_Result queued =
      mhd.queue_response(connection_, static_cast<unsigned>(response.status), made);
  mhd.destroy_response(made);  // the connection holds it from here on
  return queued;
}

ssize_t Exchange::read_stream(char* to, std::size_t most) {
  for (;;) {
    if (part_sent_ < part_.size()) {
      const std::size_t size = std::min(most, part_.size() - part_sent_);
      std::memcpy(to, part_.data() + part_sent_, size);
      part_sent_ += size;
      sent_ += size;
      return static_cast<ssize_t>(size);
    }
    {
      const std::lock_guard lock(mutex_);
      if (!may_suspend()) return MHD_CONTENT_READER_END_WITH_ERROR;
      is_woken_ = false;  // whoever wakes it from here on has something that next() may not know
    }
    auto next = stream_->next();
    if (!next)
      return stream_->is_broken() ? MHD_CONTENT_READER_END_WITH_ERROR
                                  : MHD_CONTENT_READER_END_OF_STREAM;
    part_ = std::move(*next);
    part_sent_ = 0;
    if (!part_.empty()) continue;
    const std::lock_guard lock(mutex_);
    if (is_woken_ || !may_suspend()) continue;
    shared_.mhd.suspend_connection(connection_);
    is_suspended_ = true;
    return 0;
  }
}

void Exchange::send(Response response) {
  if (is_answered()) return;
  make_ready(response, head_);
  const std::lock_guard lock(mutex_);
  if (is_answered_ || connection_ == nullptr) return;
  is_answered_ = true;
  response_ = std::move(response);
  resume();
}

void Exchange::wake() {
  const std::lock_guard lock(mutex_);
  is_woken_ = true;
  if (is_answered_) resume();
}

void Exchange::give_up() {
  const std::lock_guard lock(mutex_);
  is_gone_ = true;
  resume();
}

void Exchange::resume() {
  if (!is_suspended_ || connection_ == nullptr) return;
  is_suspended_ = false;
  shared_.mhd.resume_connection(connection_);
}

// ---- the end

void Exchange::end(MHD_RequestTerminationCode how) {
  std::vector<std::function<void()>> ended;
  std::optional<Response> unsent;
  {
    const std::lock_guard lock(mutex_);
    connection_ = nullptr;
    ended.swap(ended_);
    unsent.swap(response_);  // its stream ends outside of the lock
  }
  stream_.reset();
  unsent.reset();
  for (const auto& tell : ended) tell();
  // Whoever has not answered may still be reading it; then it goes with the last reply.
  if (stage_ == Stage::answered) spool_.remove();
  if (stage_ == Stage::line) {
    head_.id = request_id({});
    status_ = how == MHD_REQUEST_TERMINATED_COMPLETED_OK || how == MHD_REQUEST_TERMINATED_WITH_ERROR
                  ? 400
                  : kClientGone;
  }
  shared_.handler.done(head_, status_ != 0 ? status_ : kClientGone, sent_, seconds_since(started_));
  if (is_counted_) shared_.open.remove();
}

void Exchange::on_end(std::function<void()> ended) {
  {
    const std::lock_guard lock(mutex_);
    if (connection_ != nullptr) {
      ended_.push_back(std::move(ended));
      return;
    }
  }
  ended();
}

bool Exchange::is_answered() const {
  const std::lock_guard lock(mutex_);
  return is_answered_ || connection_ == nullptr;
}

bool Exchange::is_suspended() const {
  const std::lock_guard lock(mutex_);
  return is_suspended_;
}

bool Exchange::is_late(Clock::time_point now) const {
  if (stage_ != Stage::body) return false;
  const double allowed =
      shared_.settings.request_timeout + static_cast<double>(received_.load()) / kSlowest;
  return std::chrono::duration<double>(now - started_).count() > allowed;
}

}  // namespace vibe::server
