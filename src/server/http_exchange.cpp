// A connection is suspended and resumed only under the exchange's mutex, and only if its state
// changes: so no answer or wake-up in between is lost, and the library never gets a connection that
// it has freed.
#include "server/http_exchange.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <unordered_set>
#include <utility>

#include <sys/socket.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace vibe::server {

namespace {

constexpr double kSlowest = 64 << 10;           // bytes of a body per second
constexpr std::size_t kReserve = 1u << 20;      // bytes reserved for a body before any arrive
constexpr std::size_t kStreamBlock = 4u << 10;  // bytes
constexpr int kClientGone = 499;                // for the log: the client was gone
constexpr std::string_view kUnclearLength = "the length of the request body is ambiguous";

double seconds_since(Exchange::Clock::time_point begin) {
  return std::chrono::duration<double>(Exchange::Clock::now() - begin).count();
}

// The handler's end of a reply. If it is destroyed without an answer, the client gets an error at
// once.
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

// This thread's exchanges whose head has not reached proceed().
thread_local std::unordered_set<Exchange*> t_without_head;

// The library splits a head in place, and puts a NUL after each part. If a part itself has a NUL,
// it returns only the text before it. So the parts must follow each other without a gap, and every
// line must end with CR LF.
class HeadReader {
 public:
  HeadReader(Headers& headers, const char* begin) : headers_(headers), end_(begin) {}

  // A part that begins `gap` bytes after the last one.
  void add_part(const char* text, std::size_t size, std::ptrdiff_t gap) {
    if (text - end_ != gap) is_whole_ = false;
    end_ = text + size;
  }
  void add_header(std::string_view name, std::string_view value) {
    headers_.emplace_back(base::lower_ascii(name), base::trim(value));
    add_part(name.data(), name.size(), kLineBreak);
    if (value.data() == nullptr || value.data() <= end_) {
      is_whole_ = false;
      return;
    }
    const std::string_view between(end_ + 1, static_cast<std::size_t>(value.data() - end_ - 1));
    if (between.find_first_not_of(" \t") != std::string_view::npos) is_whole_ = false;
    end_ = value.data() + value.size();
  }
  bool is_whole(const char* head_end) const { return is_whole_ && head_end - end_ == kHeadBreak; }

