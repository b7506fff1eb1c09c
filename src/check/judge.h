// Judge: a check and a response → a finding. Keeps what is expensive to prepare (compiled
// expressions, the case-folded response) between calls; belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "check/check.h"
#include "check/evidence.h"
#include "check/mask.h"
#include "model/model.h"

namespace vibe::check {

// What is judged. These are views: they must outlive the call.
struct Response {
  std::string_view text;
  std::optional<double> latency;  // seconds
  std::optional<double> cost;     // US dollars; none: unknown
  std::span<const model::ToolCall> tool_calls = {};
};

class Judge {
 public:
  Judge();
  ~Judge();
  Judge(Judge&&) noexcept;
  Judge& operator=(Judge&&) noexcept;

  // One finding for each check, in order. The checks must not contain templates any more, and there
  // must be evidence for each check that needs it.
  std::vector<Finding> judge(std::span<const Check> checks, const Response& response,
                             const Evidences& evidences = {}, const Mask& mask = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// `error` if any finding is one, else `fail` if any is, else `pass`.
Verdict overall(std::span<const Finding> findings);

}  // namespace vibe::check
