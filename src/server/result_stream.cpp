#include "server/result_stream.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/time.h"
#include "server/guarded.h"
#include "wire/run.h"
#include "wire/status.h"

namespace vibe::server {

namespace {

constexpr std::int64_t kPage = 16;             // results per page
constexpr std::size_t kMostWhole = 64u << 10;  // bytes; larger answers are sent in parts

// Text that is produced step by step from a stored run.
class Steps : public Stream {
 public:
  explicit Steps(const Call& call)
      : service_(call.service), organisation_(call.organisation()), request_(call.request.id) {}

  std::optional<std::string> next() override {
    std::string out;
    while (out.empty() && state_ == State::open) {
      bool is_made = false;
      guarded(service_.log, request_, [&] { is_made = step(out); });
      if (!is_made) state_ = State::broken;
    }
    if (state_ == State::broken || out.empty()) return std::nullopt;
    return out;
  }
  bool is_broken() const override { return state_ == State::broken; }

 protected:
  virtual bool step(std::string& out) = 0;  // false: it failed
  void end() { state_ = State::ended; }

  template <class Found>
  using Find = std::function<base::Result<std::vector<Found>>(store::Feed&)>;
  // None: the store cannot be read, and the log says why.
  template <class Found>
  std::optional<std::vector<Found>> read(const Find<Found>& find) {
    auto local = service_.tenants.local(organisation_);
    auto found = local ? find((*local)->store->feed()) : tl::unexpected(local.error());
    if (found) return *std::move(found);
    service_.log.write_problem(request_, found.error());
    return std::nullopt;
  }

  Service& service_;
  const std::string organisation_;

 private:
  const std::string request_;
  enum class State { open, ended, broken } state_ = State::open;
};

// In the order of arrival. Pages begin at fixed numbers, with gaps where a result was replaced.
// Many clients wait for the end of the same run, so its pages are cached.
class StatusSteps final : public Steps {
 public:
  StatusSteps(const Call& call, score::Run run, bool is_update, std::int64_t until)
      : Steps(call),
        run_(std::move(run)),
        is_update_(is_update),
        until_(until),
        empty_(text_of({})) {}

 private:
  bool step(std::string& out) override {
    if (!std::exchange(is_begun_, true)) out.append(empty_, 0, empty_.size() - kEnd.size());
    if (page_ * kPage < until_) {
      const auto page = find_or_read();
      if (!page) return false;
      if (!page->empty() && std::exchange(has_results_, true)) out += ',';
      out += *page;
      ++page_;
    }
    if (page_ * kPage < until_) return true;
    out += kEnd;
    end();
    return true;
  }

  RenderedRuns::Text find_or_read() {
    if (!score::is_finished(run_.status)) return read_page();
    auto text = service_.result_pages.find(organisation_, {{key()}}).front();
    if (text) return text;
    text = read_page();
    // A large one would displace many.
    if (text && text->size() < kMostWhole) service_.result_pages.keep(organisation_, key(), text);
    return text;
  }

  // Any later change of the results raises the last arrival.
  store::ListedRun key() const { return {fmt::format("{} {} {}", run_.id, until_, page_), 0}; }

  // The page, or the first after it that has results. Null: it cannot be read.
  RenderedRuns::Text read_page() {
    auto arrivals = read<store::Arrival>(
        [this](store::Feed& feed) { return feed.arrivals(run_.id, page_ * kPage, kPage); });
    if (!arrivals) return nullptr;
    page_ = arrivals->empty() ? until_ / kPage
                              : std::max(page_, (arrivals->front().number - 1) / kPage);
    const std::int64_t last = std::min(until_, (page_ + 1) * kPage);
    std::erase_if(*arrivals, [&](const auto& one) { return one.number > last; });
    const std::string whole = text_of(*arrivals);
    const std::size_t begin = empty_.size() - kEnd.size();
    return std::make_shared<const std::string>(whole, begin, whole.size() - empty_.size());
  }

  std::string text_of(std::span<const store::Arrival> arrivals) const {
    return wire::status_json({run_, arrivals, is_update_, now_});
  }

  static constexpr std::string_view kEnd = "]}";

  const score::Run run_;
  const bool is_update_;
  const score::Millis now_ = base::now_millis();
  const std::int64_t until_;
  const std::string empty_;  // without results
  std::int64_t page_ = 0;
  bool is_begun_ = false, has_results_ = false;
};

// In the order of samples.
class RunSteps final : public Steps {
 public:
  RunSteps(const Call& call, const score::Run& run) : Steps(call), run_(run.id) {
    base::JsonWriter json;
    json.begin_object().key("run");
    wire::write_run(json, run, {});
    head_ = json.end_object().text();
    head_.resize(head_.size() - kEnd.size());
  }

 private:
  bool step(std::string& out) override {
    out = std::exchange(head_, {});
    const auto results = read<score::Result>(
        [this](store::Feed& feed) { return feed.results_from(run_, next_, kPage); });
    if (!results) return false;
    for (const auto& result : *results) {
      if (next_ > 0) out += ',';
      base::JsonWriter json;
      wire::write_result(json, result);
      out += json.text();
      next_ = result.sample + 1;
    }
    if (std::ssize(*results) == kPage) return true;
    out += kEnd;
    end();
    return true;
  }

  static constexpr std::string_view kEnd = "]}}";

  const std::string run_;
  std::string head_;
  std::uint32_t next_ = 0;  // next sample
};

// The finished first part, then the rest.
class Begun final : public Stream {
 public:
  Begun(std::string begin, std::unique_ptr<Stream> rest)
      : begin_(std::move(begin)), rest_(std::move(rest)) {}

  std::optional<std::string> next() override {
    return begin_.empty() ? rest_->next() : std::exchange(begin_, {});
  }
  bool is_broken() const override { return rest_->is_broken(); }

 private:
  std::string begin_;
  std::unique_ptr<Stream> rest_;
};

Response answer_of(std::unique_ptr<Stream> stream) {
  std::string begin;
  while (begin.size() < kMostWhole) {
    const auto part = stream->next();
    if (!part && stream->is_broken()) return error(503, kNoStore);
    if (!part) return json(std::move(begin));
    begin += *part;
  }
  Response out;
  out.stream = std::make_shared<Begun>(std::move(begin), std::move(stream));
  return out;
}

}  // namespace

Response status_answer(const Call& call, score::Run run, bool is_update, std::int64_t until) {
  run.suite_text = std::string();  // large, and not shown
  run.explanation = std::string();
  return answer_of(std::make_unique<StatusSteps>(call, std::move(run), is_update, until));
}

Response run_answer(const Call& call, const score::Run& run) {
  return answer_of(std::make_unique<RunSteps>(call, run));
}

}  // namespace vibe::server
