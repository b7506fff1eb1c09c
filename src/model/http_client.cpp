// The client's thread waits in epoll for sockets, libcurl's timer, the next retry and the inbox.
// Other threads touch only the inbox, which a mutex guards.
#include "model/http_client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/address.h"
#include "base/file.h"
#include "model/curl.h"
#include "model/http_transfer.h"

namespace vibe::model {

namespace {

using Clock = std::chrono::steady_clock;
using Fault = HttpResponse::Fault;

using TransferPtr = std::unique_ptr<Transfer>;

// Transfers at a time: as asked, but a quarter of the process's file limit stays free.
std::size_t most_transfers(std::size_t asked) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return asked;
  const std::size_t open = files.rlim_cur - files.rlim_cur / 4;
  return std::max<std::size_t>(1, std::min(asked, open));
}

bool may_send_again(const Transfer& transfer) {
  const HttpRequest& request = transfer.request;
  const HttpResponse& response = transfer.response;
  if (response.tries >= request.most_tries) return false;
  return !request.once || !response.sent || response.status == 429;
}

class CurlClient final : public HttpClient {
 public:
  CurlClient(const Curl& curl, const HttpOptions& options, CURLM* multi, int epoll, int wake)
      : curl_(curl),
        options_(options),
        limit_(most_transfers(options.most_connections)),
        multi_(multi),
        epoll_(epoll),
        wake_(wake),
        authorities_(authorities()) {
    watch(wake_, EPOLL_CTL_ADD, EPOLLIN);
    set(CURLMOPT_SOCKETFUNCTION, &on_socket);
    set(CURLMOPT_SOCKETDATA, this);
    set(CURLMOPT_TIMERFUNCTION, &on_timer);
    set(CURLMOPT_TIMERDATA, this);
    set(CURLMOPT_MAXCONNECTS, static_cast<long>(limit_));
  }

  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  ~CurlClient() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      cancelled_ = inbox_.size();
    }
    wake();
    if (thread_.joinable()) thread_.join();
    for (CURL* easy : free_) curl_.easy_cleanup(easy);
    curl_.multi_cleanup(multi_);
    close(epoll_);
    close(wake_);
  }

  // Called first. The error says why there is no thread.
  std::error_code start() {
    // Signals are for other threads; a broken TLS connection must not raise SIGPIPE here.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::error_code error;
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& failed) {
      error = failed.code();
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return error;
  }

  void send(HttpRequest request, Done done) override {
    auto transfer = std::make_unique<Transfer>();
    transfer->request = std::move(request);
    transfer->done = std::move(done);
    transfer->client = this;
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      first = inbox_.empty();
      inbox_.push_back(std::move(transfer));
    }
    if (first) wake();
  }

  void cancel_all() override {
    {
      const std::lock_guard lock(mutex_);
      cancelling_ = true;
      cancelled_ = inbox_.size();
    }
    wake();
  }

 private:
  template <class Value>
  void set(CURLMoption option, Value value) {
    curl_.multi_setopt(multi_, option, value);
  }

  void wake() const {
    const std::uint64_t one = 1;
    // If the counter is full, the thread is already awake.
    [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);
  }

  void watch(int descriptor, int operation, std::uint32_t events) const {
    epoll_event event{};
    event.events = events;
    event.data.fd = descriptor;
    epoll_ctl(epoll_, operation, descriptor, &event);
  }

  void run() {
    while (take_inbox()) {
      start_due();
      wait();
      finish();
    }
    for (std::vector<TransferPtr> late; take_late(late);)  // sent by `done`
      for (auto& transfer : late) cancel(std::move(transfer));
  }

  bool take_late(std::vector<TransferPtr>& late) {
    late.clear();
    const std::lock_guard lock(mutex_);
    late.swap(inbox_);
    return !late.empty();
  }

  // False when the client ends.
  bool take_inbox() {
    std::vector<TransferPtr> arrived;
    std::size_t cancelled = 0;
    bool cancelling = false, stopping = false;
    {
      const std::lock_guard lock(mutex_);
      arrived.swap(inbox_);
      std::swap(cancelled, cancelled_);
      std::swap(cancelling, cancelling_);
      stopping = stopping_;
    }
    if (cancelling || stopping) cancel_started();
    for (std::size_t i = 0; i < arrived.size(); ++i) {
      if (i < cancelled || stopping)
        cancel(std::move(arrived[i]));
      else
        accept(std::move(arrived[i]));
    }
    return !stopping;
  }

  void accept(TransferPtr transfer) {
    const auto& request = transfer->request;
    if (const auto why = unusable(request); !why.empty()) {
      transfer->response.fault = Fault::bad_request;
      transfer->response.message = why;
      end(std::move(transfer));
      return;
    }
    const auto authority = request.url.find("//") + 2;
    transfer->host = request.url.substr(0, request.url.find_first_of("/?#", authority));
    add_headers(curl_, *transfer);
    ready_.push_back(std::move(transfer));
  }

  void start_due() {
    const auto now = Clock::now();
    while (!backoff_.empty() && backoff_.begin()->first <= now) {
      ready_.push_back(std::move(backoff_.begin()->second));
      backoff_.erase(backoff_.begin());
    }
    while (!ready_.empty() && active_.size() < limit_) {
      auto transfer = std::move(ready_.front());
      ready_.pop_front();
      // The first request to a host resolves its address; the others wait in `held_`, since each
      // would start its own thread to resolve it.
      const auto [held, is_first] = reached_.contains(transfer->host)
                                        ? std::pair(held_.end(), true)
                                        : held_.try_emplace(transfer->host);
      if (is_first)
        start(std::move(transfer));
      else
        held->second.push_back(std::move(transfer));
    }
  }

  void reached(const std::string& host) {
    if (!reached_.insert(host).second) return;
    release(host);
  }

  void release(const std::string& host) {
    const auto held = held_.find(host);
    if (held == held_.end()) return;
    for (auto& transfer : held->second) ready_.push_back(std::move(transfer));
    held_.erase(held);
  }

  void start(TransferPtr transfer) {
    CURL* easy = nullptr;
    if (free_.empty()) {
      easy = new_easy(curl_, authorities_);
    } else {
      easy = free_.back();
      free_.pop_back();
    }
    begin_try(curl_, *transfer, easy);
    curl_.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &on_open);
    curl_.easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer.get());
    if (options_.public_only)
      curl_.easy_setopt(easy, CURLOPT_PROXY, "");  // not even one from the environment
    curl_.multi_add(multi_, easy);
    active_.emplace(easy, std::move(transfer));
  }

  void wait() {
    std::array<epoll_event, 256> events;
    const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), rest());
    int running = 0;
    for (int i = 0; i < count; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      if (event.data.fd == wake_) {
        std::uint64_t ignored = 0;
        [[maybe_unused]] const auto got = read(wake_, &ignored, sizeof ignored);
        continue;
      }
      int happened = 0;
      if ((event.events & (EPOLLIN | EPOLLHUP)) != 0) happened |= CURL_CSELECT_IN;
      if ((event.events & EPOLLOUT) != 0) happened |= CURL_CSELECT_OUT;
      if ((event.events & EPOLLERR) != 0) happened |= CURL_CSELECT_ERR;
      curl_.multi_socket_action(multi_, event.data.fd, happened, &running);
    }
    if (timer_ && *timer_ <= Clock::now()) {
      timer_.reset();
      curl_.multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
    }
  }

  // Milliseconds until the next timer or retry; -1: none.
  int rest() const {
    auto next = timer_;
    if (!backoff_.empty() && (!next || backoff_.begin()->first < *next))
      next = backoff_.begin()->first;
    if (!next) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }

  void finish() {
    int left = 0;
    while (const CURLMsg* message = curl_.multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      auto transfer = take(message->easy_handle);
      read_outcome(curl_, *transfer, code, options_.mask);
      put_away(*transfer, code == CURLE_OK);
      release(transfer->host);
      const double delay = retry_delay(transfer->response, random_(generator_));
      if (delay < 0 || !may_send_again(*transfer)) {
        end(std::move(transfer));
        continue;
      }
      const std::chrono::duration<double> pause(delay * options_.retry_scale);
      backoff_.emplace(Clock::now() + std::chrono::duration_cast<Clock::duration>(pause),
                       std::move(transfer));
    }
  }

  TransferPtr take(CURL* easy) {
    const auto found = active_.find(easy);
    auto transfer = std::move(found->second);
    active_.erase(found);
    return transfer;
  }

  void put_away(Transfer& transfer, bool reuse) {
    curl_.multi_remove(multi_, transfer.easy);
    if (reuse)
      free_.push_back(transfer.easy);
    else
      curl_.easy_cleanup(transfer.easy);  // a reused handle would remember the error
    transfer.easy = nullptr;
  }

  void end(TransferPtr transfer) {
    curl_.slist_free_all(transfer->lines);
    transfer->done(std::move(transfer->response));
  }

  void cancel(TransferPtr transfer) {
    const int tries = transfer->response.tries;
    transfer->response = HttpResponse{};
    transfer->response.fault = Fault::cancelled;
    transfer->response.message = "cancelled";
    transfer->response.tries = tries;
    end(std::move(transfer));
  }

  // Cancels everything that send() was given, except for the inbox.
  void cancel_started() {
    std::vector<TransferPtr> all;
    for (auto& [easy, transfer] : active_) {
      put_away(*transfer, false);
      all.push_back(std::move(transfer));
    }
    for (auto& [due, transfer] : backoff_) all.push_back(std::move(transfer));
    for (auto& [host, waiting] : held_)
      for (auto& transfer : waiting) all.push_back(std::move(transfer));
    for (auto& transfer : ready_) all.push_back(std::move(transfer));
    active_.clear();
    backoff_.clear();
    held_.clear();
    ready_.clear();
    for (auto& transfer : all) cancel(std::move(transfer));
  }

  static int on_socket(CURL* /*easy*/, curl_socket_t socket, int what, void* self, void* known) {
    auto& client = *static_cast<CurlClient*>(self);
    if (what == CURL_POLL_REMOVE) {
      client.watch(socket, EPOLL_CTL_DEL, 0);
      return 0;
    }
    std::uint32_t events = 0;
    if ((what & CURL_POLL_IN) != 0) events |= EPOLLIN;
    if ((what & CURL_POLL_OUT) != 0) events |= EPOLLOUT;
    client.watch(socket, known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, events);
    client.curl_.multi_assign(client.multi_, socket, &client);  // comes back as `known`
    return 0;
  }

  static int on_timer(CURLM* /*multi*/, long millis, void* self) {
    auto& client = *static_cast<CurlClient*>(self);
    client.timer_.reset();
    if (millis >= 0) client.timer_ = Clock::now() + std::chrono::milliseconds(millis);
    return 0;
  }

  // The host is resolved, and the connection goes to this address, whatever the URL or the host
  // name looks like. Programs that other threads start do not inherit the socket.
  static curl_socket_t on_open(void* data, curlsocktype /*purpose*/, curl_sockaddr* address) {
    auto& transfer = *static_cast<Transfer*>(data);
    auto& client = *static_cast<CurlClient*>(transfer.client);
    client.reached(transfer.host);
    if (client.options_.public_only && !base::is_public(address->addr)) {
      transfer.has_private = true;
      return CURL_SOCKET_BAD;  // libcurl tries the next address
    }
    transfer.has_public = true;
    const int opened = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    transfer.socket_error = opened < 0 ? errno : 0;
    return opened;
  }

  const Curl& curl_;
  const HttpOptions options_;
  const std::size_t limit_;
  CURLM* const multi_;
  const int epoll_, wake_;
  const std::string authorities_;

  std::mutex mutex_;  // guards the next four
  std::vector<TransferPtr> inbox_;
  std::size_t cancelled_ = 0;  // this many at the front of the inbox
  bool cancelling_ = false, stopping_ = false;

  // Only used by the thread.
  std::deque<TransferPtr> ready_;                                   // to be started
  std::unordered_map<CURL*, TransferPtr> active_;                   // in flight
  std::multimap<Clock::time_point, TransferPtr> backoff_;           // by due time
  std::unordered_map<std::string, std::vector<TransferPtr>> held_;  // by host, see start_due()
  std::unordered_set<std::string> reached_;                         // hosts with an address
  std::vector<CURL*> free_;
  std::optional<Clock::time_point> timer_;  // libcurl's
  std::minstd_rand generator_{std::random_device{}()};
  std::uniform_real_distribution<double> random_{0, 1};

  std::thread thread_;
};

}  // namespace

