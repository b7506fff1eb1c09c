// POST /api/rescore: scores all runs on a worker, then sends the outcome line by line. If it takes
// long, the answer begins earlier, with lines about the progress.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/runs/rescore.h"
#include "base/text.h"
#include "server/guarded.h"
#include "server/handlers.h"
#include "server/listing.h"
#include "store/run_filters.h"
#include "wire/rescored.h"

namespace vibe::server {

using base::Code;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostIntervals = 200;  // each takes milliseconds
constexpr std::size_t kUsualRows = 50;
constexpr std::size_t kRunsAtOnce = 64;  // runs in one part
constexpr std::chrono::milliseconds kUntilProgress{1000}, kBetweenProgress{500};

// The lines of an answer. The worker adds lines, and then the outcome, from which the lines about
// runs are made as they are sent: so a client that reads slowly takes neither memory nor a worker.
class RescoreLines final : public Stream {
 public:
  explicit RescoreLines(const Call& call)
      : service_(call.service), organisation_(call.organisation()), request_(call.request.id) {}

  void add(std::string_view text) {
    const std::lock_guard lock(mutex_);
    ready_ += text;
  }
  void finish(std::shared_ptr<const app::Rescored> rescored, std::size_t rows) {
    const std::lock_guard lock(mutex_);
    rescored_ = std::move(rescored);
    rows_ = rows;
    state_ = State::runs;
  }
  void fail() {
    const std::lock_guard lock(mutex_);
    state_ = State::broken;
  }

  std::optional<std::string> next() override {
    {
      const std::lock_guard lock(mutex_);
      if (!ready_.empty()) return std::exchange(ready_, {});
      if (state_ == State::waiting) return "";
      if (state_ == State::broken) return std::nullopt;
    }
    std::string out;
    while (out.empty() && sent_ < rows_) {  // a run may be gone meanwhile
      bool is_made = false;
      guarded(service_.log, request_, [&] { is_made = add_runs(out); });
      if (!is_made) {
        fail();
        return std::nullopt;
      }
    }
    return out.empty() ? std::nullopt : std::optional(std::move(out));
  }
  bool is_broken() const override {
    const std::lock_guard lock(mutex_);
    return state_ == State::broken;
  }
  bool is_live() const override { return true; }

 private:
  bool add_runs(std::string& out) {
    auto local = service_.tenants.local(organisation_);
    auto runs = local ? rescored_->runs((*local)->store->rescoring(), sent_,
                                        std::min(kRunsAtOnce, rows_ - sent_))
                      : tl::unexpected(local.error());
    if (!runs) {
      service_.log.write_problem(request_, runs.error());
      return false;
    }
    for (const auto& run : *runs) out += wire::run_line(run);
    sent_ += kRunsAtOnce;
    return true;
  }

  Service& service_;
  const std::string organisation_, request_;
  mutable std::mutex mutex_;
  std::string ready_;
  enum class State { waiting, runs, broken } state_ = State::waiting;
  // Used by the reader alone from `State::runs` on.
  std::shared_ptr<const app::Rescored> rescored_;
  std::size_t rows_ = 0, sent_ = 0;
};

// ---- the request

// Filters have the form of a query, whatever their type in JSON.
void read_run_filter(const Body& body, store::RescoreRequest& request, base::Diagnostics& out) {
  const auto* filter = body.find("filter");
  if (!filter) return;
  if (!filter->object()) return body.refuse("filter", out);
  Target target;
  for (const auto& [name, value] : *filter->object()) {
    if (value.is_null()) continue;
    bool is_known = false;
    store::for_each_filter_key(
        [&](const store::FilterKey& key, std::string_view) { is_known |= key.name == name; });
    if (!is_known)
      out.add(Code::bad_usage, {},
              fmt::format("Invalid filter `{}`: no such filter",
                          base::printable(base::shorten(name, 100))));
    target.query.emplace_back(name, value.text() ? *value.text() : to_text(value));
  }
  auto query = read_run_query(target);
  if (query)
    request.filter = *std::move(query);
  else
    out.add(Code::bad_usage, {}, query.error());
}

void read_metrics(const Body& body, score::Rule& rule, base::Diagnostics& out) {
  const auto* metrics = body.find("metrics");
  if (!metrics) return;
  if (!metrics->object()) return body.refuse("metrics", out);
  for (const auto& [name, formula] : *metrics->object()) {
    if (!formula.text()) return body.refuse("metrics", out);
    rule.metrics.push_back({name, *formula.text()});
  }
}

store::RescoreRequest read_rescore_request(const Body& body, base::Diagnostics& out) {
  store::RescoreRequest request;
  request.rule.formula = body.text("formula").value_or("");
  request.rule.on_undefined = body.number("on_undefined");
  request.rule.min_score = body.number("min_score");
  request.rows = static_cast<std::size_t>(body.integer("rows").value_or(kUsualRows));
  request.intervals = body.boolean("intervals").value_or(false);
  request.keep = body.text("keep");
  read_metrics(body, request.rule, out);
  read_run_filter(body, request, out);
  if (request.intervals && request.rows > kMostIntervals)
    body.refuse("rows", fmt::format("must be at most {} with `intervals`", kMostIntervals), out);
  return request;
}

// ---- the work

class RescoreWork {
 public:
  RescoreWork(Call& call, store::RescoreRequest request)
      : call_(call), request_(std::move(request)), lines_(std::make_shared<RescoreLines>(call)) {}

