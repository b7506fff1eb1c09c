#include "run/run.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <unordered_map>

#include "base/time.h"
#include "check/judge.h"
#include "run/answer_figures.h"
#include "run/conversation.h"
#include "score/score.h"
#include "tokens/tokens.h"

namespace vibe::run {

using Clock = std::chrono::steady_clock;

namespace {

constexpr auto kTick = std::chrono::milliseconds(50);
constexpr auto kStopPoll = std::chrono::milliseconds(200);
constexpr std::int64_t kTokensAroundMessage = 4;    // for role and separators in chat formats
constexpr std::int64_t kBudgetOutputTokens = 1024;  // if the suite sets no limit

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// An answer of the model, or a task for the runner's thread.
struct Arrival {
  std::size_t job;
  std::uint32_t sample;
  model::Outcome outcome;
  std::function<void()> task{};  // null: it is an outcome
};

// The queue of outcomes for the runner's thread. Outlives the requests in flight.
class Arrivals {
 public:
  void push(Arrival arrival) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(arrival));
    if (waiting_.size() == 1) ready_.notify_one();
  }
  // Everything that arrived. Waits up to a tick for the first arrival if `may_wait`.
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

// The quotes are already masked; this is the safety net.
void redact(std::vector<score::Finding>& findings, const Redactor& redactor) {
  for (auto& finding : findings) {
    redactor.apply_to_message(finding.message);
    if (finding.judged) redactor.apply_to(finding.judged->model);
    redact(finding.children, redactor);
  }
}

// The cost of the evidence, and the part of it that was paid just now.
std::pair<std::optional<double>, double> cost_of(const check::Evidence& evidence) {
  if (const auto* opinions = std::get_if<check::Opinions>(&evidence))
    return {opinions->judged.cost, opinions->paid};
  if (const auto* closeness = std::get_if<check::Closeness>(&evidence))
    return {closeness->cost, closeness->paid};
  if (const auto* none = std::get_if<check::Unavailable>(&evidence))
    return {none->cost, none->paid};
  return {0, 0};
}

// One run in progress.
class Work {
 public:
  Work(std::size_t number, Job& job, Observer& observer, std::shared_ptr<Arrivals> arrivals)
      : number_(number),
        job_(job),
        observer_(observer),
        arrivals_(std::move(arrivals)),
        evidence_(
            job.outside,
            [arrivals = arrivals_, number](std::function<void()> task) {
              arrivals->push({number, 0, {}, std::move(task)});
            },
            [this](const base::Diagnostics& problems) { keep(tl::unexpected(problems)); }),
        spent_(job.spent) {}

  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() {  // after an exception there are talks left
    for (const auto& [sample, talk] : talks_)
      if (job_.spending_limit && talk.is_in_flight && talk.is_reserved)
        job_.spending_limit->release(talk.reserved);
  }

  bool ended() const { return ended_; }
  Ended result() { return {ending_, needed_, std::move(problems_)}; }

  // Sends as many requests as may be in flight. Answers from the cache come immediately, so it
  // returns after a tick to let other runs proceed.
  void send() {
    const auto begun = Clock::now();
    is_blocked_ = waits_ = false;
    has_credit_ = true;
    while (can_send() && Clock::now() - begun < kTick) is_blocked_ = !begin(job_.pending[next_]);
  }

  // There is more to send, and no reason to wait.
  bool can_send() const {
    return !ended_ && !is_draining_ && !is_blocked_ && in_flight_ < job_.plan->threads() &&
           next_ < job_.pending.size();
  }

  // An outcome arrived. If its sample needs nothing else, another one may be sent. Cheap: deliver()
  // does the slow part, so that the model does not wait for us.
  void note(const Arrival& arrival) {
    if (arrival.task) return;
    pay(arrival);
    if (talks_.at(arrival.sample).talk.is_plain()) leave(arrival.sample);
  }

  void deliver(Arrival arrival) {
    if (arrival.task) return arrival.task();
    answered(arrival.sample, std::move(arrival.outcome), false);
  }

  // Called after all arrivals were delivered.
  void finish_if_done() {
    if (ended_ || in_flight_ > 0) return;
    if (next_ == job_.pending.size())
      end(Ending::finished);
    else if (is_draining_)
      end(Ending::interrupted);
    else if (is_blocked_ && !waits_)  // even the next sample alone does not fit
      end(has_credit_ ? Ending::over_budget : Ending::no_credit);
  }

  void look_around() {
    if (ended_) return;
    if (job_.timeout && seconds_since(begun_) >= *job_.timeout) end(Ending::timed_out);
    if (Clock::now() - last_poll_ < kStopPoll) return;
    last_poll_ = Clock::now();
    if (observer_.stop(number_)) end(Ending::stopped);
  }

  void drain() { is_draining_ = true; }

  void end(Ending ending) {
    if (ended_) return;
    ended_ = true;
    ending_ = ending;
    if (in_flight_ == 0) return;
    job_.model.model->cancel();
    evidence_.cancel();
  }

  std::size_t in_flight() const { return in_flight_; }

