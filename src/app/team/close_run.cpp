#include "app/team/close_run.h"

#include <optional>

#include <fmt/format.h>

#include "app/runs/certainty.h"
#include "app/suites/validate.h"
#include "base/time.h"
#include "run/finish.h"
#include "score/measured.h"

namespace vibe::app {

namespace {

// Without an error, the run was stopped.
base::Result<void> close_run(const store::Claim& claim, score::RunStatus status,
                             std::optional<std::string> error, const Owner& owner) {
  score::Run run = claim.run;
  VIBE_TRY(const auto results, owner.local.runs().results(run.id));
  VIBE_TRY(const auto paid, paid_since_queued(claim, results, owner.local.store->feed()));
  VIBE_TRY(owner.credits.charge_earlier(owner.organisation, {run.id, claim.queued_after}, paid));
  score::count_results(run, results);
  const auto source = base::make_source(run.suite_name, run.suite_text);
  const auto validated = validate(source, {.files = owner.local.permissions.files});
  score::Measured measured;
  if (validated.suite) {
    const auto samples = run::samples_of(*validated.suite, results);
    const auto score = run::finish(run, *validated.suite, results, samples);
    run.certainty =
        certainty_of(validated.suite->program, samples, score, settings_of(validated.suite->score));
    measured = score::measure(validated.suite->program, samples);
  }
  run.status = status;
  run.error = error ? *std::move(error) : stopped_after(results.size(), run.planned);
  run.completed_at = base::now_millis();
  return owner.local.store->journal().write(claim.held.hold, run, measured);
}

}  // namespace

std::string stopped_after(std::size_t results, std::size_t planned) {
  return fmt::format("stopped after {} of {} samples", results, planned);
}

base::Result<void> cancel_run(const store::Claim& claim, const Owner& owner) {
  return close_run(claim, score::RunStatus::cancelled, std::nullopt, owner);
}

base::Result<void> fail_run(const store::Claim& claim, const std::string& error,
                            const Owner& owner) {
  return close_run(claim, score::RunStatus::failed, error, owner);
}

}  // namespace vibe::app
