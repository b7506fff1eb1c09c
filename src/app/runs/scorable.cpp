#include "app/runs/scorable.h"

#include <fmt/format.h>

#include "app/suites/validate.h"
#include "run/finish.h"
#include "score/figures.h"

namespace vibe::app {

using base::Code;

base::Result<Scorable> scorable(store::Runs& stored, const score::Run& run) {
  VIBE_TRY(const auto bytes, stored.figures(run.id));
  score::Samples samples;
  if (!bytes.empty()) {
    VIBE_TRY(samples, score::decode_figures(bytes));
  }
  // Older figures do not tell evals without a name apart.
  if (!samples.has_places() && is_finished(run.status)) {
    VIBE_TRY(auto measured, samples_of(stored, run, false));
    if (measured.size() > 0) samples = std::move(measured);
  }
  if (samples.size() == 0)
    return base::fail(
        Code::not_found, {}, fmt::format("the figures of run `{}` were not stored", run.id),
        is_finished(run.status) ? "the run was interrupted; `vibe check --resume ID` resumes it"
                                : "they are stored when the run finishes");
  VIBE_TRY(auto program, program_of(run, samples));
  return Scorable{std::move(samples), std::move(program)};
}

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

}  // namespace vibe::app