 private:
  static constexpr std::ptrdiff_t kLineBreak = 2, kHeadBreak = 4;
  Headers& headers_;
  const char* end_;
  bool is_whole_ = true;
};

MHD_Result add_header(void* reader, MHD_ValueKind, const char* name, std::size_t name_size,
                      const char* value, std::size_t value_size) {
  static_cast<HeadReader*>(reader)->add_header({name, name_size}, {value, value_size});
  return MHD_YES;
}

// The headers that tell the library how long a body is.
MHD_Result look_at_length(void* is_readable, MHD_ValueKind, const char* name, std::size_t name_size,
                          const char* value, std::size_t value_size) {
  auto& out = *static_cast<bool*>(is_readable);
  const std::string lower = base::lower_ascii(std::string_view(name, name_size));
  if (lower == "transfer-encoding") {  // then it ignores any length
    out = true;
    return MHD_NO;
  }
  if (lower != "content-length") return MHD_YES;
  std::uint64_t number = 0;
  const auto [stop, fault] = std::from_chars(value, value + value_size, number);
  if (fault != std::errc() || stop != value + value_size) out = false;
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

Exchange::Exchange(HttpShared& shared, Loop& loop, MHD_Connection* connection, const char* target,
                   std::string peer, std::string network)
    : shared_(shared),
      loop_(loop),
      target_at_(target),
      raw_target_(target),
      connection_(connection) {
  head_.peer = std::move(peer);
  head_.network = std::move(network);
  t_without_head.insert(this);
}

MHD_Result Exchange::proceed(const char* method, const char* version, const char* data,
                             std::size_t* size) {
  switch (stage_.load()) {
    case Stage::line: return status_ == 0 ? begin(method, version) : MHD_NO;
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

void Exchange::read_head(const char* method, const char* version) {
  head_.method = method;
  HeadReader reader(head_.headers, method + head_.method.size());
  is_head_only_ = head_.method == "HEAD";
  if (is_head_only_) head_.method = "GET";
  reader.add_part(target_at_, raw_target_.size(), 1);
  reader.add_part(version, std::strlen(version), 1);
  head_.headers.reserve(16);
  shared_.mhd.get_connection_values(connection_, MHD_HEADER_KIND, add_header, &reader);
  const auto* size =
      shared_.mhd.get_connection_info(connection_, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  is_head_whole_ = size != nullptr && reader.is_whole(method + size->header_size);
  head_.id = request_id(head_.header("x-request-id"));
}

std::optional<Response> Exchange::refuse(bool is_http_1_0) {
  length_ = body_length(head_, is_http_1_0);
  // Others may read such a head differently, so nothing more is read from the connection.
  const auto malformed = [this](std::string_view why) {
    length_.is_valid = false;
    return error(400, why);
  };
  const bool has_space = raw_target_.find(' ') != std::string::npos;
  if (!is_head_whole_ || has_space || !are_plain(head_.headers))
    return malformed("the request headers are malformed");
  if (!length_.is_valid) return error(400, kUnclearLength);
  const auto hosts = std::count_if(head_.headers.begin(), head_.headers.end(),
                                   [](const auto& row) { return row.first == "host"; });
  if (hosts > 1) return malformed("the request has more than one `Host`");
  if (hosts == 0 && !is_http_1_0) return malformed("the request has no `Host`");
  const auto* size =
      shared_.mhd.get_connection_info(connection_, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  if (size != nullptr && size->header_size > shared_.settings.most_header_bytes)
    return error(431, "the request headers are too large");
  auto target = read_target(raw_target_);
  if (!target) return error(400, "the request path or query is malformed");
  head_.target = std::move(*target);
  admission_ = shared_.handler.admit(head_);
  head_.known = std::move(admission_.known);
  if (admission_.refusal) return std::move(admission_.refusal);
  if (length_.bytes > admission_.most_bytes)
    return error(413,
                 fmt::format("the request body is larger than {} bytes", admission_.most_bytes));
  return std::nullopt;
}

// The method is not known here. Touches no connections of other threads.
void Exchange::refuse_unreadable_lengths() {
  std::vector<Exchange*> refused;
  for (Exchange* one : t_without_head)
    if (one->has_unreadable_length()) refused.push_back(one);
  for (Exchange* one : refused) {
    t_without_head.erase(one);
    one->head_.id = request_id({});
    if (auto target = read_target(one->raw_target_)) one->head_.target = std::move(*target);
    one->say_and_close(error(400, kUnclearLength));
    const auto* socket =
        one->shared_.mhd.get_connection_info(one->connection_, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (socket != nullptr) shutdown(socket->connect_fd, SHUT_WR);
  }
}

bool Exchange::has_unreadable_length() const {
  bool is_readable = true;
  shared_.mhd.get_connection_values(connection_, MHD_HEADER_KIND, look_at_length, &is_readable);
  return !is_readable;
}

MHD_Result Exchange::begin(const char* method, const char* version) {
  t_without_head.erase(this);
  shared_.open.add();
  is_counted_ = true;
  read_head(method, version);
  refusal_ = refuse(std::string_view(version) == "HTTP/1.0");
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
  if (admission_.to_file && !spool_.open(shared_.settings.spool)) refusal_ = cannot_keep_body();
  return MHD_YES;
}

// The client cannot fix this; the operator can.
Response Exchange::cannot_keep_body() {
  const std::string why = base::reason(errno);
  base::Diagnostics problem;
  problem.add(base::Code::cannot_write, {},
              fmt::format("cannot write a request body to `{}`: {}", shared_.settings.spool, why));
  shared_.handler.problem(head_, problem);
  return error(500, "the server cannot store the request body");
}

MHD_Result Exchange::take(std::string_view data) {
  received_ += data.size();
  if (refusal_) return say_and_close(std::move(*refusal_));
  if (received_ > admission_.most_bytes)
    return say_and_close(
        error(413, fmt::format("the request body is larger than {} bytes", admission_.most_bytes)));
  if (!admission_.to_file) {
    body_.append(data);
  } else if (!spool_.write(data)) {
    return say_and_close(cannot_keep_body());
  }
  return MHD_YES;
}

MHD_Result Exchange::finish() {
  if (stage_ == Stage::body) {
    stage_ = Stage::handling;
    if (!refusal_ && !spool_.close()) refusal_ = cannot_keep_body();
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

// The answer to a body that is still arriving: the library would read all of it first.
MHD_Result Exchange::say_and_close(Response response) {
  leaves_body_ = true;
  make_ready(response, head_);
  status_ = response.status;
  sent_ = response.body.size();
  const std::string text =
      response_text(response, shared_.mhd.reason_phrase(static_cast<unsigned>(response.status)));
  const auto* session =
      shared_.mhd.get_connection_info(connection_, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  const auto* socket =
      shared_.mhd.get_connection_info(connection_, MHD_CONNECTION_INFO_CONNECTION_FD);
  // It is small, and the only data ever sent to this client: it fits into the socket's buffer.
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
  // The library would send the last chunk even if only the head is sent. This closes the
  // connection.
  if (stream_ && is_head_only_)
    mhd.set_response_options(made, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
  for (const auto& [name, value] : response.headers)
    mhd.add_response_header(made, name.c_str(), value.c_str());
  // Others may see the end of a chunked body elsewhere: what follows it is not read.
  if (length_.is_chunked) leaves_body_ = true;
  if (leaves_body_ || shared_.ends_connections)
    mhd.add_response_header(made, MHD_HTTP_HEADER_CONNECTION, "close");
  const MHD_Result queued =
      mhd.queue_response(connection_, static_cast<unsigned>(response.status), made);
  mhd.destroy_response(made);  // the connection holds it from now on
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
      is_woken_ = false;  // a wake-up from now on is about data that next() may not see
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
  loop_.resume(connection_);
}

// ---- the end

void Exchange::end(MHD_RequestTerminationCode how) {
  t_without_head.erase(this);
  std::vector<std::function<void()>> ended;
  std::optional<Response> unsent;
  {
    const std::lock_guard lock(mutex_);
    connection_ = nullptr;
    ended.swap(ended_);
    unsent.swap(response_);  // destroys its stream outside the lock
  }
  stream_.reset();
  unsent.reset();
  for (const auto& tell : ended) tell();
  // A handler that has not answered may still read the file; then the last reply removes it.
  if (stage_ == Stage::answered) spool_.remove();
  if (stage_ == Stage::line && status_ == 0) head_.id = request_id({});
  // The library answers a head or chunks that it cannot read itself, and ends the request this way;
  // it may do the same for a slow one.
  const bool has_refused =
      how == MHD_REQUEST_TERMINATED_COMPLETED_OK || how == MHD_REQUEST_TERMINATED_WITH_ERROR;
  const bool is_unread = stage_ == Stage::line || (stage_ == Stage::body && !is_late(Clock::now()));
  if (has_refused && status_ == 0 && is_unread) status_ = 400;
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
  const auto taken = now - started_ - Clock::duration(excused_.load());
  return std::chrono::duration<double>(taken).count() > allowed;
}

void Exchange::excuse(Clock::duration stopped) { excused_ += stopped.count(); }

std::optional<std::size_t> Exchange::body_so_far() const {
  if (stage_ != Stage::body) return std::nullopt;
  return received_.load();
}

}  // namespace vibe::server
