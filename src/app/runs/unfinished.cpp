#include "app/runs/unfinished.h"

#include <fmt/format.h>

namespace vibe::app {

std::vector<std::uint32_t> unfinished(std::span<const score::Result> results, std::uint32_t planned,
                                      Continue how) {
  std::vector<std::uint32_t> out;
  std::vector<bool> has_result(planned);
  for (const auto& result : results) {
    if (result.sample >= planned) continue;
    has_result[result.sample] = true;
    if (how == Continue::failed && result.status == score::ResultStatus::error)
      out.push_back(result.sample);
  }
  for (std::uint32_t i = 0; how == Continue::missing && i < planned; ++i)
    if (!has_result[i]) out.push_back(i);
  return out;
}

base::Diagnostics nothing_left(const score::Run& run, Continue how) {
  base::Diagnostics out;
  if (how == Continue::failed)
    out.add(base::Code::nothing_selected, {},
            fmt::format("no sample of run `{}` ended with an error", run.id),
            score::lacks_score(run) ? "`--resume` finishes the run" : "");
  else
    out.add(base::Code::nothing_selected, {},
            fmt::format("run `{}` has all its {} results", run.id, run.planned),
            run.errors > 0 ? "`--retry-failed` sends the samples with an error again" : "");
  return out;
}

}  // namespace vibe::app
