#include "check/evidence.h"

namespace vibe::check {

namespace {

void collect(std::span<const Check> checks, std::vector<const Check*>& out) {
  for (const Check& check : checks) {
    if (kind_of(check.type).needs != Needs::nothing) out.push_back(&check);
    if (const auto* any = std::get_if<AnyOf>(&check.arguments))
      for (const Alternative& alternative : any->alternatives) collect(alternative.all, out);
  }
}

}  // namespace

std::vector<const Check*> needing_evidence(std::span<const Check> checks) {
  std::vector<const Check*> out;
  collect(checks, out);
  return out;
}

}  // namespace vibe::check
