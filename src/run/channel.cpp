#include "run/channel.h"

#include <utility>

namespace vibe::run {

namespace {

template <class Calls, class Visit>
void for_each_call_text(Calls& calls, const Visit& visit) {
  for (auto& call : calls) {
    visit(call.id);
    visit(call.name);
    visit(call.arguments);
    if (call.result) visit(*call.result);
  }
}

template <class Messages, class Visit>
void for_each_message_text(Messages& messages, const Visit& visit) {
  for (auto& message : messages) {
    visit(message.text);
    for_each_call_text(message.tool_calls, visit);
  }
}

// Every text of an answer.
template <class Answer, class Visit>
void for_each_answer_text(Answer& answer, const Visit& visit) {
  visit(answer.text);
  visit(answer.thinking);
  visit(answer.stop_reason);
  visit(answer.fitness_error);
  for_each_call_text(answer.tool_calls, visit);
  for_each_message_text(answer.steps, visit);
}

}  // namespace

std::optional<model::Outcome> Channel::find(const model::Request& request) const {
  return cache ? cache->find(cache_key(request)) : std::nullopt;
}

// With other tools a model would answer differently; with another rubric the stored answer would
// have another fitness.
std::string Channel::cache_key(const model::Request& request) const {
  std::string who = name;
  if (!tools.empty()) who += " with tools of " + tools;
  if (!rubric.empty()) who += " by the rubric " + rubric;
  return model::answer_key(who, request);
}

void Channel::ask(const model::Request& request, model::Done done) const {
  model->ask(is_replay ? redacted(request) : request, std::move(done));
}

base::Result<void> Channel::keep(const model::Request& request, model::Outcome& outcome,
                                 bool from_cache) const {
  if (is_replay && outcome)
    for_each_answer_text(*outcome, [this](std::string& text) { secrets->restore(text); });
  if (recorder) {
    auto added = recorder->add(redacted(request), redacted(outcome), is_judge ? name : "");
    if (!added) return added;
  }
  // An answer that repeats a secret is not cached: without the secret it would be another answer.
  if (cache && outcome && !from_cache && !holds_secret(*outcome))
    return cache->keep(cache_key(request), outcome);
  return {};
}

model::Request Channel::redacted(model::Request request) const {
  if (redactor->empty()) return request;
  const auto apply = [this](std::string& text) { redactor->apply_to(text); };
  apply(request.system);
  for_each_message_text(request.messages, apply);
  return request;
}

model::Outcome Channel::redacted(model::Outcome outcome) const {
  if (!outcome)
    outcome.error().message = redacted(outcome.error());
  else
    for_each_answer_text(*outcome, [this](std::string& text) { redactor->apply_to(text); });
  return outcome;
}

std::string Channel::redacted(const model::Failure& failure) const {
  std::string out = failure.message;
  redactor->apply_to_message(out, failure.own);
  return out;
}

bool Channel::holds_secret(const model::Answer& answer) const {
  if (redactor->empty()) return false;
  bool found = false;
  for_each_answer_text(
      answer, [&](const std::string& text) { found = found || redactor->apply(text) != text; });
  return found;
}

}  // namespace vibe::run