base::Result<std::unique_ptr<HttpClient>> HttpClient::open(const HttpOptions& options) {
  const auto& loaded = load_curl();
  const auto cannot = [](std::string_view why) {
    return base::fail(base::Code::no_client, {},
                      fmt::format("cannot load the HTTP library `libcurl.so.4`: {}", why),
                      base::hint_for(base::lack_of_files(),
                                     "install it: the package is `libcurl4` on Debian and Ubuntu"));
  };
  const auto cannot_start = [](int error) {
    return base::fail(base::Code::no_client, {},
                      fmt::format("cannot start the HTTP client: {}", base::reason(error)),
                      base::hint_for(error));
  };
  if (!loaded.error.empty()) return cannot(loaded.error);
  CURLM* multi = loaded.curl.multi_init();
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  const int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (multi == nullptr || epoll < 0 || wake < 0) {
    const int error = errno;
    if (multi != nullptr) loaded.curl.multi_cleanup(multi);
    if (epoll >= 0) close(epoll);
    if (wake >= 0) close(wake);
    return cannot_start(error);
  }
  auto client = std::make_unique<CurlClient>(loaded.curl, options, multi, epoll, wake);
  if (const auto error = client->start()) return cannot_start(error.value());
  return client;
}

}  // namespace vibe::model
