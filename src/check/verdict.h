// Verdict: what a check found about a response, as plain data. Safe to copy and share.
#pragma once

#include <cstdint>
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

struct Finding {
  std::string type;  // the check's name: `match`
  Verdict verdict = Verdict::fail;
  std::string message;            // `Pattern "*4*" found in response`
  std::vector<Finding> children;  // of `or`: one for each of its checks
};

}  // namespace vibe::check
