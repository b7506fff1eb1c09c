// Conversation: one sample in progress: its past turns and the current one. Belongs to the runner's
// thread.
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

  // One answer is enough: its checks need no evidence, and there is no follow-up.
  bool is_plain() const { return is_plain_; }
  std::size_t most_turns() const { return most_turns_; }
  // In the checks of all possible turns, as written in the suite.
  std::vector<const check::Judgement*> judgements() const;

  const model::Request& request() const { return request_; }  // of the current turn

  // The current turn was answered. Its redacted texts are stored.
  void answered(model::Answer answer, model::Answer redacted, bool from_cache);
  // The current turn was not answered, which ends the conversation.
  void failed(const model::Failure& failure);

  const std::string& response() const { return answer_.text; }
  const std::vector<check::Check>& checks() const { return checks_; }  // address is stable
  // What the checks judge: latency and cost are sums over all turns so far.
  check::Response judged_response() const;

  // Takes the redacted findings of the checks. True if there is a follow-up, which is then the
  // current turn.
  bool judged(std::vector<score::Finding> findings);

  void add_judge_cost(std::optional<double> cost);

  score::Result result(const Redactor& redactor) const;

 private:
  score::Turn& turn() { return turns_.back(); }

  const Plan* plan_;
  std::uint32_t sample_;
  const check::Checks* level_;  // of the current turn
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