 private:
  // A sample in progress.
  struct Talk {
    Conversation talk;
    std::size_t open = 0;          // missing pieces of evidence
    check::Evidences evidences{};  // of the current turn
    bool is_in_flight = true;      // counts as one of `threads`
    bool is_reserved = false;      // in the budget and the spending limit
    double reserved = 0;           // US dollars
    double of_answer = 0;          // of that, for each model answer
    double paid = 0;               // US dollars
  };

  // False if the budget does not allow it, or not yet: requests in flight may cost less than was
  // reserved for them.
  bool begin(std::uint32_t sample) {
    Talk talk{Conversation(*job_.plan, sample)};
    auto kept = job_.model.find(talk.talk.request());
    if (!(kept && talk.talk.is_plain()) && !reserve(talk)) return false;
    ++next_;
    ++in_flight_;
    const auto& request = talks_.emplace(sample, std::move(talk)).first->second.talk.request();
    if (kept)
      answered(sample, *std::move(kept), true);
    else
      ask(sample, request);
    return true;
  }

  void ask(std::uint32_t sample, const model::Request& request) {
    job_.model.ask(request, [arrivals = arrivals_, job = number_, sample](model::Outcome outcome) {
      arrivals->push({job, sample, std::move(outcome)});
    });
  }

  void answered(std::uint32_t sample, model::Outcome outcome, bool from_cache) {
    using Kind = model::Failure::Kind;
    Talk& at_hand = talks_.at(sample);
    if (from_cache && outcome) learn_from(*outcome);
    if (ended_ && !outcome && outcome.error().kind == Kind::cancelled) return close(sample);
    keep(job_.model.keep(at_hand.talk.request(), outcome, from_cache));
    if (!outcome) {
      at_hand.talk.failed(job_.model.redacted(std::move(outcome)).error());
      return show(sample);
    }
    auto redacted = *job_.model.redacted(outcome);
    at_hand.talk.answered(*std::move(outcome), std::move(redacted), from_cache);
    gather(sample);
  }

  // Collects the evidence that the checks need, then judges them.
  void gather(std::uint32_t sample) {
    Talk& at_hand = talks_.at(sample);
    const auto needing = check::needing_evidence(at_hand.talk.checks());
    if (needing.empty()) return judge(sample);
    if (ended_) return close(sample);  // no more requests
    auto inquiry = std::make_shared<Inquiry>();
    inquiry->eval = job_.plan->shown_name(job_.plan->samples()[sample]);
    inquiry->request = at_hand.talk.request();
    inquiry->response = at_hand.talk.response();
    at_hand.evidences.clear();
    at_hand.open = needing.size();
    const auto opinions = [](const check::Check& check) {
      const auto* judgement = std::get_if<check::Judgement>(&check.arguments);
      return static_cast<std::uint32_t>(judgement ? judgement->repeat : 0);
    };
    std::uint32_t before = 0;
    for (const check::Check* check : needing)
      evidence_.find(*check, inquiry, std::exchange(before, before + opinions(*check)),
                     [this, sample, check](check::Evidence evidence) {
                       Talk& asked = talks_.at(sample);
                       const auto [cost, paid] = cost_of(evidence);
                       asked.talk.add_judge_cost(cost);
                       spend(asked, paid);
                       asked.evidences.emplace_back(check, std::move(evidence));
                       if (--asked.open == 0) judge(sample);
                     });
  }

  void judge(std::uint32_t sample) {
    Talk& at_hand = talks_.at(sample);
    // Evidence that a stop cut short does not count: a resumed run sends the sample again.
    if (ended_ && !at_hand.evidences.empty()) return close(sample);
    const Redactor& redactor = *job_.model.redactor;
    const check::Mask mask = [&](std::string& text) { redactor.apply_to(text); };
    auto findings = judge_.judge(at_hand.talk.checks(), at_hand.talk.judged_response(),
                                 at_hand.evidences, mask);
    redact(findings, redactor);
    if (!at_hand.talk.judged(std::move(findings))) return show(sample);
    if (ended_) return close(sample);
    const auto& request = at_hand.talk.request();
    if (auto kept = job_.model.find(request))
      answered(sample, *std::move(kept), true);
    else
      ask(sample, request);
  }

  void show(std::uint32_t sample) {
    const Talk& at_hand = talks_.at(sample);
    score::Result result = at_hand.talk.result(*job_.model.redactor);
    result.paid = at_hand.paid;
    close(sample);
    if (ended_ && ending_ == Ending::broken) return;  // a result after a stop still counts
    if (job_.rubric) look_at_answer(result, *job_.rubric);
    keep(observer_.on_result(number_, std::move(result)));
  }

  // Another sample may be sent in its place.
  void leave(std::uint32_t sample) {
    Talk& at_hand = talks_.at(sample);
    if (!std::exchange(at_hand.is_in_flight, false)) return;
    --in_flight_;
    reserved_ = in_flight_ == 0 ? 0 : reserved_ - at_hand.reserved;
    if (job_.spending_limit && at_hand.is_reserved) job_.spending_limit->release(at_hand.reserved);
    is_blocked_ = false;  // there may be room for the next one now
  }

  void close(std::uint32_t sample) {
    leave(sample);
    talks_.erase(sample);
  }

