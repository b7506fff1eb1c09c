#include "app/close_run.h"

#include <fmt/format.h>

#include "app/validate.h"
#include "base/time.h"
#include "run/finish.h"
#include "score/figures.h"

namespace vibe::app {

std::string stopped_after(std::size_t results, std::size_t planned) {
  return fmt::format("stopped after {} of {} samples", results, planned);
}

base::Result<std::vector<score::Result>> close_run(score::Run run, score::RunStatus status,
                                                   std::string error, Local& local) {
  auto results = local.store->results(run.id);
  if (!results) return results;
  run.results = static_cast<std::uint32_t>(results->size());
  const auto source = base::make_source(run.suite_name, run.suite_text);
  const auto validated = validate(source, {.files = local.permissions.files});
  std::string figures;
  if (validated.suite) {
    const auto samples = run::samples_of(*validated.suite, *results);
    run::finish(run, *validated.suite, *results, samples);
    figures = score::encode_figures(samples);
  }
  run.status = status;
  run.error = std::move(error);
  run.completed_at = base::now_millis();
  if (auto kept = local.store->update_run(run, figures); !kept)
    return tl::unexpected(std::move(kept.error()));
  return results;
}

}  // namespace vibe::app
