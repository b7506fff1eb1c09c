// Verdict: what a check found about a response, as plain data. Safe to copy and share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::check {

enum class Verdict : std::uint8_t {
  pass,
  fail,
  error,  // could not tell; never counted as fail
};

std::string_view to_string(Verdict verdict);
std::optional<Verdict> verdict(std::string_view name);

// What a judge model was asked, all its answers together.
struct Judged {
  std::string model;
  std::uint32_t asked = 0, agreed = 0;  // how often, and how many answers say what was found
  std::optional<std::int64_t> prompt_tokens, completion_tokens;  // none: not known
  std::optional<double> cost;                                    // US dollars; none: not known
};

struct Finding {
  std::string type;  // the check's name: `match`
  Verdict verdict = Verdict::fail;
  std::string message;             // `Pattern "*4*" found in response`
  std::vector<Finding> children;   // of `or`: one for each of its checks
  std::optional<Judged> judged{};  // of `llm_judge`
};

}  // namespace vibe::check
