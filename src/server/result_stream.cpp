#include "server/result_stream.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/time.h"
#include "report/run_json.h"
#include "report/status_json.h"
#include "server/guarded.h"

namespace vibe::server {

namespace {

constexpr std::int64_t kPage = 16;             // arrivals
constexpr std::size_t kMostWhole = 64u << 10;  // bytes of an answer that is not sent in parts

// The arrivals of a run with numbers from kPage * page + 1 on. Numbers have gaps where a result
// was replaced.
class Pages {
 public:
  explicit Pages(const Call& call, std::string run)
      : service_(call.service),
        organisation_(call.organisation()),
        request_(call.request.id),
        run_(std::move(run)) {}

  // None: the store cannot be read, and the log says why.
  std::optional<std::vector<store::Arrival>> read(std::int64_t page) {
    auto local = service_.tenants.local(organisation_);
    if (!local) return failed(local.error());
    auto arrivals = (*local)->store->arrivals(run_, page * kPage, kPage);
    if (!arrivals) return failed(arrivals.error());
    return *std::move(arrivals);
  }

  Service& service() { return service_; }
  const std::string& organisation() const { return organisation_; }
  const std::string& request() const { return request_; }

 private:
  std::nullopt_t failed(const base::Diagnostics& why) {
    service_.log.write_problem(request_, why);
    return std::nullopt;
  }

  Service& service_;
  const std::string organisation_, request_, run_;
};

// Text that is made step by step, each of which adds some.
class Steps : public Stream {
 public:
  std::optional<std::string> next() override {
    std::string out;
    while (out.empty() && state_ == State::open) {
      bool is_made = false;
      guarded(log(), request(), [&] { is_made = step(out); });
      if (!is_made) state_ = State::broken;
    }
    if (state_ == State::broken || out.empty()) return std::nullopt;
    return out;
  }
  bool is_broken() const override { return state_ == State::broken; }

 protected:
  virtual bool step(std::string& out) = 0;  // false: it cannot be made
  virtual AccessLog& log() = 0;
  virtual const std::string& request() const = 0;
  void end() { state_ = State::ended; }

 private:
  enum class State { open, ended, broken } state_ = State::open;
};

class StatusSteps final : public Steps {
 public:
  StatusSteps(const Call& call, score::Run run, bool is_update, std::int64_t until)
      : pages_(call, run.id),
        run_(std::move(run)),
        is_update_(is_update),
        until_(until),
        empty_(text_of({})) {}

 private:
  bool step(std::string& out) override {
    if (page_ == 0) out.append(empty_, 0, empty_.size() - kEnd.size());
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

  RunTexts::Text find_or_read() {
    if (!score::is_finished(run_.status)) return read();
    // What changes the results, later on, raises the last arrival.
    const store::ListedRun key{fmt::format("{} {} {}", run_.id, until_, page_), 0};
    RunTexts& known = pages_.service().run_texts;
    auto text = known.find(pages_.organisation(), {&key, 1}).front();
    if (text) return text;
    text = read();
    if (text) known.keep(pages_.organisation(), key, text);
    return text;
  }

  // Null: it cannot be read.
  RunTexts::Text read() {
    auto arrivals = pages_.read(page_);
    if (!arrivals) return nullptr;
    const std::int64_t last = std::min(until_, (page_ + 1) * kPage);
    std::erase_if(*arrivals, [&](const auto& one) { return one.number > last; });
    const std::string whole = text_of(*arrivals);
    const std::size_t begin = empty_.size() - kEnd.size();
    return std::make_shared<const std::string>(whole, begin, whole.size() - empty_.size());
  }

  std::string text_of(std::span<const store::Arrival> arrivals) const {
    return report::status_json({run_, arrivals, is_update_, now_});
  }

  AccessLog& log() override { return pages_.service().log; }
  const std::string& request() const override { return pages_.request(); }

  static constexpr std::string_view kEnd = "]}";

  Pages pages_;
  const score::Run run_;
  const bool is_update_;
  const score::Millis now_ = base::now_millis();
  const std::int64_t until_;
  const std::string empty_;  // without results
  std::int64_t page_ = 0;
  bool has_results_ = false;
};

class RunSteps final : public Steps {
 public:
  RunSteps(const Call& call, const score::Run& run, const std::vector<store::Outcome>& outcomes)
      : pages_(call, run.id) {
    wanted_.reserve(outcomes.size());
    for (const auto& outcome : outcomes) wanted_.push_back(outcome.sample);
    base::JsonWriter json;
    json.begin_object().key("run");
    report::write_run(json, run, {});
    head_ = json.end_object().text();
    head_.resize(head_.size() - kEnd.size());
  }

 private:
  bool step(std::string& out) override {
    out = std::exchange(head_, {});
    while (out.size() < kMostWhole && sent_ < wanted_.size()) {
      auto arrivals = pages_.read(page_);
      if (!arrivals) return false;
      if (arrivals->empty()) break;  // some are gone
      for (auto& arrival : *arrivals) take(arrival.result);
      // Those beyond the page come once more, unless there are none within it.
      page_ = std::max(page_ + 1, (arrivals->front().number - 1) / kPage);
      add_ready(out, false);
    }
    if (out.size() >= kMostWhole && sent_ < wanted_.size()) return true;
    add_ready(out, true);
    out += kEnd;
    end();
    return true;
  }

  void take(const score::Result& result) {
    const auto rest = wanted_.begin() + static_cast<std::ptrdiff_t>(sent_);
    if (!std::binary_search(rest, wanted_.end(), result.sample)) return;
    base::JsonWriter json;
    report::write_result(json, result);
    ready_[result.sample] = json.text();
  }

  // In their order, as far as they are there. They come more or less in this order, so few wait.
  void add_ready(std::string& out, bool skips_missing) {
    for (; sent_ < wanted_.size(); ++sent_) {
      const auto found = ready_.find(wanted_[sent_]);
      if (found == ready_.end() && !skips_missing) return;
      if (found == ready_.end()) continue;
      if (std::exchange(has_results_, true)) out += ',';
      out += found->second;
      ready_.erase(found);
    }
  }

  AccessLog& log() override { return pages_.service().log; }
  const std::string& request() const override { return pages_.request(); }

  static constexpr std::string_view kEnd = "]}}";

  Pages pages_;
  std::string head_;
  std::vector<std::uint32_t> wanted_;  // samples, in order
  std::size_t sent_ = 0;               // of them
  std::map<std::uint32_t, std::string> ready_;
  std::int64_t page_ = 0;
  bool has_results_ = false;
};

// What is made already, and the rest.
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
    if (!part && stream->is_broken())
      return error(503, "the server cannot use its store now; its log says why");
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

Response run_answer(const Call& call, const score::Run& run,
                    const std::vector<store::Outcome>& outcomes) {
  return answer_of(std::make_unique<RunSteps>(call, run, outcomes));
}

}  // namespace vibe::server
