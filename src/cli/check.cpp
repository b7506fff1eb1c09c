#include <algorithm>

#include <fmt/format.h>

#include "app/runs/compare_runs.h"
#include "app/runs/estimate.h"
#include "app/runs/prepare_run.h"
#include "app/runs/run_suite.h"
#include "app/runs/sample_lines.h"
#include "app/workspace.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/github.h"
#include "cli/listing.h"
#include "cli/report_files.h"
#include "cli/running.h"
#include "report/compared.h"
#include "report/run.h"
#include "report/score.h"
#include "score/numbers.h"
#include "wire/comparison.h"
#include "wire/run.h"

namespace vibe::cli {

using base::Code;

namespace {

// Refuses the options that need a finished run.
void refuse_with_async(const Arguments& arguments, base::Diagnostics& out) {
  const auto refuse = [&](std::string_view option, std::string hint) {
    if (arguments.has(option))
      out.add(
          Code::bad_usage, {},
          fmt::format("`--async` does not wait for the run to end, but `{}` needs that", option),
          std::move(hint));
  };
  for (const std::string_view option : {"--junit", "--markdown", "--html", "--explain"})
    refuse(option, fmt::format("use `vibe get run ID {}` once the run is over", option));
  for (const std::string_view option : {"--against", "--rerun-base"})
    refuse(option, "use `vibe compare` once the run is over");
  for (const std::string_view option : {"--min-score", "--min-success"})
    refuse(option, "leave out one of them");
}

std::optional<app::RunRequest> read_run_request(const Arguments& arguments,
                                                base::Diagnostics& out) {
  app::RunRequest request;
  request.models = list(arguments, "--model");
  request.plan.system_prompt = arguments.get("--system-prompt");
  request.plan.threads = integer(arguments, "--threads", out, 1, 1024);
  request.plan.repeat = integer(arguments, "--repeat", out, 1, 1000);
  request.plan.only = list(arguments, "--only");
  request.tools = {arguments.get("--mcp-url"), arguments.get("--mcp-name"),
                   arguments.get("--mcp-token")};
  request.budget = number(arguments, "--budget", out, 0);
  request.run_timeout = number(arguments, "--run-timeout", out, 0);
  request.min_score = number(arguments, "--min-score", out);
  request.min_success = number(arguments, "--min-success", out, 0, 100);
  request.record = arguments.get("--record");
  request.cache = arguments.has("--cache");
  request.strict = arguments.has("--strict");
  request.dry_run = arguments.has("--dry-run");

  const auto file = arguments.get("--file");
  const auto resume = arguments.get("--resume"), retry = arguments.get("--retry-failed");
  const std::size_t sources =
      arguments.positional.size() + (file ? 1U : 0U) + (resume ? 1U : 0U) + (retry ? 1U : 0U);
  if (sources == 0)
    out.add(Code::bad_usage, {}, "`vibe check` needs a suite",
            "write `vibe check suite.yaml`; `vibe init` creates one");
  if (sources > 1)
    out.add(Code::bad_usage, {},
            "one suite at a time: a file, a stored suite's name, `--resume` "
            "or `--retry-failed`");
  if (resume || retry)
    for (const std::string_view option :
         {"--model", "--system-prompt", "--repeat", "--only", "--mcp-url", "--mcp-name"})
      if (arguments.has(option))
        out.add(Code::bad_usage, {},
                fmt::format("a run is resumed as it was started: `{}` cannot be changed", option));
  if (request.run_timeout == 0)
    out.add(Code::bad_usage, {}, "`--run-timeout` must be more than 0 seconds");
  if (request.budget) request.budget = *request.budget + 0.0;  // no -0
  if (request.record && (request.record->empty() || *request.record == "-"))
    out.add(Code::bad_usage, {}, "`--record` needs a file");
  if (arguments.has("--only") && request.plan.only.empty())
    out.add(Code::bad_usage, {}, "`--only` is empty");
  if (arguments.has("--model") && request.models.empty())
    out.add(Code::bad_usage, {}, "`--model` is empty");
  if (arguments.has("--async")) refuse_with_async(arguments, out);
  if (arguments.has("--rerun-base") && !arguments.has("--against"))
    out.add(Code::bad_usage, {}, "`--rerun-base` needs `--against RUN`");
  if (arguments.has("--rerun-base") && request.cache)
    out.add(Code::bad_usage, {},
            "`--cache` would reuse old answers, but `--rerun-base` asks again");
  if (arguments.has("--rerun-base") && request.dry_run)
    out.add(Code::bad_usage, {}, "`--dry-run` estimates the suite alone, not with `--rerun-base`");
  if (out.failed()) return std::nullopt;

  request.is_file = file.has_value();
  if (file) request.suite = *file;
  if (!arguments.positional.empty()) request.suite = arguments.positional[0];
  request.earlier = resume ? *resume : retry.value_or("");
  request.how = retry ? app::Continue::failed : app::Continue::missing;
  return request;
}

// The files that a report must not overwrite.
std::vector<std::string> inputs_of(const app::RunRequest& request) {
  std::vector<std::string> out;
  if (!request.suite.empty() && request.suite != "-") out.push_back(request.suite);
  if (request.record) out.push_back(*request.record);
  for (const auto& model : request.models)
    if (model.starts_with(score::kReplay)) out.push_back(model.substr(score::kReplay.size()));
  return out;
}

std::string plan_text(const app::Prepared& prepared, std::span<const app::Estimate> estimates) {
  std::string out = fmt::format("Plan for {}: {} samples for each model, {} in flight\n",
                                prepared.runs.front().run.suite_name,
                                prepared.plan->samples().size(), prepared.plan->threads());
  for (const auto& one : estimates)
    out += fmt::format(
        "  {}: {} requests, about {} prompt tokens and {} completion tokens ({} for each answer, "
        "{}), about {}\n",
        one.model, one.samples, one.prompt_tokens, one.completion_tokens, one.output_tokens_each,
        one.assumption, one.cost ? score::show_cost(*one.cost) : "an unknown cost");
  if (std::any_of(prepared.suite->evals.begin(), prepared.suite->evals.end(),
                  [](const auto& eval) { return !eval.checks.follow_up.empty(); }))
    out += "  follow-ups are extra, if a check fails\n";
  // Every model has the same judges.
  for (const auto& judge : estimates.front().judges)
    out +=
        fmt::format("  judge {}: {} requests for each model, about {}\n", judge.model,
                    judge.requests, judge.cost ? score::show_cost(*judge.cost) : "an unknown cost");
  out += fmt::format("  score: {}\n", prepared.suite->score.formula);
  if (prepared.budget) out += fmt::format("  budget: {}\n", score::show_cost(*prepared.budget));
  return out + "Nothing was sent.\n";
}

std::string plan_json(const app::Prepared& prepared, std::span<const app::Estimate> estimates) {
  base::JsonWriter json(base::JsonWriter::Layout::indented);
  json.begin_object().key("suite_name").string(prepared.runs.front().run.suite_name);
  json.key("samples").integer(static_cast<std::int64_t>(prepared.plan->samples().size()));
  json.key("threads").integer(static_cast<std::int64_t>(prepared.plan->threads()));
  json.key("models").begin_array();
  for (const auto& one : estimates) {
    json.begin_object().key("model").string(one.model);
    json.key("requests").integer(static_cast<std::int64_t>(one.samples));
    json.key("prompt_tokens").integer(one.prompt_tokens);
    json.key("completion_tokens").integer(one.completion_tokens);
    json.key("cost");
    one.cost ? json.number(*one.cost) : json.null();
    json.key("judges").begin_array();
    for (const auto& judge : one.judges) {
      json.begin_object().key("model").string(judge.model);
      json.key("requests").integer(judge.requests).key("cost");
      judge.cost ? json.number(*judge.cost) : json.null();
      json.end_object();
    }
    json.end_array().end_object();
  }
  return json.end_array().end_object().text() + "\n";
}

Exit dry_run(const app::Prepared& prepared, store::Runs& runs, bool as_json, Terminal& terminal) {
  const auto estimates = app::estimate(prepared, runs);
  if (!estimates) {
    terminal.show(estimates.error());
    return Exit::incomplete;
  }
  terminal.out += as_json ? plan_json(prepared, *estimates) : plan_text(prepared, *estimates);
  return Exit::passed;
}

Exit exit_of(const app::FinishedRun& done, const score::Gates& gates) {
  switch (done.run.status) {
    case score::RunStatus::cancelled: return Exit::cancelled;
    case score::RunStatus::failed:
    case score::RunStatus::partial_failure:
    case score::RunStatus::timed_out:
    case score::RunStatus::queued:
    case score::RunStatus::running: return Exit::incomplete;
    case score::RunStatus::completed: break;
  }
  return score::failed_gate(done.score, gates).empty() ? Exit::passed : Exit::gate_failed;
}

// The first of 130, 2, 3, 1, 0 that occurs.
Exit worst(Exit a, Exit b) {
  for (const Exit exit : {Exit::cancelled, Exit::bad_usage, Exit::incomplete, Exit::gate_failed})
    if (a == exit || b == exit) return exit;
  return Exit::passed;
}

// What `--against` adds.
struct Against {
  std::optional<app::Contender> base{};
  bool is_rerun = false;                    // its prompts are sent again
  std::optional<app::FinishedRun> again{};  // then
  app::CompareRequest request{};
  std::vector<statistics::Comparison> comparisons{};