  // Reserves the worst case of the sample in the budget and in the spending limit.
  bool reserve(Talk& talk) {
    if (!job_.budget && !(job_.spending_limit && job_.spending_limit->is_limited())) return true;
    if (!has_learnt_ && reserved_ > 0) return false;  // the first answer shows the real cost
    const auto& request = talk.talk.request();
    const auto prompt = estimate_prompt_tokens(request);
    const auto output =
        request.parameters.max_output_tokens.value_or(std::max(kBudgetOutputTokens, most_output_));
    talk.of_answer = std::max(estimated(job_.model, prompt, output), most_expensive_);
    double amount = talk.of_answer * static_cast<double>(talk.talk.most_turns());
    for (const auto* judgement : talk.talk.judgements())
      if (const auto judge = job_.outside.judges.find(judgement->model);
          judge != job_.outside.judges.end())
        amount += static_cast<double>(judgement->repeat) *
                  estimated(judge->second, prompt + output + kJudgeTokens, kJudgeTokens);
    needed_ = spent_ + reserved_ + amount;
    if (job_.budget && needed_ > *job_.budget + score::kLeastDollars) return false;
    const bool is_held = hold(amount);  // may raise the amount
    needed_ = amount;
    if (!is_held) return false;
    talk.is_reserved = true;
    talk.reserved = amount;
    reserved_ += amount;
    return true;
  }

  bool hold(double& amount) {
    const auto answer =
        job_.spending_limit ? job_.spending_limit->hold(amount) : SpendingLimit::Answer::yes;
    has_credit_ = answer != SpendingLimit::Answer::no;
    waits_ = answer == SpendingLimit::Answer::later;
    return answer == SpendingLimit::Answer::yes;
  }

  void spend(Talk& talk, double amount) {
    if (job_.outside.is_replay) return;
    talk.paid += amount;
    spent_ += amount;
    if (job_.spending_limit) job_.spending_limit->pay(amount);
  }

  static double estimated(const Channel& channel, std::int64_t prompt, std::int64_t output) {
    if (!channel.price) return 0;
    const auto cost = price::cost(*channel.price, {.prompt = prompt, .completion = output});
    return cost.input + cost.output;
  }

  void pay(const Arrival& arrival) {
    Talk& talk = talks_.at(arrival.sample);
    const double reserved = talk.of_answer;
    if (!arrival.outcome) {
      const auto& failure = arrival.outcome.error();
      spend(talk, failure.cost.value_or(reserved));
      // The provider got the last request and may charge for it.
      if (failure.kind == model::Failure::Kind::malformed ||
          failure.kind == model::Failure::Kind::timed_out)
        spend(talk, reserved);
      return learn(0, 0);
    }
    spend(talk, arrival.outcome->cost.total.value_or(reserved));
    learn_from(*arrival.outcome);
  }

  // Learns the real cost of an answer.
  void learn_from(const model::Answer& answer) {
    learn(answer.cost.total.value_or(0), answer.usage.completion.value_or(0));
  }
  void learn(double cost, std::int64_t output) {
    has_learnt_ = true;
    most_expensive_ = std::max(most_expensive_, cost);
    most_output_ = std::max(most_output_, output);
    if (job_.spending_limit) job_.spending_limit->learn(cost);
  }

  void keep(const base::Result<void>& kept) {
    if (kept) return;
    problems_.append(kept.error());
    end(Ending::broken);
    ending_ = Ending::broken;
  }

  std::size_t number_;
  Job& job_;
  Observer& observer_;
  std::shared_ptr<Arrivals> arrivals_;
  check::Judge judge_;
  std::unordered_map<std::uint32_t, Talk> talks_;  // by sample
  EvidenceCollector evidence_;
  std::size_t next_ = 0, in_flight_ = 0;
  bool ended_ = false, is_draining_ = false;
  bool is_blocked_ = false;  // by the budget or the spending limit
  bool has_credit_ = true;   // in the spending limit
  bool waits_ = false;       // for other runs to release credit
  bool has_learnt_ = false;  // the cost of an answer, or that there will be none
  Ending ending_ = Ending::finished;
  base::Diagnostics problems_;
  double spent_, reserved_ = 0, most_expensive_ = 0;  // the last: highest cost of an answer
  double needed_ = 0;                                 // for the sample that was tried last
  std::int64_t most_output_ = 0;
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
    const bool is_draining = observer.drain();
    const bool stops = observer.stop_all();
    for (auto& work : works) {
      if (is_draining) work.drain();
      if (stops) work.end(is_draining ? Ending::interrupted : Ending::stopped);
    }
    for (auto& work : works) work.look_around();
    if (Clock::now() - last_tick < kTick) continue;
    last_tick = Clock::now();
    observer.on_tick();
  }
  // Cancelled requests also arrive.
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
    case Ending::interrupted: return score::RunStatus::running;  // another worker resumes it
    case Ending::over_budget:
    case Ending::no_credit:
    case Ending::finished: break;
  }
  if (results == 0 || errors == results) return score::RunStatus::failed;
  if (errors > 0 || ending != Ending::finished) return score::RunStatus::partial_failure;
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
