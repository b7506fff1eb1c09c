// Verdict: the result of a check on a response, as plain data. Safe to copy and share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::score {

enum class Verdict : std::uint8_t {
  pass,
  fail,
  error,  // undecided; never counted as fail
};

std::string_view to_string(Verdict verdict);
std::optional<Verdict> verdict(std::string_view name);

// How a judge model was asked; totals over all its answers.
struct Judged {
  std::string model;
  std::uint32_t asked = 0, agreed = 0;  // how often, and how many answers agree with the verdict
  std::optional<std::int64_t> prompt_tokens, completion_tokens;  // none: not known
  std::optional<double> cost;                                    // US dollars; none: not known
};

struct Finding {
  std::string type;  // the check's name: `match`
  Verdict verdict = Verdict::fail;
  std::string message;             // `Pattern "*4*" found in response`
  std::vector<Finding> children;   // for `or`: one for each of its checks
  std::optional<Judged> judged{};  // for `llm_judge`
};

}  // namespace vibe::score
