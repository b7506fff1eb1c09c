#include "app/runs/score_results.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "app/runs/certainty.h"
#include "app/suites/validate.h"
#include "base/file.h"
#include "base/text.h"
#include "results/results.h"
#include "score/samples.h"

namespace vibe::app {

using base::Code;

namespace {

// At most this many names in one message.
constexpr std::size_t kMostNames = 5;

std::string listed(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    out += fmt::format("{}`{}`", i == 0 ? "" : ", ", names[i]);
  if (names.size() > kMostNames) out += fmt::format(" and {} more", names.size() - kMostNames);
  return out;
}

bool is_eval(const formula::Names& names, std::string_view name) {
  const auto found = names.find_braced(name);
  return found && found->meaning == formula::Names::Meaning::eval;
}

// Evals that only the suite or only the results have.
void compare_names(const suite::Suite& suite, const score::Samples& samples,
                   const std::string& file, base::Diagnostics& out) {
  const base::Where where{base::make_source(file, ""), {}};
  std::vector<std::string_view> unknown, missing;
  for (std::uint32_t i = 1; i < samples.evals().size(); ++i) {
    const auto& name = samples.evals()[i].name;
    if (samples.count(i) == 0)
      missing.push_back(name);
    else if (!is_eval(suite.names, name))
      unknown.push_back(name);
  }
  if (!unknown.empty())
    out.add(Code::result_without_eval, where,
            fmt::format("the suite has no eval {}", listed(unknown)),
            "these results count only in run-wide metrics and columns");
  if (!missing.empty())
    out.add(Code::eval_without_result, where,
            fmt::format("there is no result for {}", listed(missing)),
            "its values in formulas are undefined");
}

// Names that another harness may use, but that mean something else in formulas.
void warn_of_hidden_names(const formula::Names& names, const std::string& file,
                          base::Diagnostics& out) {
  std::vector<std::string_view> hidden;
  for (const auto& eval : names.evals()) {
    bool taken = !is_eval(names, eval.name) || formula::is_number(eval.name);
    for (const auto& figure : formula::kDerivedFigures)
      taken = taken || (eval.name.ends_with(figure.suffix) &&
                        is_eval(names, std::string_view(eval.name).substr(
                                           0, eval.name.size() - figure.suffix.size())));
    if (taken) hidden.push_back(eval.name);
  }
  if (!hidden.empty())
    out.add(Code::hidden_result_name, {base::make_source(file, ""), {}},
            fmt::format("formulas also use {} for something else", listed(hidden)),
            "rename it in the results, or select it by a glob: `pass_rate(\"NAME\")`");
}

}  // namespace

ScoredResults score_results(const ScoreRequest& request) {
  ScoredResults out;
  out.gates = {request.min_score, request.min_success};
  score::Samples samples;
  std::optional<suite::Suite> suite;
  if (request.suite) {
    Validated validated = validate(*request.suite);
    out.diagnostics.append(validated.diagnostics);
    if (!validated.suite) return out;
    suite = std::move(validated.suite);
    if (!out.gates.min_score) out.gates.min_score = suite->score.min;
    for (const auto& eval : suite->evals) {
      const std::uint32_t number = samples.eval(eval.name);
      for (const auto& tag : eval.tags) samples.tag(number, tag);
    }
  }
  if (!results::read(request.results, request.choice, samples, out.diagnostics)) return out;

  std::optional<formula::Program> own;
  if (suite) {
    compare_names(*suite, samples, base::display_name(request.results), out.diagnostics);
  } else {
    formula::Names names;
    for (const auto& eval : samples.evals())
      if (!eval.name.empty()) names.add_eval(eval.name, eval.tags);
    warn_of_hidden_names(names, base::display_name(request.results), out.diagnostics);
    const auto text = base::make_source("--formula", request.formula.value_or("success_pct"));
    own = formula::compile(names, {}, base::whole(text), out.diagnostics);
  }
  out.diagnostics.remove_notes();  // about what could happen; these results have their figures
  if (request.strict) out.diagnostics.make_warnings_errors();
  if (out.diagnostics.failed()) return out;
  const auto& program = suite ? suite->program : *own;
  const auto settings = suite ? settings_of(suite->score) : SuiteSettings();
  out.score = score::compute(program, samples, settings.on_undefined);
  out.certainty = certainty_of(program, samples, *out.score, settings, request.statistics);
  return out;
}

}  // namespace vibe::app