  bool is_worse() const {
    return std::any_of(comparisons.begin(), comparisons.end(), [](const auto& one) {
      return one.compared.judgement && statistics::is_worse(one.compared.judgement->verdict);
    });
  }
};

// With `--against` an object with the runs and their comparisons; else the run, or a list.
std::string runs_json(std::span<const app::FinishedRun> runs, const Against& against) {
  base::JsonWriter json(base::JsonWriter::Layout::indented);
  if (against.base) json.begin_object().key("runs");
  const bool is_list = runs.size() > 1 || against.base;
  if (is_list) json.begin_array();
  for (const auto& one : runs) wire::write_run(json, one.run, one.results);
  if (is_list) json.end_array();
  if (against.again) wire::write_run(json.key("base"), against.again->run, against.again->results);
  if (against.base) {
    json.key("comparisons").begin_array();
    for (const auto& one : against.comparisons)
      wire::write_comparison(json, one, against.request.settings.draws);
    json.end_array().end_object();
  }
  return json.text() + "\n";
}

std::string runs_text(std::span<const app::FinishedRun> runs, const score::Gates& gates,
                      const Arguments& arguments, const Terminal& terminal) {
  const report::TextStyle style = style_of(terminal);
  std::string out;
  for (const auto& one : runs) {
    if (runs.size() > 1) out += fmt::format("--- {} ---\n", one.run.model);
    const auto evals = report::eval_list(one.results, arguments.has("--quiet"), style);
    out += evals + (evals.empty() ? "" : "\n");
    out += report::summary(one.score, gates, one.run.certainty) + report::run_footer(one.run);
    if (arguments.has("--explain")) out += "\n" + report::explanation(one.score);
    if (runs.size() > 1) out += "\n";
  }
  if (runs.size() > 1) {
    std::vector<score::Run> compared;
    for (const auto& one : runs) compared.push_back(one.run);
    out += report::comparison(compared, style);
  }
  return out;
}

// For `--async`: the ids of the runs, which nobody waits for.
std::string started_text(const app::Prepared& prepared, bool as_json) {
  std::string out;
  base::JsonWriter json(base::JsonWriter::Layout::indented);
  json.begin_object().key("runs").begin_array();
  for (const auto& one : prepared.runs) {
    json.begin_object().key("runId").string(one.run.id);
    json.key("suite_name").string(one.run.suite_name).key("model").string(one.run.model);
    json.end_object();
    out += fmt::format("Started run {} of {} on {}. `vibe get run {}` shows it.\n", one.run.id,
                       base::printable(one.run.suite_name), base::printable(one.run.model),
                       one.run.id);
  }
  json.end_array().end_object();
  return as_json ? json.text() + "\n" : out;
}

// The prepared command: what it checks, and how it reports.
struct Checking {
  const Arguments& arguments;
  Terminal& terminal;
  const ReportFiles& files;
  Against against = {};
  base::Diagnostics problems = {};

