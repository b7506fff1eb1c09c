// Conversation: one sample while it is asked: the turns that were taken, and the one at hand.
// Belongs to the runner's thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/judge.h"
#include "model/model.h"
#include "run/plan.h"
#include "score/run.h"

namespace vibe::run {

class Conversation {
 public:
  Conversation(const Plan& plan, std::uint32_t sample);

  // All that is wanted of it is one answer: nothing is to be found out for its checks, and there
  // is no follow-up.
  bool is_plain() const { return is_plain_; }
  std::size_t most_turns() const { return most_turns_; }
  // Of the checks of all turns that may be taken, as the suite has them.
  std::vector<const check::Judgement*> judgements() const;

  const model::Request& request() const { return request_; }  // of the turn at hand

  // The turn at hand was answered. What is kept of it are the redacted texts.
  void answered(model::Answer answer, model::Answer redacted, bool from_cache);
  // It was not, which ends the conversation.
  void failed(const model::Failure& failure);

  const std::string& response() const { return answer_.text; }
  const std::vector<check::Check>& checks() const { return checks_; }  // stays where it is
  // What the checks judge: latency and cost are those of all turns so far.
  check::Response judged_response() const;

  // The checks were judged; messages are redacted. True if there is a follow-up, which is then at
  // hand.
  bool judged(std::vector<check::Finding> findings);

  void add_judge_cost(std::optional<double> cost);

  score::Result result(const Redactor& redactor) const;

 private:
  score::Turn& turn() { return turns_.back(); }

  const Plan* plan_;
  std::uint32_t sample_;
  const check::Checks* level_;  // of the turn at hand
  model::Request request_;
  model::Answer answer_;
  std::vector<check::Check> checks_;
  std::vector<score::Turn> turns_;
  std::optional<double> judge_cost_ = 0;
  std::optional<double> fitness_;  // of the last turn, as in score::Result
  std::string fitness_error_;
  std::size_t most_turns_ = 0;
  bool is_plain_ = true;
  bool from_cache_ = true;  // all answers so far
};

}  // namespace vibe::run
