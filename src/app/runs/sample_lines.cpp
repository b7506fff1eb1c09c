#include "app/runs/sample_lines.h"

namespace vibe::app {

std::vector<std::uint32_t> sample_lines(const Prepared& prepared) {
  std::vector<std::uint32_t> of_eval, out;
  if (!prepared.suite) return out;
  for (const auto& eval : prepared.suite->evals)
    of_eval.push_back(prepared.source->position(eval.span.begin).line);
  for (const auto& sample : prepared.plan->samples()) out.push_back(of_eval[sample.eval]);
  return out;
}

}  // namespace vibe::app