  void run(app::Local& local) {
    call_.reply->on_end([gone = gone_] { *gone = true; });
    const auto summary = rescore(local);
    if (!summary) return refuse(error(call_, summary.error()), summary.error());
    if (!*summary) return refuse(error(503, "the server is stopping"), {});
    begin();
    call_.reply->wake();
  }

 private:
  // None: it was stopped.
  base::Result<bool> rescore(app::Local& local) {
    auto& stored = local.store->rescoring();
    VIBE_TRY(app::check_rule(stored, request_.rule, request_.filter));
    if (request_.keep) {
      VIBE_TRY(app::check_keep(stored, app::RescoreRule(request_.rule), *request_.keep));
    }
    const app::RescoreProgress progress = [this](std::size_t done, std::size_t total) {
      return tell(done, total);
    };
    app::measure_all(*local.store, local.permissions.files, progress);
    VIBE_TRY(auto rescored, app::rescore(stored, request_.rule, request_.filter, progress));
    if (!rescored || is_unwanted()) return false;
    if (request_.keep) {
      VIBE_TRY(app::keep_scores(stored, *rescored, *request_.keep));
    }
    VIBE_TRY(auto summary, rescored->summary(stored));
    summary.kept = request_.keep.value_or("");
    lines_->add(wire::summary_line(summary));
    std::size_t rows = std::min(request_.rows, rescored->size());
    if (request_.intervals) {
      VIBE_TRY(auto runs, rescored->runs(stored, 0, std::exchange(rows, 0)));
      app::add_certainty(*local.store, rescored->rule(), runs);
      for (const auto& run : runs) lines_->add(wire::run_line(run));
    }
    lines_->finish(std::make_shared<const app::Rescored>(*std::move(rescored)), rows);
    return true;
  }

  bool is_unwanted() const { return *gone_ || call_.service.is_stopping; }

  bool tell(std::size_t done, std::size_t total) {
    const auto now = Clock::now();
    if (now < next_) return !is_unwanted();
    next_ = now + kBetweenProgress;
    lines_->add(wire::progress_line(done, total));
    begin();
    call_.reply->wake();
    return !is_unwanted();
  }

  void begin() {
    if (std::exchange(is_begun_, true)) return;
    Response response;
    response.type = "application/x-ndjson";
    response.headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
    response.stream = lines_;
    call_.reply->send(std::move(response));
  }

  // After the head was sent, a client only sees that the answer is incomplete.
  void refuse(Response response, const base::Diagnostics& why) {
    if (!is_begun_) return call_.reply->send(std::move(response));
    if (!why.empty()) call_.service.log.write_problem(call_.request.id, why);
    lines_->fail();
    call_.reply->wake();
  }

  Call& call_;
  const store::RescoreRequest request_;
  const std::shared_ptr<RescoreLines> lines_;
  const std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);
  Clock::time_point next_ = Clock::now() + kUntilProgress;  // to tell the progress
  bool is_begun_ = false;
};

}  // namespace

void rescore_runs(Call&& call) {
  const auto sent = read_object(call);
  if (!sent) return;
  const Body body(*call.route.body, *sent);
  base::Diagnostics found;
  body.report(found);
  auto request = read_rescore_request(body, found);
  if (found.failed()) return call.reply->send(error(call, found));
  if (request.keep && call.caller->key.role < store::Role::run)
    return call.reply->send(
        error(403, fmt::format("the key has the role `{}`, but `keep` needs `run`",
                               to_string(call.caller->key.role))));
  if (auto local = open_store(call)) RescoreWork(call, std::move(request)).run(*local);
}

}  // namespace vibe::server
