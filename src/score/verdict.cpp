#include "score/verdict.h"

#include <cstdlib>

namespace vibe::score {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass: return "pass";
    case Verdict::fail: return "fail";
    case Verdict::error: return "error";
  }
  std::abort();
}

std::optional<Verdict> verdict(std::string_view name) {
  for (const auto one : {Verdict::pass, Verdict::fail, Verdict::error})
    if (to_string(one) == name) return one;
  return std::nullopt;
}

}  // namespace vibe::score
