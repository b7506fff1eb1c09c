// The commands for those who change agents: how scores go, whether a change is kept, whether the
// rubric tells what it should.
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "app/agents/calibrate_rubric.h"
#include "app/agents/decide_fitness.h"
#include "app/agents/fitness_trend.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/scoring.h"
#include "report/calibration.h"
#include "report/decision.h"
#include "report/trend.h"

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
  if (json && csv) usage.add(Code::bad_usage, {}, "`--json` and `--csv` exclude each other");
  if (arguments.positional.empty() == !request.agent)
    usage.add(Code::bad_usage, {},
              request.agent ? "logs and `--agent` exclude each other"
                            : "`vibe fitness trend` needs logs, or an agent",
              request.agent ? "" : "write `vibe fitness trend LOG…`, or `--agent NAME`");
  for (const auto option : {"--task", "--complexity", "--format", "--threads"})
    if (request.agent && arguments.has(option))
      usage.add(Code::bad_usage, {},
                fmt::format("`{}` is about logs, and excludes `--agent`", option));
  if (usage.failed()) return fail(usage, terminal);
  const auto found = app::fitness_trend(request);
  if (!found.trend) return fail(found.diagnostics, terminal);
  terminal.show(found.diagnostics);
  terminal.out += json ? report::trend_json(*found.trend)
                  : csv
                      ? report::trend_csv(*found.trend)
                      : report::trend_text(*found.trend, {terminal.out_color, terminal.out_width});
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
    terminal.err += "the decision could not be kept; it holds all the same\n";
  }
  terminal.out += arguments.has("--json")
                      ? report::decision_json(*decided.record)
                      : report::decision_text(*decided.record, decided.before, decided.after,
                                              {terminal.out_color, terminal.out_width});
  return decided.record->decision.accept ? Exit::passed : Exit::gate_failed;
}

Exit run_fitness_calibrate(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics usage;
  const auto labels = arguments.get("--labels");
  if (!labels)
    usage.add(Code::bad_usage, {}, "`vibe fitness calibrate` needs outcomes",
              "write `--labels FILE`, with a line `session,outcome` for each session");
  if (arguments.has("--force") && !arguments.has("--output"))
    usage.add(Code::bad_usage, {}, "`--force` goes with `--output FILE`");
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
    const report::ReportedCalibration reported{
        .found = *found.calibration,
        .unlabelled = found.unlabelled,
        .unmatched = found.unmatched,
        .proposal = found.proposal,
        .output = found.diagnostics.failed() ? std::nullopt : request.output};
    terminal.out +=
        arguments.has("--json")
            ? report::calibration_json(reported)
            : report::calibration_text(reported, {terminal.out_color, terminal.out_width});
  }
  if (found.diagnostics.failed()) return fail(found.diagnostics, terminal);
  terminal.show(found.diagnostics);
  return Exit::passed;
}

}  // namespace vibe::cli
