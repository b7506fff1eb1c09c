// `vibe compare`
#include <fmt/format.h>

#include "app/runs/compare_runs.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/open_store.h"
#include "cli/options.h"
#include "cli/report_files.h"
#include "cli/statistics.h"
#include "report/compared.h"
#include "wire/comparison.h"

namespace vibe::cli {

using base::Code;
using statistics::Comparison;
using statistics::GateAnswer;

namespace {

app::CompareRequest read_request(const Arguments& arguments, base::Diagnostics& out) {
  app::CompareRequest request;
  request.formula = arguments.get("--formula");
  request.guards = list(arguments, "--guard");
  request.settings.draws = read_statistics(arguments, out);
  request.settings.draws.parallel = app::in_threads();
  request.settings.thresholds = {
      number(arguments, "--margin", out, 0), number(arguments, "--min-effect", out, 0),
      number(arguments, "--superior-by", out, 0), number(arguments, "--not-worse-than", out, 0)};
  if (!arguments.has("--gate"))
    for (const char* option : {"--strict", "--not-worse-than"})
      if (arguments.has(option))
        out.add(Code::bad_usage, {}, fmt::format("`{}` needs `--gate`", option),
                "without a gate, every comparison exits with 0");
  return request;
}

Exit exit_of(GateAnswer answer) {
  switch (answer) {
    case GateAnswer::passed: return Exit::passed;
    case GateAnswer::failed: return Exit::gate_failed;
    case GateAnswer::inconclusive: return Exit::inconclusive;
  }
  return Exit::passed;
}

// The strictest answer of all.
GateAnswer gate_of(std::span<const Comparison> comparisons, const Arguments& arguments,
                   const statistics::Thresholds& thresholds) {
  GateAnswer out = GateAnswer::passed;
  for (const Comparison& one : comparisons) {
    const auto answer = statistics::gate_of(one, thresholds, arguments.has("--strict"));
    if (answer == GateAnswer::failed) return answer;
    if (answer == GateAnswer::inconclusive) out = answer;
  }
  return out;
}

std::string gate_line(GateAnswer answer, std::span<const Comparison> comparisons,
                      const statistics::Thresholds& thresholds) {
  for (const Comparison& one : comparisons)
    for (const auto& guard : one.guards)
      if (guard.is_worse)
        return fmt::format("gate: failed, `{}` is worse\n", base::printable(guard.name));
  const std::string_view promise =
      thresholds.not_worse_than
          ? "at most 1 in 20 candidates that are worse by more than that passes"
          : "at most 1 false alarm in 40 comparisons";
  switch (answer) {
    case GateAnswer::passed: return fmt::format("gate: passed ({})\n", promise);
    case GateAnswer::failed: return fmt::format("gate: failed ({})\n", promise);
    case GateAnswer::inconclusive: return fmt::format("gate: inconclusive ({})\n", promise);
  }
  return {};
}

}  // namespace

Exit run_compare(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const auto request = read_request(arguments, found);
  const auto files =
      ReportFiles::prepare(arguments, ReportFiles::About::comparisons, arguments.positional, found);
  if (found.failed() || !files) return fail(found, terminal);
  const auto opened = open_store(terminal, app::Need::reading);
  if (!opened) return opened.error();
  store::Runs& stored = (*opened)->archive().runs();

  std::vector<app::Contender> contenders;
  for (const auto& text : arguments.positional) {
    auto contender = app::find_contender(stored, text);
    if (!contender) return fail(contender.error(), terminal);
    contenders.push_back(*std::move(contender));
  }
  const app::Contender base = std::move(contenders.front());
  contenders.erase(contenders.begin());
  const auto comparisons = app::compare_runs(base, contenders, request);
  if (!comparisons) return fail(comparisons.error(), terminal);

  const report::ComparedStyle style{request.settings.draws.level, arguments.has("--answers")};
  files->write(*comparisons, style, found);
  const bool is_gate = arguments.has("--gate");
  const GateAnswer answer =
      is_gate ? gate_of(*comparisons, arguments, request.settings.thresholds) : GateAnswer::passed;
  const std::string gate =
      is_gate ? gate_line(answer, *comparisons, request.settings.thresholds) : std::string();
  if (arguments.has("--json")) {
    terminal.out += wire::comparisons_json(*comparisons, request.settings.draws);
    terminal.err += gate;
  } else {
    terminal.out += report::compared_text(*comparisons, style) + gate + files->written();
  }
  return found.failed() ? fail(found, terminal) : exit_of(answer);
}

}  // namespace vibe::cli
