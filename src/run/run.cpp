#include "run/run.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

#include <fmt/format.h>

#include "base/time.h"
#include "check/judge.h"
#include "tokens/tokens.h"

namespace vibe::run {

using Clock = std::chrono::steady_clock;

namespace {

constexpr auto kTick = std::chrono::milliseconds(50);
constexpr auto kStopPoll = std::chrono::milliseconds(200);
constexpr std::int64_t kTokensAroundMessage = 4;  // roles and separators, as chat formats have them
constexpr std::int64_t kBudgetOutputTokens = 1024;  // where the suite sets no limit

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Arrival {
  std::size_t job;
  std::uint32_t sample;
  model::Outcome outcome;
};

// Where outcomes wait for the runner's thread. Outlives the requests in flight.
class Arrivals {
 public:
  void push(Arrival arrival) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(arrival));
    if (waiting_.size() == 1) ready_.notify_one();
  }
  // All that came; nothing after a tick, or at once if there is something else to do.
  std::vector<Arrival> take(bool may_wait) {
    std::unique_lock lock(mutex_);
    if (may_wait) ready_.wait_for(lock, kTick, [this] { return !waiting_.empty(); });
    return std::exchange(waiting_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Arrival> waiting_;
};

score::ResultStatus result_status(check::Verdict verdict) {
  switch (verdict) {
    case check::Verdict::pass: return score::ResultStatus::passed;
    case check::Verdict::fail: return score::ResultStatus::failed;
    case check::Verdict::error: return score::ResultStatus::error;
  }
  std::abort();
}

void redact(std::vector<check::Finding>& findings, const Redactor& redactor) {
  for (auto& finding : findings) {
    redactor.apply_to_message(finding.message);
    redact(finding.children, redactor);
  }
}

// The first check that could not be decided, in words.
std::string undecided(std::span<const check::Finding> findings) {
  for (const auto& finding : findings)
    if (finding.verdict == check::Verdict::error)
      return fmt::format("`{}` could not be decided: {}", finding.type, finding.message);
  return {};
}

// Every text of an answer.
template <class Answer, class Visit>
void for_each_text(Answer& answer, const Visit& visit) {
  visit(answer.text);
  visit(answer.thinking);
  visit(answer.stop_reason);
  for (auto& call : answer.tool_calls) {
    visit(call.id);
    visit(call.name);
    visit(call.arguments);
  }
}

// One run at work.
class Work {
 public:
  Work(std::size_t number, Job& job, Observer& observer, std::shared_ptr<Arrivals> arrivals)
      : number_(number),
        job_(job),
        observer_(observer),
        arrivals_(std::move(arrivals)),
        spent_(job.spent) {}

  bool ended() const { return ended_; }
  Ended result() { return {ending_, std::move(problems_)}; }

  // Sends as much as may be in flight. Answers from the cache come at once: after a while it
  // returns, so that others get their turn.
  void send() {
    const auto begun = Clock::now();
    is_blocked_ = false;
    while (can_send() && Clock::now() - begun < kTick) is_blocked_ = !send_one(job_.pending[next_]);
  }

  // There is more to be sent, and nothing to be waited for.
  bool can_send() const {
    return !ended_ && !is_blocked_ && in_flight_ < job_.plan->threads() &&
           next_ < job_.pending.size();
  }

  // An outcome is here, and something else may be sent in its place. Cheap: what takes longer is
  // deliver()'s, so that the model does not wait for us.
  void note(const Arrival& arrival) {
    --in_flight_;
    const double reserved = release(arrival.sample);
    if (!arrival.outcome) {
      // It may have been paid for: the provider got it.
      const auto kind = arrival.outcome.error().kind;
      if (kind == model::Failure::Kind::malformed || kind == model::Failure::Kind::timed_out)
        spent_ += reserved;
      return;
    }
    const double cost = arrival.outcome->cost.total.value_or(reserved);
    spent_ += cost;
    dearest_ = std::max(dearest_, cost);
    most_output_ = std::max(most_output_, arrival.outcome->usage.completion.value_or(0));
  }

  void deliver(Arrival arrival) {
    auto& outcome = arrival.outcome;
    if (ended_ && !outcome && outcome.error().kind == model::Failure::Kind::cancelled) return;
    const model::Request request = job_.plan->request(job_.plan->samples()[arrival.sample]);
    // Checks judge what the model said, not what may be kept of it.
    if (job_.is_replay && outcome)
      for_each_text(*outcome, [this](std::string& text) { job_.plan->redactor().restore(text); });
    if (job_.recorder) keep(job_.recorder->add(redacted(request), redacted(outcome)));
    // An answer that repeats a secret is not kept: without it, it would not be the same answer.
    if (job_.cache && outcome && !holds_secret(*outcome))
      keep(job_.cache->keep(model::answer_key(job_.model_name, request), outcome));
    show(arrival.sample, request, std::move(outcome), false);
  }

  // Once everything that came was delivered.
  void finish_if_done() {
    if (ended_ || in_flight_ > 0) return;
    if (next_ == job_.pending.size())
      end(Ending::finished);
    else if (is_blocked_)
      end(Ending::over_budget);  // not even the next request alone may be sent
  }

  void look_around() {
    if (ended_) return;
    if (job_.timeout && seconds_since(begun_) >= *job_.timeout) end(Ending::timed_out);
    if (Clock::now() - last_poll_ < kStopPoll) return;
    last_poll_ = Clock::now();
    if (observer_.stop(number_)) end(Ending::stopped);
  }

  void end(Ending ending) {
    if (ended_) return;
    ended_ = true;
    ending_ = ending;
    if (in_flight_ > 0) job_.model->cancel();
  }

  std::size_t in_flight() const { return in_flight_; }

 private:
  // False if the budget does not allow it, or not yet: answers in flight may cost less than was
  // reserved for them.
  bool send_one(std::uint32_t number) {
    const auto& sample = job_.plan->samples()[number];
    model::Request request = job_.plan->request(sample);
    if (job_.cache) {
      if (auto kept = job_.cache->find(model::answer_key(job_.model_name, request))) {
        ++next_;
        if (job_.recorder) keep(job_.recorder->add(redacted(request), redacted(*kept)));
        show(number, request, *std::move(kept), true);
        return true;
      }
    }
    if (!reserve(number, request)) return false;
    ++next_;
    ++in_flight_;
    job_.model->ask(job_.is_replay ? redacted(request) : request,
                    [arrivals = arrivals_, job = number_, number](model::Outcome outcome) {
                      arrivals->push({job, number, std::move(outcome)});
                    });
    return true;
  }

  bool reserve(std::uint32_t number, const model::Request& request) {
    if (!job_.budget || !job_.price) return true;
    const auto output =
        request.parameters.max_output_tokens.value_or(std::max(kBudgetOutputTokens, most_output_));
    const auto cost =
        price::cost(*job_.price, {.prompt = estimate_prompt_tokens(request), .completion = output});
    const double amount = std::max(cost.input + cost.output, dearest_);
    if (spent_ + reserved_ + amount > *job_.budget) return false;
    reserved_ += amount;
    reservations_.emplace_back(number, amount);
    return true;
  }

  // What was reserved for it.
  double release(std::uint32_t number) {
    const auto found = std::find_if(reservations_.begin(), reservations_.end(),
                                    [&](const auto& entry) { return entry.first == number; });
    if (found == reservations_.end()) return 0;
    const double amount = found->second;
    reservations_.erase(found);
    reserved_ = reservations_.empty() ? 0 : reserved_ - amount;
    return amount;
  }

  model::Request redacted(model::Request request) const {
    const auto& redactor = job_.plan->redactor();
    if (redactor.empty()) return request;
    redactor.apply_to(request.system);
    for (auto& message : request.messages) redactor.apply_to(message.text);
    return request;
  }
  model::Outcome redacted(model::Outcome outcome) const {
    if (!outcome)
      job_.redactor.apply_to_message(outcome.error().message);
    else
      for_each_text(*outcome, [this](std::string& text) { job_.redactor.apply_to(text); });
    return outcome;
  }

  bool holds_secret(const model::Answer& answer) const {
    const auto& redactor = job_.redactor;
    if (redactor.empty()) return false;
    bool found = false;
    for_each_text(answer,
                  [&](const std::string& text) { found = found || redactor.apply(text) != text; });
    return found;
  }

  void keep(const base::Result<void>& kept) {
    if (kept) return;
    problems_.append(kept.error());
    end(Ending::broken);
    ending_ = Ending::broken;
  }

  void show(std::uint32_t number, const model::Request& request, model::Outcome outcome,
            bool from_cache) {
    if (ended_ && ending_ == Ending::broken) return;  // what came too late for a stop still counts
    keep(observer_.on_result(number_, judged(number, request, std::move(outcome), from_cache)));
  }

  score::Result judged(std::uint32_t number, const model::Request& request, model::Outcome outcome,
                       bool from_cache) {
    const auto& sample = job_.plan->samples()[number];
    const auto& redactor = job_.redactor;
    score::Result out;
    out.sample = number;
    out.eval = job_.plan->suite().evals[sample.eval].name;
    out.eval_name = redactor.apply(job_.plan->shown_name(sample));
    out.repeat = sample.repeat;
    out.prompt = redactor.apply(request.messages.back().text);
    out.from_cache = from_cache;
    if (!outcome) {
      out.status = score::ResultStatus::error;
      out.error = std::move(redacted(outcome).error().message);
      // What is never answered costs nothing; of what cannot be understood, nobody knows.
      if (outcome.error().kind != model::Failure::Kind::malformed)
        out.cost = out.input_cost = out.output_cost = 0;
      out.tries = static_cast<std::uint32_t>(outcome.error().tries);
      return out;
    }
    out.checks = judge_.judge(job_.plan->checks(sample),
                              {outcome->text, outcome->latency, outcome->cost.total});
    out.status = result_status(check::overall(out.checks));
    redact(out.checks, redactor);
    if (out.status == score::ResultStatus::error) out.error = undecided(out.checks);
    model::Answer answer = *redacted(std::move(outcome));
    out.response = std::move(answer.text);
    out.thinking = std::move(answer.thinking);
    out.stop_reason = std::move(answer.stop_reason);
    for (auto& call : answer.tool_calls)
      out.tool_calls.push_back({std::move(call.name), std::move(call.arguments)});
    out.latency = answer.latency;
    out.prompt_tokens = answer.usage.prompt;
    out.completion_tokens = answer.usage.completion;
    out.thinking_tokens = answer.usage.thinking;
    out.cached_tokens = answer.usage.cached;
    out.input_cost = answer.cost.input;
    out.output_cost = answer.cost.output;
    out.cost = answer.cost.total;
    out.tries = static_cast<std::uint32_t>(answer.tries);
    return out;
  }

  std::size_t number_;
  Job& job_;
  Observer& observer_;
  std::shared_ptr<Arrivals> arrivals_;
  check::Judge judge_;
  std::size_t next_ = 0, in_flight_ = 0;
  bool ended_ = false, is_blocked_ = false;  // by the budget
  Ending ending_ = Ending::finished;
  base::Diagnostics problems_;
  double spent_, reserved_ = 0, dearest_ = 0;  // the dearest answer so far
  std::int64_t most_output_ = 0;
  std::vector<std::pair<std::uint32_t, double>> reservations_;
  Clock::time_point begun_ = Clock::now(), last_poll_ = begun_;
};

}  // namespace

std::vector<Ended> run_all(std::span<Job> jobs, Observer& observer) {
  const auto arrivals = std::make_shared<Arrivals>();
  std::deque<Work> works;
  for (std::size_t i = 0; i < jobs.size(); ++i) works.emplace_back(i, jobs[i], observer, arrivals);
  const auto all_ended = [&] {
    return std::all_of(works.begin(), works.end(), [](const Work& work) { return work.ended(); });
  };
  const auto take = [&] {
    const bool may_wait =
        std::none_of(works.begin(), works.end(), [](const Work& work) { return work.can_send(); });
    auto came = arrivals->take(may_wait);
    for (const auto& arrival : came) works[arrival.job].note(arrival);
    for (auto& work : works) work.send();
    for (auto& arrival : came) works[arrival.job].deliver(std::move(arrival));
    for (auto& work : works) work.finish_if_done();
  };

  auto last_tick = Clock::now();
  for (auto& work : works) {
    work.send();
    work.finish_if_done();
  }
  while (!all_ended()) {
    take();
    if (observer.stop_all())
      for (auto& work : works) work.end(Ending::stopped);
    for (auto& work : works) work.look_around();
    if (Clock::now() - last_tick < kTick) continue;
    last_tick = Clock::now();
    observer.on_tick();
  }
  // What was cancelled comes back, too.
  while (std::any_of(works.begin(), works.end(),
                     [](const Work& work) { return work.in_flight() > 0; }))
    take();

  std::vector<Ended> out;
  for (auto& work : works) out.push_back(work.result());
  return out;
}

score::RunStatus status_of(Ending ending, std::size_t results, std::size_t errors) {
  switch (ending) {
    case Ending::stopped: return score::RunStatus::cancelled;
    case Ending::timed_out: return score::RunStatus::timed_out;
    case Ending::broken: return score::RunStatus::failed;
    case Ending::over_budget:
    case Ending::finished: break;
  }
  if (results == 0 || errors == results) return score::RunStatus::failed;
  if (errors > 0 || ending == Ending::over_budget) return score::RunStatus::partial_failure;
  return score::RunStatus::completed;
}

std::int64_t estimate_prompt_tokens(const model::Request& request) {
  std::size_t out = 0;
  if (!request.system.empty()) out += tokens::count(request.system) + kTokensAroundMessage;
  for (const auto& message : request.messages)
    out += tokens::count(message.text) + kTokensAroundMessage;
  return static_cast<std::int64_t>(out);
}

}  // namespace vibe::run
