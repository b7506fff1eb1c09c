#include "run/conversation.h"

#include <utility>

#include <fmt/format.h>

#include "base/known.h"
#include "base/text.h"

namespace vibe::run {

namespace {

score::ResultStatus result_status(score::Verdict verdict) {
  switch (verdict) {
    case score::Verdict::pass: return score::ResultStatus::passed;
    case score::Verdict::fail: return score::ResultStatus::failed;
    case score::Verdict::error: return score::ResultStatus::error;
  }
  std::abort();
}

// A message about the first check that could not be decided.
std::string undecided(std::span<const score::Finding> findings) {
  for (const auto& finding : findings)
    if (finding.verdict == score::Verdict::error)
      return fmt::format("`{}` could not be decided: {}", finding.type, finding.message);
  return {};
}

// Unknown if one of them is.
std::optional<double> total_cost(const std::vector<score::Turn>& turns,
                                 std::optional<double> score::Turn::* field) {
  std::optional<double> out = 0;
  for (const auto& turn : turns) base::add_known(out, turn.*field);
  return out;
}

// Over the answered turns: unknown if one of them is, or if there are none.
template <class Number>
std::optional<Number> total(const std::vector<score::Turn>& turns,
                            std::optional<Number> score::Turn::* field) {
  std::optional<Number> out;
  for (const auto& turn : turns) {
    if (!turn.latency) continue;
    if (!(turn.*field)) return std::nullopt;
    out = out.value_or(0) + *(turn.*field);
  }
  return out;
}

}  // namespace

Conversation::Conversation(const Plan& plan, std::uint32_t sample)
    : plan_(&plan),
      sample_(sample),
      level_(&plan.suite().evals[plan.samples()[sample].eval].checks),
      request_(plan.request(plan.samples()[sample])) {
  check::for_each_level(*level_, [this](const check::Checks&) { ++most_turns_; });
  is_plain_ = most_turns_ == 1 && check::needing_evidence(level_->all).empty() &&
              check::needing_evidence(plan.suite().default_checks).empty();
}

std::vector<const check::Judgement*> Conversation::judgements() const {
  std::vector<const check::Judgement*> out;
  const auto add = [&](const std::vector<check::Check>& checks) {
    for (const auto* check : check::needing_evidence(checks))
      if (const auto* judgement = std::get_if<check::Judgement>(&check->arguments))
        out.push_back(judgement);
  };
  add(plan_->suite().default_checks);
  check::for_each_level(*level_, [&](const check::Checks& level) { add(level.all); });
  return out;
}

void Conversation::answered(model::Answer answer, model::Answer redacted, bool from_cache) {
  auto& out = turns_.emplace_back();
  out.response = std::move(redacted.text);
  out.thinking = std::move(redacted.thinking);
  out.stop_reason = std::move(redacted.stop_reason);
  for (auto& call : redacted.tool_calls)
    out.tool_calls.push_back(
        {std::move(call.name), std::move(call.arguments), std::move(call.result), call.failed});
  out.latency = answer.latency;
  out.prompt_tokens = answer.usage.prompt;
  out.completion_tokens = answer.usage.completion;
  out.thinking_tokens = answer.usage.thinking;
  out.cached_tokens = answer.usage.cached;
  out.input_cost = answer.cost.input;
  out.output_cost = answer.cost.output;
  out.cost = answer.cost.total;
  out.tries = static_cast<std::uint32_t>(answer.tries);
  fitness_ = answer.fitness;
  fitness_error_ = std::move(redacted.fitness_error);
  answer_ = std::move(answer);
  checks_ = plan_->checks(plan_->samples()[sample_], *level_);
  from_cache_ = from_cache_ && from_cache;
}

void Conversation::failed(const model::Failure& failure) {
  auto& out = turns_.emplace_back();
  out.error = failure.message;
  fitness_.reset();
  fitness_error_.clear();
  // A request without an answer costs only what the answers before it did. The cost of an answer
  // that cannot be understood is unknown.
  if (failure.kind != model::Failure::Kind::malformed) out.cost = failure.cost;
  if (out.cost == 0.0) out.input_cost = out.output_cost = 0;
  out.tries = static_cast<std::uint32_t>(failure.tries);
  from_cache_ = false;
}

check::Response Conversation::judged_response() const {
  return {answer_.text, total(turns_, &score::Turn::latency),
          total_cost(turns_, &score::Turn::cost), answer_.tool_calls};
}

bool Conversation::judged(std::vector<score::Finding> findings) {
  turn().status = result_status(check::overall(findings));
  if (turn().status == score::ResultStatus::error) turn().error = undecided(findings);
  turn().checks = std::move(findings);
  if (turn().status != score::ResultStatus::failed || level_->follow_up.empty()) return false;

  using Role = model::Message::Role;
  const check::FollowUp& follow_up = level_->follow_up.front();
  for (auto& step : answer_.steps) request_.messages.push_back(std::move(step));
  // Services refuse an empty message.
  if (!base::trim(answer_.text).empty())
    request_.messages.push_back({Role::assistant, std::move(answer_.text)});
  request_.messages.push_back(
      {Role::user, plan_->fill(plan_->samples()[sample_], follow_up.prompt)});
  level_ = &follow_up.checks;
  return true;
}

void Conversation::add_judge_cost(std::optional<double> cost) {
  base::add_known(judge_cost_, cost);
}

score::Result Conversation::result(const Redactor& redactor) const {
  const auto& sample = plan_->samples()[sample_];
  score::Result out;
  out.sample = sample_;
  out.eval = plan_->suite().evals[sample.eval].name;
  out.eval_name = plan_->shown_name(sample);  // contains no template
  redactor.apply_to_message(out.eval_name);
  out.repeat = sample.repeat;
  out.from_cache = from_cache_;
  out.judge_cost = judge_cost_;
  out.fitness = fitness_;
  out.fitness_error = fitness_error_;

  static_cast<score::Turn&>(out) = turns_.back();
  out.prompt = redactor.apply(request_.messages.front().text);
  out.tool_calls.clear();
  for (const auto& turn : turns_)
    out.tool_calls.insert(out.tool_calls.end(), turn.tool_calls.begin(), turn.tool_calls.end());
  out.latency = total(turns_, &score::Turn::latency);
  out.prompt_tokens = total(turns_, &score::Turn::prompt_tokens);
  out.completion_tokens = total(turns_, &score::Turn::completion_tokens);
  out.thinking_tokens = total(turns_, &score::Turn::thinking_tokens);
  out.cached_tokens = total(turns_, &score::Turn::cached_tokens);
  out.input_cost = total_cost(turns_, &score::Turn::input_cost);
  out.output_cost = total_cost(turns_, &score::Turn::output_cost);
  out.cost = total_cost(turns_, &score::Turn::cost);
  out.tries = 0;
  for (const auto& turn : turns_) {
    out.tries += turn.tries;
    if (!from_cache_ && turn.tries > 1) out.retries += turn.tries - 1;
  }
  out.turn = static_cast<std::uint32_t>(turns_.size());
  if (turns_.size() == 1) return out;

  out.turns = turns_;
  std::size_t number = 0;
  for (const auto& message : request_.messages)
    if (message.role == model::Message::Role::user && number < out.turns.size())
      out.turns[number++].prompt = redactor.apply(message.text);
  return out;
}

}  // namespace vibe::run
