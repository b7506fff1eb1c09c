#include "report/fitness.h"

#include <span>
#include <utility>

#include <fmt/format.h>

#include "app/agents/executions.h"
#include "app/agents/read_executions.h"
#include "app/agents/rubric.h"
#include "app/agents/score_executions.h"
#include "base/file.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/scoring.h"
#include "report/executions.h"
#include "wire/diagnostics.h"

namespace vibe::cli {

namespace {

std::optional<app::ScoreExecutionsRequest> score_request(const Arguments& arguments,
                                                         base::Diagnostics& out) {
  const bool json = arguments.has("--json"), jsonl = arguments.has("--jsonl");
  const bool explain = arguments.has("--explain");
  if (json && jsonl)
    out.add(base::Code::bad_usage, {}, "`--json` and `--jsonl` cannot be combined");
  read_agent(arguments, out);
  if (explain && (json || jsonl))
    out.add(base::Code::bad_usage, {},
            fmt::format("`--explain` and `{}` cannot be combined", json ? "--json" : "--jsonl"),
            "`--json` has the explanations");
  app::ScoreExecutionsRequest request = read_scoring(arguments, arguments.positional, out);
  request.read.keep_calls = explain || json;
  request.output = arguments.get("--output");
  auto names = arguments.positional;
  for (const auto option : {"--rubric", "--output"})
    names.push_back(arguments.get(option).value_or(""));
  read_input_once(names, out);
  return out.failed() ? std::nullopt : std::optional(std::move(request));
}

void name_newest(const std::optional<std::string>& newest, Terminal& terminal) {
  if (newest) terminal.err += fmt::format("the newest session: {}\n", base::printable(*newest));
}

}  // namespace

Exit run_fitness_score(const Arguments& arguments, Terminal& terminal) {
  using report::FitnessForm;
  base::Diagnostics usage;
  const auto request = score_request(arguments, usage);
  if (!request) return fail(usage, terminal);
  const bool json = arguments.has("--json"), jsonl = arguments.has("--jsonl");
  const auto agent = arguments.get("--agent");
  const auto whose = agent ? std::optional(fitness::agent_version(*agent)) : std::nullopt;
  app::ExecutionKeeper keeper(arguments.has("--rubric"), {whose, base::now_millis()},
                              terminal.overrides);
  report::FitnessReport text(json                         ? FitnessForm::json
                             : jsonl                      ? FitnessForm::jsonl
                             : arguments.has("--explain") ? FitnessForm::explanations
                                                          : FitnessForm::table,
                             style_of(terminal));
  auto scored =
      app::score_executions(*request, [&](fitness::Scored one, const fitness::Rubric& rubric) {
        if (!arguments.has("--no-keep")) keeper.add(one, rubric);
        if (whose) one.execution.agent = whose->agent;
        text.add(one, rubric);
        terminal.write_some(text.take());
      });
  name_newest(scored.newest, terminal);
  scored.diagnostics.append(keeper.finish());  // show the scores even if they cannot be stored
  if (scored.rubric) terminal.out += text.finish();
  if (scored.diagnostics.failed()) return fail(scored.diagnostics, terminal);
  terminal.show(scored.diagnostics);
  return Exit::passed;
}

Exit run_fitness_rubric(const Arguments& arguments, Terminal& terminal) {
  const auto path = arguments.get("--check");
  const bool json = arguments.has("--json");
  if (!path) {
    base::Diagnostics usage;
    for (const auto option : {"--json", "--strict"})
      if (arguments.has(option))
        usage.add(base::Code::bad_usage, {}, fmt::format("`{}` needs `--check FILE`", option));
    if (usage.failed()) return fail(usage, terminal);
    terminal.out += fitness::default_rubric_text();
    return Exit::passed;
  }
  base::Diagnostics found;
  const auto rubric = app::load_rubric(path, found);
  if (arguments.has("--strict")) found.make_warnings_errors();
  if (json) {
    terminal.out += wire::diagnostics_json(std::span(&found, 1));
  } else {
    terminal.show(found);
    terminal.out +=
        found.failed()
            ? fmt::format("{}: {}\n", base::printable(base::display_name(*path)),
                          base::counted(found.errors(), "error"))
            : fmt::format("{}: valid, score: {}\n", base::printable(base::display_name(*path)),
                          base::printable(base::fold_white_space(rubric->program.score().text)));
  }
  return found.failed() ? Exit::bad_usage : Exit::passed;
}

Exit run_fitness_show(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics usage;
  const bool json = arguments.has("--json"), jsonl = arguments.has("--jsonl");
  const auto threads = integer(arguments, "--threads", usage, 1, 256);
  if (json && jsonl)
    usage.add(base::Code::bad_usage, {}, "`--json` and `--jsonl` cannot be combined");
  if (usage.failed()) return fail(usage, terminal);
  const bool calls = arguments.has("--calls");
  using report::ExecutionForm;
  report::ExecutionReport text(json             ? ExecutionForm::json
                               : jsonl && calls ? ExecutionForm::jsonl_with_calls
                               : jsonl          ? ExecutionForm::jsonl
                               : calls          ? ExecutionForm::timelines
                                                : ExecutionForm::table,
                               style_of(terminal));
  const auto read = app::read_executions({.logs = arguments.positional,
                                          .format = arguments.get("--format"),
                                          .keep_calls = calls || json,
                                          .threads = static_cast<std::size_t>(threads.value_or(0))},
                                         [&](trace::Execution one) {
                                           text.add(std::move(one));
                                           terminal.write_some(text.take());
                                         });
  name_newest(read.newest, terminal);
  terminal.out += text.finish();
  if (read.diagnostics.failed()) return fail(read.diagnostics, terminal);
  terminal.show(read.diagnostics);
  return Exit::passed;
}

}  // namespace vibe::cli