  void compare(std::span<const app::FinishedRun> runs, store::Runs& stored) {
    if (!against.base) return;
    if (against.is_rerun) {
      if (!against.again) return;
      auto base = app::find_stored_contender(stored, against.again->run.id);
      if (failed(base, problems)) return;
      against.base = *std::move(base);
    }
    std::vector<app::Contender> candidates;
    for (const auto& one : runs) {
      auto candidate = app::find_stored_contender(stored, one.run.id);
      if (failed(candidate, problems)) return;
      candidates.push_back(*std::move(candidate));
    }
    auto comparisons = app::compare_runs(*against.base, candidates, against.request);
    if (!failed(comparisons, problems)) against.comparisons = *std::move(comparisons);
  }

  Exit report(std::span<const app::FinishedRun> runs, const app::Prepared& prepared) {
    Exit exit = Exit::passed;
    std::vector<report::ReportedRun> reported;
    for (const auto& one : runs) {
      problems.append(one.problems);
      exit = worst(exit, exit_of(one, prepared.gates));
      reported.push_back({one.run, one.results, prepared.gates});
    }
    const report::ComparedStyle style{against.request.settings.draws.level};
    files.write(reported, problems,
                against.comparisons.empty()
                    ? std::string()
                    : report::compared_markdown(against.comparisons, style));
    if (against.again) {
      problems.append(against.again->problems);
      if (against.again->run.status != score::RunStatus::completed)
        exit = worst(exit, exit_of(*against.again, {}));
    }
    if (against.is_worse()) exit = worst(exit, Exit::gate_failed);
    if (problems.failed()) exit = worst(exit, Exit::incomplete);
    if (!runs.empty())
      terminal.out += arguments.has("--json")
                          ? runs_json(runs, against)
                          : runs_text(runs, prepared.gates, arguments, terminal);
    if (!against.comparisons.empty() && !arguments.has("--json"))
      terminal.out += "\n" + report::compared_text(against.comparisons, style);
    if (is_github_step()) {
      add_step_summary(reported, problems);
      if (!arguments.has("--json"))
        terminal.out += github_annotations(reported, app::sample_lines(prepared));
    }
    for (const auto& one : runs)
      if (one.run.results < one.run.planned)
        terminal.err +=
            fmt::format("`vibe check --resume {}` runs the missing samples\n", one.run.id);
    terminal.show(problems);
    return exit;
  }
};

// Evals without a name may have the same prompt.
bool may_share_evals(const app::Contender& base, const app::Prepared& prepared) {
  if (!prepared.plan) return true;
  const auto& known = base.samples.evals();
  return std::any_of(
      prepared.suite->evals.begin(), prepared.suite->evals.end(), [&](const auto& eval) {
        return eval.name.empty() || std::any_of(known.begin(), known.end(), [&](const auto& one) {
                 return one.name == eval.name;
               });
      });
}

Exit check(const app::RunRequest& request, app::Workspace& workspace, Checking& checking,
           base::Diagnostics& found) {
  auto& [arguments, terminal, files, against, problems] = checking;
  app::Runner& runner = workspace.runner();
  auto prepared = runner.prepare(request, found);
  if (!prepared) return fail(found, terminal);
  if (against.base && !may_share_evals(*against.base, *prepared)) {
    found.add(Code::conflict, {},
              fmt::format("`{}` and the suite have no eval in common", against.base->label),
              "evals are paired by their names");
    return fail(found, terminal);
  }
  std::vector<app::Prepared> suites;
  if (against.is_rerun) {
    auto base = prepare_again(
        runner, {{against.base->run->id}, request.budget, request.run_timeout, request.tools.token},
        found);
    if (!base) return fail(found, terminal);
    suites = *std::move(base);
  }
  if (!found.empty()) terminal.write_now(render(found, terminal.style));
  const bool as_json = arguments.has("--json");
  if (request.dry_run) return dry_run(*prepared, workspace.archive().runs(), as_json, terminal);
  if (arguments.has("--async")) {
    if (!runner.start({&*prepared, 1}, problems)) return fail(problems, terminal);
    terminal.show(problems);
    terminal.out += started_text(*prepared, as_json);
    return Exit::passed;
  }
  suites.push_back(*std::move(prepared));
  const bool is_started = runner.start(suites, problems);
  if (!is_started && runner.is_detached()) return fail(problems, terminal);
  std::vector<app::FinishedRun> runs;
  if (is_started) {
    const std::string base = against.is_rerun ? suites.front().runs.front().run.id : "";
    runs = follow(runner, suites, terminal, arguments.has("--quiet"), problems);
    if (!runs.empty() && runs.front().run.id == base) {
      against.again = std::move(runs.front());
      runs.erase(runs.begin());
    }
  }
  const app::Prepared& own = suites.back();
  if (runs.empty() && runner.is_detached()) {
    // Not bad usage: requests were sent.
    terminal.show(problems);
    return Exit::incomplete;
  }
  // A run that never began has no formula to explain.
  for (auto& one : runs)
    if (one.score.formula.empty()) one.score = report::score_of(one.run);
  checking.compare(runs, workspace.archive().runs());
  return checking.report(runs, own);
}

// Found before anything is sent.
bool read_against(const Arguments& arguments, app::Workspace& workspace, Against& out,
                  base::Diagnostics& found) {
  const auto name = arguments.get("--against");
  if (!name) return true;
  out.request.settings.draws.parallel = app::in_threads();
  auto base = app::find_contender(workspace.archive().runs(), *name);
  if (failed(base, found)) return false;
  out.base = *std::move(base);
  out.is_rerun = arguments.has("--rerun-base");
  if (out.is_rerun && !out.base->run) {
    found.add(Code::bad_usage, {},
              fmt::format("`{}` is a file: its prompts cannot be sent again", out.base->label),
              "`--rerun-base` needs a stored run");
    return false;
  }
  return true;
}

}  // namespace

Exit run_check(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  auto request = read_run_request(arguments, found);
  if (!request) return fail(found, terminal);
  request->version = version();
  const auto workspace =
      app::open_workspace(found, terminal.overrides,
                          arguments.has("--dry-run") ? app::Need::reading : app::Need::writing);
  if (workspace && !workspace->runner().is_detached() && arguments.has("--async"))
    found.add(Code::bad_usage, {}, "`--async` needs a server that runs the suite",
              "set `VIBECHECK_API_URL`, or pass `--server URL`; `vibe serve` starts a server");
  if (!workspace || found.failed()) return fail(found, terminal);
  const auto files =
      ReportFiles::prepare(arguments, ReportFiles::About::runs, inputs_of(*request), found);
  if (!files) return fail(found, terminal);
  Checking checking{arguments, terminal, *files};
  if (!read_against(arguments, *workspace, checking.against, found)) return fail(found, terminal);
  return check(*request, *workspace, checking, found);
}

}  // namespace vibe::cli
