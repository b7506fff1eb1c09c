#include "app/runs/measure_history.h"

#include <algorithm>

#include "app/suites/validate.h"
#include "run/finish.h"
#include "score/figures.h"
#include "score/measured.h"

namespace vibe::app {

namespace {

constexpr std::size_t kAtOnce = 100;  // runs that are looked up together

base::Result<score::Measured> measure_run(store::Runs& stored, const std::string& id, bool files) {
  VIBE_TRY(const auto run, stored.find(id));
  if (!run) return base::fail(base::Code::not_found, {}, "there is no such run");
  VIBE_TRY(const auto samples, samples_of(stored, *run, files));
  VIBE_TRY(const auto program, program_of(*run, samples));
  return score::measure(program, samples);
}

}  // namespace

base::Result<score::Samples> samples_of(store::Runs& stored, const score::Run& run, bool files) {
  VIBE_TRY(const auto results, stored.results(run.id));
  const auto path = run.suite_path.empty() ? run.suite_name : run.suite_path;
  const auto validated = validate(base::make_source(path, run.suite_text), {.files = files});
  if (validated.suite) return run::samples_of(*validated.suite, results);
  score::Samples out = run::samples_of(results);
  VIBE_TRY(const auto figures, stored.figures(run.id));
  const auto known = score::decode_figures(figures);
  if (known)
    for (const auto& eval : known->evals())
      for (const auto& tag : eval.tags)
        if (!eval.name.empty()) out.tag(out.eval(eval.name), tag);
  return out;
}

base::Result<formula::Program> program_of(const score::Run& run, const score::Samples& samples) {
  formula::Names names;
  for (const auto& eval : samples.evals())
    if (!eval.name.empty()) names.add_eval(eval.name, eval.tags);
  std::vector<formula::Definition> metrics;
  for (const auto& metric : run.score_metrics) {
    const auto text = base::make_source(metric.name, metric.formula);
    names.add_metric(metric.name);
    metrics.push_back({metric.name, {}, base::whole(text)});
  }
  base::Diagnostics found;
  const auto score = base::make_source("score", run.score_formula);
  auto program = formula::compile(names, metrics, base::whole(score), found);
  if (program) return *std::move(program);
  if (lacks_score(run)) {
    auto validated = validate(base::make_source(run.suite_name, run.suite_text), {.files = false});
    if (validated.suite) return std::move(validated.suite->program);
  }
  return tl::unexpected(found);
}

base::Result<std::size_t> measure_history(store::Store& store, const MeasureOptions& options) {
  std::size_t done = 0;
  while (done < options.most) {
    VIBE_TRY(const auto runs, store.journal().unmeasured(std::min(kAtOnce, options.most - done)));
    for (const auto& run : runs) {
      const auto measured = measure_run(store.archive().runs(), run, options.files);
      VIBE_TRY(store.journal().add_measured(run, measured.value_or(score::Measured())));
      ++done;
      if (options.goes_on && !options.goes_on(done)) return done;
    }
    if (runs.empty()) break;
  }
  return done;
}

}  // namespace vibe::app
