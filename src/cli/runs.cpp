#include <fmt/format.h>

#include "app/runs/history.h"
#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/commands.h"
#include "cli/github.h"
#include "cli/listing.h"
#include "cli/open_store.h"
#include "cli/report_files.h"
#include "cli/run_filter.h"
#include "report/run.h"
#include "report/score.h"
#include "wire/run.h"

namespace vibe::cli {

using base::Code;

namespace {

std::string details(store::Runs& runs, const score::Run& run,
                    std::span<const score::Result> results, const Arguments& arguments,
                    const Terminal& terminal, base::Diagnostics& problems) {
  const report::TextStyle style = style_of(terminal);
  const bool quiet = arguments.has("--quiet");
  std::string out = fmt::format("Suite: {}\nStarted: {}\n\n", base::printable(run.suite_name),
                                base::iso_time(run.created_at));
  const auto evals = report::eval_list(results, quiet, style);
  out += evals + (evals.empty() ? "" : "\n");
  if (arguments.has("--responses")) {
    const auto texts = report::responses(results, quiet);
    if (!texts.empty()) out += (is_github_step() ? without_commands(texts) : texts) + "\n";
  }
  out += report::summary(report::score_of(run, results), {run.min_score, {}}, run.certainty) +
         report::run_footer(run);
  if (!arguments.has("--explain")) return out;
  const auto score = app::explain_run(runs, run);
  if (score)
    out += "\n" + report::explanation(*score);
  else
    problems.append(score.error());
  return out;
}

}  // namespace

Exit run_get_runs(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const auto query = read_query(arguments, found);
  if (!query) return fail(found, terminal);
  if (!one_form(arguments, terminal)) return Exit::bad_usage;
  const auto opened = open_store(terminal, app::Need::reading);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  auto page = workspace.archive().runs().list(*query);
  if (!page) return fail(page.error(), terminal);
  workspace.add_certainty(page->runs);

  if (arguments.has("--json")) {
    terminal.out += wire::page_json(*page);
  } else if (arguments.has("--csv")) {
    terminal.out += wire::runs_csv(page->runs);
  } else if (page->runs.empty()) {
    terminal.out += has_filter(arguments)
                        ? "No run matches. `vibe get runs` without filters lists all.\n"
                        : "There are no runs yet. `vibe check suite.yaml` starts one.\n";
  } else {
    const auto trends = app::trends(workspace.archive().runs(), page->runs);
    if (!trends) return fail(trends.error(), terminal);
    terminal.out += report::run_table(page->runs, base::now_millis(), style_of(terminal)) +
                    trend_lines(*trends) + report::page_line(*page);
  }
  return Exit::passed;
}

Exit run_get_run(const Arguments& arguments, Terminal& terminal) {
  if (!one_form(arguments, terminal)) return Exit::bad_usage;
  base::Diagnostics found;
  const bool many = arguments.positional.size() > 1;
  if (many && arguments.has("--csv"))
    found.add(Code::bad_usage, {}, "`--csv` takes one run at a time");
  const auto files = ReportFiles::prepare(arguments, ReportFiles::About::runs, {}, found);
  if (!files) return fail(found, terminal);
  const auto opened = open_store(terminal, app::Need::reading);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  std::vector<score::Run> runs;
  std::vector<std::vector<score::Result>> results;
  for (const auto& id : arguments.positional) {
    auto run = app::find_run(workspace.archive().runs(), id);
    if (!run) return fail(run.error(), terminal);
    auto its_results = workspace.archive().runs().results(run->id);
    if (!its_results) return fail(its_results.error(), terminal);
    runs.push_back(*std::move(run));
    results.push_back(*std::move(its_results));
  }
  workspace.add_certainty(runs);
  std::vector<report::ReportedRun> reported;
  for (std::size_t i = 0; i < runs.size(); ++i)
    reported.push_back({runs[i], results[i], {runs[i].min_score, {}}});
  files->write(reported, found);

  if (arguments.has("--json")) {
    base::JsonWriter json(base::JsonWriter::Layout::indented);
    if (many) json.begin_array();
    for (const auto& one : reported) wire::write_run(json, one.run, one.results);
    if (many) json.end_array();
    terminal.out += json.text() + "\n";
  } else if (arguments.has("--csv")) {
    terminal.out += wire::results_csv(results.front());
  } else if (!files->empty()) {
    if (!found.failed()) terminal.out += files->written();
  } else {
    for (const auto& one : reported)
      terminal.out +=
          details(workspace.archive().runs(), one.run, one.results, arguments, terminal, found) +
          (many ? "\n" : "");
    if (many) terminal.out += report::comparison(runs, style_of(terminal));
  }
  return found.failed() ? fail(found, terminal) : Exit::passed;
}

Exit run_stop(const Arguments& arguments, Terminal& terminal) {
  const auto opened = open_store(terminal);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  std::vector<score::Run> stopped;
  if (arguments.positional[0] == "queued") {
    auto runs = app::stop_queued(workspace.archive().runs());
    if (!runs) return fail(runs.error(), terminal);
    stopped = *std::move(runs);
  } else {
    auto run = app::stop_run(workspace.archive().runs(), arguments.positional[0]);
    if (!run) return fail(run.error(), terminal);
    stopped.push_back(*std::move(run));
  }
  if (arguments.has("--json")) {
    base::JsonWriter json(base::JsonWriter::Layout::indented);
    json.begin_object().key("stopped").begin_array();
    for (const auto& run : stopped) json.string(run.id);
    terminal.out += json.end_array().end_object().text() + "\n";
    return Exit::passed;
  }
  for (const auto& run : stopped)
    terminal.out += fmt::format("Asked run {} of {} to stop. Its results so far are kept.\n",
                                run.id, base::printable(run.suite_name));
  if (stopped.empty()) terminal.out += "No run is queued.\n";
  return Exit::passed;
}

}  // namespace vibe::cli
