#include "check/verdict.h"

#include <cstdlib>

namespace vibe::check {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass: return "pass";
    case Verdict::fail: return "fail";
    case Verdict::error: return "error";
  }
  std::abort();
}

}  // namespace vibe::check
