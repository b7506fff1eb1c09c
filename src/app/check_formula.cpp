#include "app/check_formula.h"

#include <algorithm>
#include <vector>

#include "app/validate.h"

namespace vibe::app {

CheckedFormula check_formula(const CheckFormulaRequest& request) {
  CheckedFormula out;
  formula::Names names;
  std::vector<formula::Definition> metrics;
  if (request.suite) {
    const Validated suite = validate(*request.suite);
    out.diagnostics.append(suite.diagnostics);
    if (!suite.suite) return out;
    names = suite.suite->names;
    for (const auto& metric : suite.suite->score.metrics)
      metrics.push_back(
          {metric.name, {}, base::whole(base::make_source(metric.name, metric.formula))});
    out.diagnostics = {};  // what the suite's own formula has to say is not asked for
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
