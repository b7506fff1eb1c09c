// Commands for people who change agents: the trend of scores, whether to keep a change, how well
// the rubric predicts.
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "app/agents/calibrate_rubric.h"
#include "app/agents/decide_fitness.h"
#include "app/agents/fitness_trend.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/scoring.h"
#include "report/calibration.h"
#include "report/decision.h"
#include "report/trend.h"
#include "wire/calibration.h"
#include "wire/scored.h"
#include "wire/trend.h"

namespace vibe::cli {

namespace {

using base::Code;

std::optional<std::uint64_t> read_seed(const Arguments& arguments, base::Diagnostics& out) {
  const auto text = arguments.get("--seed");
  if (!text) return std::nullopt;
  std::uint64_t seed = 0;
  const char* end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, seed);
  if (read.ec == std::errc() && read.ptr == end) return seed;
  out.add(Code::bad_usage, {},
          fmt::format("`--seed` is `{}`, expected a whole number from 0 to {}",
                      base::printable(*text), UINT64_MAX));
  return std::nullopt;
}

void add_rubric(const Arguments& arguments, std::vector<std::string>& names) {
  names.push_back(arguments.get("--rubric").value_or(""));
}

}  // namespace

Exit run_fitness_trend(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics usage;
  const bool json = arguments.has("--json"), csv = arguments.has("--csv");
  const app::TrendRequest request{.scoring = read_scoring(arguments, arguments.positional, usage),
                                  .agent = read_agent(arguments, usage),
                                  .overrides = terminal.overrides};
  auto names = arguments.positional;
  add_rubric(arguments, names);
  read_input_once(names, usage);
  if (json && csv) usage.add(Code::bad_usage, {}, "`--json` and `--csv` cannot be combined");
  if (arguments.positional.empty() == !request.agent)
    usage.add(Code::bad_usage, {},
              request.agent ? "logs and `--agent` cannot be combined"
                            : "`vibe fitness trend` needs logs, or an agent",
              request.agent ? "" : "write `vibe fitness trend LOG…`, or `--agent NAME`");
  for (const auto option : {"--task", "--complexity", "--format", "--threads"})
    if (request.agent && arguments.has(option))
      usage.add(Code::bad_usage, {},
                fmt::format("`{}` is for logs and cannot be combined with `--agent`", option));
  if (usage.failed()) return fail(usage, terminal);
  const auto found = app::fitness_trend(request);
  if (!found.trend) return fail(found.diagnostics, terminal);
  terminal.show(found.diagnostics);
  terminal.out += json  ? wire::trend_json(*found.trend)
                  : csv ? wire::trend_csv(*found.trend)
                        : report::trend_text(*found.trend, style_of(terminal));
  return Exit::passed;
}

Exit run_fitness_decide(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics usage;
  const app::DecideRequest request{.before = arguments.positional[0],
                                   .after = arguments.positional[1],
                                   .seed = read_seed(arguments, usage),
                                   .scoring = read_scoring(arguments, {}, usage),
                                   .overrides = terminal.overrides};
  auto names = arguments.positional;
  add_rubric(arguments, names);
  read_input_once(names, usage);
  if (usage.failed()) return fail(usage, terminal);
  const auto decided = app::decide_fitness(request);
  if (!decided.record) return fail(decided.diagnostics, terminal);
  terminal.show(decided.diagnostics);
  if (!decided.not_kept.empty()) {
    terminal.show(decided.not_kept);
    terminal.err += "the decision could not be stored, but it is valid\n";
  }
  terminal.out += arguments.has("--json")
                      ? wire::decision_json(*decided.record)
                      : report::decision_text(*decided.record, decided.before, decided.after,
                                              style_of(terminal));
  return decided.record->decision.accept ? Exit::passed : Exit::gate_failed;
}

Exit run_fitness_calibrate(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics usage;
  const auto labels = arguments.get("--labels");
  if (!labels)
    usage.add(Code::bad_usage, {}, "`vibe fitness calibrate` needs outcomes",
              "write `--labels FILE`, with a `session,outcome` line for each session");
  if (arguments.has("--force") && !arguments.has("--output"))
    usage.add(Code::bad_usage, {}, "`--force` needs `--output FILE`");
  const app::CalibrateRequest request{
      .scoring = read_scoring(arguments, arguments.positional, usage),
      .labels = labels.value_or(""),
      .output = arguments.get("--output"),
      .replace = arguments.has("--force")};
  auto names = arguments.positional;
  names.push_back(request.labels);
  add_rubric(arguments, names);
  read_input_once(names, usage);
  if (usage.failed()) return fail(usage, terminal);
  const auto found = app::calibrate_rubric(request);
  if (found.calibration) {
    const wire::ReportedCalibration reported{
        .found = *found.calibration,
        .unlabelled = found.unlabelled,
        .unmatched = found.unmatched,
        .proposal = found.proposal,
        .output = found.diagnostics.failed() ? std::nullopt : request.output};
    terminal.out += arguments.has("--json")
                        ? wire::calibration_json(reported)
                        : report::calibration_text(reported, style_of(terminal));
  }
  if (found.diagnostics.failed()) return fail(found.diagnostics, terminal);
  terminal.show(found.diagnostics);
  return Exit::passed;
}

}  // namespace vibe::cli
