#include "app/runs/certainty.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "app/runs/scorable.h"
#include "app/suites/validate.h"

namespace vibe::app {

namespace {

std::optional<double> own_value(const std::optional<double>& value, const std::string& error) {
  return error.empty() ? value : std::nullopt;  // else `on_undefined` replaced it
}

score::FormulaCertainty shown(std::string name, const statistics::Estimate& estimate) {
  score::FormulaCertainty out{std::move(name), estimate.other_evals, estimate.rerun, {}, {}, {}};
  if (estimate.no_other_evals) out.no_other_evals = estimate.no_other_evals->text;
  if (estimate.no_rerun) out.no_rerun = estimate.no_rerun->text;
  for (const auto& note : estimate.notes) out.notes.push_back(note.text);
  return out;
}

base::Result<std::optional<score::Certainty>> stored_certainty(store::Runs& stored,
                                                               const score::Run& run) {
  VIBE_TRY(const auto found, scorable(stored, run));
  const SuiteSettings settings = settings_of(run);
  const auto score = score::compute(found.program, found.samples, settings.on_undefined);
  return certainty_of(found.program, found.samples, score, settings);
}

}  // namespace

statistics::Parallel in_threads() {
  return [](std::size_t parts, const std::function<void(std::size_t)>& part) {
    const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < parts; i = next++) part(i);
    };
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(parts, most); ++i) {
      try {
        threads.emplace_back(work);
      } catch (const std::system_error&) {
        break;  // no more threads can be started: those that run do it all
      }
    }
    work();
  };
}

SuiteSettings settings_of(const suite::Score& score) {
  using statistics::UnitKind;
  SuiteSettings out;
  out.on_undefined = score.on_undefined;
  if (score.is_by_case) out.unit = *score.is_by_case ? UnitKind::cases : UnitKind::eval;
  return out;
}

SuiteSettings settings_of(const score::Run& run) {
  const auto source = base::make_source(run.suite_name, run.suite_text);
  const auto validated = validate(source, {.files = false});
  return validated.suite ? settings_of(validated.suite->score) : SuiteSettings();
}

std::optional<score::Certainty> certainty_of(const formula::Program& program,
                                             const score::Samples& samples,
                                             const score::Score& score, const SuiteSettings& suite,
                                             statistics::Settings settings) {
  if (samples.size() == 0 || score.is_all_errors()) return std::nullopt;
  std::vector<std::optional<double>> values;
  for (const auto& metric : score.metrics) values.push_back(metric.value);
  values.push_back(own_value(score.value, score.error));
  settings.unit = suite.unit;
  settings.parallel = in_threads();
  const auto estimates =
      statistics::estimate(program, samples, values, suite.on_undefined, settings);
  score::Certainty out;
  out.level = settings.level;
  out.seed = static_cast<std::int64_t>(settings.seed);
  out.draws = static_cast<std::int64_t>(estimates.back().draws);
  out.method = to_string(estimates.back().method);
  out.score = shown({}, estimates.back());
  for (std::size_t i = 0; i < score.metrics.size(); ++i)
    out.metrics.push_back(shown(score.metrics[i].name, estimates[i]));
  return out;
}

void add_certainty(std::span<score::Run> runs, store::Runs& stored, store::Journal& journal) {
  for (score::Run& run : runs) {
    if (run.certainty || !is_finished(run.status) || !run.score) continue;
    auto found = stored_certainty(stored, run);
    if (!found || !*found) continue;  // shown without
    run.certainty = *std::move(found);
    // Whether it is stored changes nothing for the reader.
    static_cast<void>(journal.add_certainty(run.id, *run.certainty));
  }
}

}  // namespace vibe::app
