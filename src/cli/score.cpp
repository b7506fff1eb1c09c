#include "report/score.h"

#include <fmt/format.h>

#include "app/runs/score_results.h"
#include "cli/commands.h"
#include "cli/statistics.h"
#include "wire/score.h"

namespace vibe::cli {

namespace {

std::optional<app::ScoreRequest> read_score_request(const Arguments& arguments,
                                                    base::Diagnostics& out) {
  app::ScoreRequest request{.results = arguments.positional[0],
                            .suite = arguments.get("--suite"),
                            .formula = arguments.get("--formula"),
                            .min_score = number(arguments, "--min-score", out),
                            .min_success = number(arguments, "--min-success", out, 0, 100),
                            .choice = {.provider = arguments.get("--provider"),
                                       .prompt = arguments.get("--prompt"),
                                       .scorer = arguments.get("--scorer"),
                                       .pass_at = number(arguments, "--pass-at", out)},
                            .strict = arguments.has("--strict"),
                            .statistics = read_statistics(arguments, out)};
  if (request.suite && request.formula)
    out.add(base::Code::bad_usage, {}, "`--suite` and `--formula` cannot be combined",
            "a suite has its own formula");
  if (request.results == "-" && request.suite == "-")
    out.add(base::Code::bad_usage, {}, "standard input (`-`) can be read only once");
  return out.failed() ? std::nullopt : std::optional(std::move(request));
}

}  // namespace

Exit run_score(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics usage;
  const auto request = read_score_request(arguments, usage);
  if (!request) {
    terminal.show(usage);
    return Exit::bad_usage;
  }
  const auto scored = app::score_results(*request);
  terminal.show(scored.diagnostics);
  if (!scored.score) return Exit::bad_usage;
  const std::string failed = score::failed_gate(*scored.score, scored.gates);
  if (arguments.has("--json")) {
    terminal.out += wire::score_json(*scored.score, scored.certainty);
    if (!failed.empty()) terminal.err += fmt::format("gate failed: {}\n", failed);
  } else {
    terminal.out += report::summary(*scored.score, scored.gates, scored.certainty);
    if (arguments.has("--explain")) terminal.out += "\n" + report::explanation(*scored.score);
  }
  return failed.empty() ? Exit::passed : Exit::gate_failed;
}

}  // namespace vibe::cli
