#include "remote/rescore.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "remote/run_query.h"
#include "wire/rescored.h"

namespace vibe::remote {

using base::Code;

namespace {

constexpr std::string_view kRescorePath = "/api/rescore";
constexpr std::chrono::milliseconds kLineWait{100};

std::string body_of(const store::RescoreRequest& request) {
  base::JsonWriter json;
  json.begin_object().key("formula").string(request.rule.formula);
  if (!request.rule.metrics.empty()) {
    json.key("metrics").begin_object();
    for (const auto& metric : request.rule.metrics) json.key(metric.name).string(metric.formula);
    json.end_object();
  }
  if (request.rule.on_undefined) json.key("on_undefined").number(*request.rule.on_undefined);
  if (request.rule.min_score) json.key("min_score").number(*request.rule.min_score);
  Parameters filters;
  add_filters(filters, request.filter);
  json.key("filter").begin_object();
  for (const auto& [name, value] : filters) json.key(name).string(value);
  json.end_object().key("rows").integer(static_cast<std::int64_t>(request.rows));
  json.key("intervals").boolean(request.intervals);
  if (request.keep) json.key("keep").string(*request.keep);
  return json.end_object().text();
}

// What arrives on the client's thread, for the caller's.
class ByteInbox {
 public:
  void add(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    bytes_ += bytes;
    ready_.notify_one();
  }
  void end(model::HttpResponse response) {
    const std::lock_guard lock(mutex_);
    ended_ = std::move(response);
    ready_.notify_one();
  }
  // The next bytes, and how it ended, if it has.
  std::pair<std::string, std::optional<model::HttpResponse>> wait() {
    std::unique_lock lock(mutex_);
    ready_.wait_for(lock, kLineWait, [&] { return !bytes_.empty() || ended_; });
    return {std::exchange(bytes_, {}), ended_};
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::string bytes_;
  std::optional<model::HttpResponse> ended_;
};

class OutcomeLines {
 public:
  explicit OutcomeLines(store::RescoreWatcher& watcher) : watcher_(watcher) {}

  bool has_summary() const { return has_summary_; }

  void add(std::string_view bytes) {
    rest_ += bytes;
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != rest_.npos; end = rest_.find('\n', begin)) {
      take(std::string_view(rest_).substr(begin, end - begin));
      begin = end + 1;
    }
    rest_.erase(0, begin);
  }

 private:
  void take(std::string_view line) {
    const auto read = base::parse_json(line);
    if (!read) return;
    if (const auto* progress = read->find("progress")) {
      const auto number = [&](std::string_view key) {
        return static_cast<std::size_t>(progress->integer_of(key).value_or(0));
      };
      watcher_.on_progress(number("done"), number("total"));
    } else if (const auto* summary = read->find("summary")) {
      const auto known = wire::read_summary(*summary);
      has_summary_ = known.has_value();
      if (known) watcher_.on_summary(*known);
    } else if (const auto* run = read->find("run")) {
      if (const auto known = wire::read_rescored(*run)) watcher_.on_run(*known);
    }
  }

  store::RescoreWatcher& watcher_;
  std::string rest_;  // a line that is not complete
  bool has_summary_ = false;
};

}  // namespace

base::Result<bool> rescore(Server& server, const store::RescoreRequest& request,
                           store::RescoreWatcher& watcher) {
  const Question question{.method = "POST",
                          .path = std::string(kRescorePath),
                          .body = body_of(request),
                          .about = base::make_source("formula", request.rule.formula)};
  const auto inbox = std::make_shared<ByteInbox>();
  server.stream(
      question, [inbox](std::string_view bytes) { inbox->add(bytes); },
      [inbox](model::HttpResponse response) { inbox->end(std::move(response)); });
  OutcomeLines lines(watcher);
  for (;;) {
    const auto [bytes, ended] = inbox->wait();
    lines.add(bytes);
    if (watcher.wants_to_stop()) {
      server.cancel_all();
      return false;
    }
    if (!ended) continue;
    const bool is_fine = ended->fault == model::HttpResponse::Fault::none && ended->status == 200;
    if (!is_fine) return tl::unexpected(server.explain(*ended, question));
    if (lines.has_summary()) return true;
    return base::fail(
        Code::strange_server, {},
        fmt::format("the server `{}` sent scores that this program cannot read", server.url()),
        "its version may differ: `vibe doctor` shows it");
  }
}

}  // namespace vibe::remote
