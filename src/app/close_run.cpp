#include "app/close_run.h"

#include <fmt/format.h>

#include "app/validate.h"
#include "base/time.h"
#include "run/finish.h"
#include "score/figures.h"

namespace vibe::app {

namespace {

base::Result<void> close(score::Run run, const std::vector<score::Result>& results,
                         score::RunStatus status, std::string error, const Owner& owner) {
  const auto paid = paid_since_queued(run, results, *owner.local.store);
  if (!paid) return tl::unexpected(paid.error());
  if (auto charged = owner.credits.charge(owner.organisation, run, *paid); !charged) return charged;
  run.results = static_cast<std::uint32_t>(results.size());
  const auto source = base::make_source(run.suite_name, run.suite_text);
  const auto validated = validate(source, {.files = owner.local.permissions.files});
  std::string figures;
  if (validated.suite) {
    const auto samples = run::samples_of(*validated.suite, results);
    run::finish(run, *validated.suite, results, samples);
    figures = score::encode_figures(samples);
  }
  run.status = status;
  run.error = std::move(error);
  run.completed_at = base::now_millis();
  return owner.local.store->update_run(run, figures);
}

}  // namespace

std::string stopped_after(std::size_t results, std::size_t planned) {
  return fmt::format("stopped after {} of {} samples", results, planned);
}

base::Result<void> cancel_run(const score::Run& run, const Owner& owner) {
  const auto results = owner.local.store->results(run.id);
  if (!results) return tl::unexpected(results.error());
  return close(run, *results, score::RunStatus::cancelled,
               stopped_after(results->size(), run.planned), owner);
}

base::Result<void> fail_run(const score::Run& run, const std::string& error, const Owner& owner) {
  const auto results = owner.local.store->results(run.id);
  if (!results) return tl::unexpected(results.error());
  return close(run, *results, score::RunStatus::failed, error, owner);
}

}  // namespace vibe::app
