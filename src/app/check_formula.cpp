#include "app/check_formula.h"

#include <utility>
#include <vector>

#include "app/validate.h"

namespace vibe::app {

CheckedFormula check_formula(const CheckFormulaRequest& request) {
  CheckedFormula out;
  formula::Names names;
  std::vector<formula::Definition> metrics;
  if (request.suite) {
    Validated suite = validate(*request.suite);
    if (!suite.suite) {
      out.diagnostics = std::move(suite.diagnostics);
      return out;
    }
    names = suite.suite->names;
    for (const auto& metric : suite.suite->score.metrics)
      metrics.push_back(
          {metric.name, {}, base::whole(base::make_source(metric.name, metric.formula))});
  } else {
    names.assume_unknown_words_are_evals();
  }
  base::Diagnostics found;
  const auto source = base::make_source("formula", request.formula);
  out.program = formula::compile(names, metrics, base::whole(source), found);
  // The metrics were checked with their suite.
  for (const auto& d : found.all())
    if (d.source == source) out.diagnostics.add(d.code, {d.source, d.span}, d.message, d.hint);
  if (request.strict) out.diagnostics.make_warnings_errors();
  out.diagnostics.sort();
  if (out.diagnostics.failed()) out.program.reset();
  return out;
}

}  // namespace vibe::app
