#include "app/close_run.h"

#include <optional>

#include <fmt/format.h>

#include "app/validate.h"
#include "base/time.h"
#include "run/finish.h"
#include "score/figures.h"

namespace vibe::app {

namespace {

// Without an error: it was stopped.
base::Result<void> close_run(score::Run run, score::RunStatus status,
                             std::optional<std::string> error, const Owner& owner) {
  const auto found = owner.local.store->results(run.id);
  if (!found) return tl::unexpected(found.error());
  const auto& results = *found;
  const auto paid = paid_since_queued(run, results, *owner.local.store);
  if (!paid) return tl::unexpected(paid.error());
  if (auto charged = owner.credits.charge_earlier(owner.organisation, run, *paid); !charged)
    return charged;
  score::count_results(run, results);
  const auto source = base::make_source(run.suite_name, run.suite_text);
  const auto validated = validate(source, {.files = owner.local.permissions.files});
  std::string figures;
  if (validated.suite) {
    const auto samples = run::samples_of(*validated.suite, results);
    run::finish(run, *validated.suite, results, samples);
    figures = score::encode_figures(samples);
  }
  run.status = status;
  run.error = error ? *std::move(error) : stopped_after(results.size(), run.planned);
  run.completed_at = base::now_millis();
  return owner.local.store->update_run(run, figures);
}

}  // namespace

std::string stopped_after(std::size_t results, std::size_t planned) {
  return fmt::format("stopped after {} of {} samples", results, planned);
}

base::Result<void> cancel_run(const score::Run& run, const Owner& owner) {
  return close_run(run, score::RunStatus::cancelled, std::nullopt, owner);
}

base::Result<void> fail_run(const score::Run& run, const std::string& error, const Owner& owner) {
  return close_run(run, score::RunStatus::failed, error, owner);
}

}  // namespace vibe::app
