#include "app/suites/check_formula.h"

#include <utility>
#include <vector>

#include "app/suites/validate.h"

namespace vibe::app {

namespace {

CheckedFormula check_with(const formula::Names& names, const suite::Score& score,
                          const std::string& formula, bool strict) {
  CheckedFormula out;
  std::vector<formula::Definition> metrics;
  for (const auto& metric : score.metrics)
    metrics.push_back(
        {metric.name, {}, base::whole(base::make_source(metric.name, metric.formula))});
  base::Diagnostics found;
  const auto source = base::make_source("formula", formula);
  out.program = formula::compile(names, metrics, base::whole(source), found);
  // The metrics were checked with their suite.
  for (const auto& d : found.all())
    if (d.source == source) out.diagnostics.add(d.code, {d.source, d.span}, d.message, d.hint);
  if (strict) out.diagnostics.make_warnings_errors();
  out.diagnostics.sort();
  if (out.diagnostics.failed()) out.program.reset();
  return out;
}

}  // namespace

CheckedFormula check_formula(const CheckFormulaRequest& request) {
  if (request.suite) {
    const Validated suite = validate(*request.suite);
    if (!suite.suite) return {std::nullopt, suite.diagnostics};
    return check_with(suite.suite->names, suite.suite->score, request.formula, request.strict);
  }
  formula::Names names;
  names.assume_unknown_words_are_evals();
  return check_with(names, {}, request.formula, request.strict);
}

CheckedFormula check_formula(const std::optional<std::string>& formula, const std::string& suite) {
  auto found = validate(base::make_source("yamlContent", suite), {.files = false});
  if (!found.suite) return {std::nullopt, std::move(found.diagnostics)};
  if (formula) return check_with(found.suite->names, found.suite->score, *formula, false);
  return {std::move(found.suite->program), std::move(found.diagnostics)};
}

}  // namespace vibe::app
