#include "app/agents/executions.h"

#include "base/time.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/open_store.h"
#include "cli/report_files.h"
#include "cli/scoring.h"
#include "report/scored.h"
#include "wire/scored.h"

namespace vibe::cli {

namespace {

std::optional<store::ExecutionQuery> execution_query(const Arguments& arguments,
                                                     base::Diagnostics& out) {
  store::ExecutionQuery query;
  read_page(arguments, query, out);
  if (const auto text = read_agent(arguments, out)) {
    auto [agent, version] = fitness::agent_query(*text);
    query.agent = std::move(agent);
    query.version = std::move(version);
  }
  query.session = arguments.get("--session").value_or("");
  query.grade = arguments.get("--grade").value_or("");
  query.rubric = arguments.get("--rubric").value_or("");
  query.score = read_bounds(arguments, "execution", "--min-score", "--max-score", out, -kAnyNumber,
                            kAnyNumber);
  query.from = read_time(arguments, "--date-from", false, out);
  query.to = read_time(arguments, "--date-to", true, out);
  return out.failed() ? std::nullopt : std::optional(std::move(query));
}

}  // namespace

Exit run_get_executions(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  const auto query = execution_query(arguments, found);
  if (!query) return fail(found, terminal);
  if (!one_form(arguments, terminal)) return Exit::bad_usage;
  const auto files = ReportFiles::prepare(arguments, ReportFiles::About::executions, {}, found);
  if (!files) return fail(found, terminal);
  const auto opened = open_store(terminal, app::Need::reading);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  const auto page = workspace.archive().executions().list(*query);
  if (!page) return fail(page.error(), terminal);
  files->write({.executions = page->items,
                .total = page->total,
                .about = arguments.get("--agent").value_or(""),
                .version = version()},
               found);

  if (arguments.has("--json")) {
    terminal.out += wire::scored_page_json(*page);
  } else if (arguments.has("--jsonl")) {
    terminal.out += wire::scored_jsonl(page->items);
  } else if (arguments.has("--csv")) {
    terminal.out += wire::scored_csv(page->items);
  } else if (!files->empty()) {
    if (!found.failed()) terminal.out += files->written();
  } else if (page->items.empty()) {
    terminal.out +=
        has_filter(arguments)
            ? "No execution matches. `vibe get executions` without filters lists all.\n"
            : "There are no executions yet. `vibe fitness score LOG` scores and stores them.\n";
  } else {
    const auto trends = app::version_trends(workspace.archive().executions(), page->items);
    if (!trends) return fail(trends.error(), terminal);
    terminal.out += report::scored_table(page->items, base::now_millis(), style_of(terminal)) +
                    trend_lines(*trends) +
                    report::page_line("executions", page->items.size(), page->total, page->next);
  }
  return found.failed() ? fail(found, terminal) : Exit::passed;
}

Exit run_get_execution(const Arguments& arguments, Terminal& terminal) {
  const auto opened = open_store(terminal, app::Need::reading);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  const auto scored =
      app::find_execution(workspace.archive().executions(), arguments.positional[0]);
  if (!scored) return fail(scored.error(), terminal);
  terminal.out +=
      arguments.has("--json") ? wire::scored_json(*scored) : report::scored_details(*scored);
  return Exit::passed;
}

Exit run_get_decisions(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  store::DecisionQuery query;
  read_page(arguments, query, found);
  query.agent = read_agent(arguments, found).value_or("");
  if (found.failed()) return fail(found, terminal);
  if (!one_form(arguments, terminal)) return Exit::bad_usage;
  const auto opened = open_store(terminal, app::Need::reading);
  if (!opened) return opened.error();
  app::Workspace& workspace = **opened;
  const auto page = workspace.archive().executions().decisions(query);
  if (!page) return fail(page.error(), terminal);

  if (arguments.has("--json")) {
    terminal.out += wire::decision_page_json(*page);
  } else if (arguments.has("--jsonl")) {
    terminal.out += wire::decision_jsonl(page->items);
  } else if (arguments.has("--csv")) {
    terminal.out += wire::decision_csv(page->items);
  } else if (page->items.empty()) {
    terminal.out += has_filter(arguments)
                        ? "No decision matches. `vibe get decisions` without filters lists all.\n"
                        : "There are no decisions yet. `vibe fitness decide OLD NEW` makes one.\n";
  } else {
    terminal.out += report::decision_table(page->items, base::now_millis(), style_of(terminal)) +
                    report::page_line("decisions", page->items.size(), page->total, page->next);
  }
  return Exit::passed;
}

}  // namespace vibe::cli
