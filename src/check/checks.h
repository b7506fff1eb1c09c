// Checks: the value of a `checks` key: checks that must all pass, and the follow-up prompt if one
// of them fails. Plain data; safe to share between threads.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "check/check.h"

namespace vibe::check {

struct FollowUp;

struct Checks {
  std::vector<Check> all;
  std::vector<FollowUp> follow_up;  // one, or none
};

struct FollowUp {
  std::string prompt;
  Checks checks;
  base::Span span;
};

// Calls `visit` with these checks, then with those of their follow-up, and so on.
template <class Visit>
void for_each_level(const Checks& checks, const Visit& visit) {
  visit(checks);
  for (const FollowUp& follow_up : checks.follow_up) for_each_level(follow_up.checks, visit);
}

inline constexpr std::size_t kMaxLevels = 5;  // of follow-ups; the eval itself is the first level

inline constexpr std::array kFollowUpFields{
    Field{.name = "prompt",
          .type = Type::text,
          .required = true,
          .doc = "the next prompt",
          .example = "prompt: Are you sure?"},
    Field{.name = "checks",
          .type = Type::any,
          .required = true,
          .takes = "checks, in any of their forms",
          .doc = "what the answer must be",
          .example = "checks: [match: \"*yes*\"]"},
};
inline constexpr Section kFollowUpSection{"follow-up", "the follow-up", kFollowUpFields};

enum class FollowUps : bool { refused, allowed };

// Reads a list of checks, or a single mapping. `place` is where to point if it is empty.
Checks read_checks(const base::YamlNode& value, base::Span place, FollowUps follow_ups,
                   Reading& reading);

// Reports a list without a check that could fail before its follow-up is sent.
void refuse_only_follow_ups(const base::YamlNode& value, Reading& reading);

// Adds the checks of one mapping to `out`. False, with an error, if it is not a mapping or empty.
bool read_check_item(const base::YamlNode& item, Reading& reading, std::vector<Check>& out);

// The tightest token limits of checks that apply together.
struct TokenLimits {
  const Check* least = nullptr;
  const Check* most = nullptr;
};

// The limits of `checks` combined with those before them. Reports limits that no response can meet.
TokenLimits narrow(TokenLimits before, const std::vector<Check>& checks, Reading& reading);

}  // namespace vibe::check
