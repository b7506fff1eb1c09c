// `vibe compare`
#include <fmt/format.h>

#include "app/runs/compare_runs.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/open_store.h"
#include "cli/options.h"
#include "cli/report_files.h"
#include "cli/running.h"
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
    for (const char* option : {"--strict", "--not-worse-than", "--confirm"})
      if (arguments.has(option))
        out.add(Code::bad_usage, {}, fmt::format("`{}` needs `--gate`", option),
                "without a gate, every comparison exits with 0");
  if (!arguments.has("--confirm"))
    for (const char* option : {"--budget", "--mcp-token"})
      if (arguments.has(option))
        out.add(Code::bad_usage, {}, fmt::format("`{}` needs `--confirm`", option));
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

class Comparing {
 public:
  Comparing(const Arguments& arguments, app::CompareRequest request, Terminal& terminal)
      : arguments_(arguments), request_(std::move(request)), terminal_(terminal) {}

  Exit run(const ReportFiles& files) {
    const bool confirms = arguments_.has("--confirm");
    const auto opened = open_store(terminal_, confirms ? app::Need::writing : app::Need::reading);
    if (!opened) return opened.error();
    app::Workspace& workspace = **opened;
    for (const auto& text : arguments_.positional) {
      auto contender = app::find_contender(workspace.archive().runs(), text);
      if (!contender) return fail(contender.error(), terminal_);
      contenders_.push_back(*std::move(contender));
    }
    std::vector<app::Prepared> again;
    if (confirms && !prepare(workspace, again)) return fail(found_, terminal_);
    auto comparisons = app::compare_runs(contenders_.front(),
                                         {contenders_.begin() + 1, contenders_.end()}, request_);
    if (!comparisons) return fail(comparisons.error(), terminal_);
    GateAnswer answer = gate_of(*comparisons);
    std::vector<Comparison> second;
    if (confirms && answer == GateAnswer::failed) {
      if (!ask_again(workspace, again, *comparisons, second)) {
        terminal_.show(found_);
        return Exit::incomplete;
      }
      answer = gate_of(second);
      // Only an alarm that is shown twice fails the gate.
      if (answer == GateAnswer::inconclusive) answer = GateAnswer::passed;
    }
    show(files, *comparisons, second, answer);
    return found_.failed() ? fail(found_, terminal_) : exit_of(answer);
  }

 private:
  // The strictest answer of all.
  GateAnswer gate_of(std::span<const Comparison> comparisons) const {
    GateAnswer out = GateAnswer::passed;
    if (!arguments_.has("--gate")) return out;
    for (const Comparison& one : comparisons) {
      const auto answer = gate_of(one);
      if (answer == GateAnswer::failed) return answer;
      if (answer == GateAnswer::inconclusive) out = answer;
    }
    return out;
  }
  GateAnswer gate_of(const Comparison& one) const {
    return statistics::gate_of(one, request_.settings.thresholds, arguments_.has("--strict"));
  }

  // Everything that can fail before a prompt is sent.
  bool prepare(app::Workspace& workspace, std::vector<app::Prepared>& out) {
    AskAgain again;
    for (const auto& contender : contenders_) {
      if (contender.run) {
        again.runs.push_back(contender.run->id);
        continue;
      }
      found_.add(Code::bad_usage, {},
                 fmt::format("`{}` is a file: its prompts cannot be asked again", contender.label),
                 "`--confirm` needs stored runs");
      return false;
    }
    again.budget = number(arguments_, "--budget", found_, 0);
    again.tools_token = arguments_.get("--mcp-token");
    if (found_.failed()) return false;
    auto prepared = prepare_again(workspace.runner(), again, found_);
    if (!prepared) return false;
    out = *std::move(prepared);
    return true;
  }

  // Asks the base and the candidates that failed again, and compares these new runs.
  bool ask_again(app::Workspace& workspace, std::vector<app::Prepared>& prepared,
                 std::span<const Comparison> comparisons, std::vector<Comparison>& out) {
    for (std::size_t i = comparisons.size(); i-- > 0;)
      if (gate_of(comparisons[i]) != GateAnswer::failed)
        prepared.erase(prepared.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    app::Runner& runner = workspace.runner();
    for (auto& suite : prepared)
      if (!runner.start(suite, found_)) return false;
    const auto runs = follow(runner, prepared, terminal_, false, found_);
    std::vector<app::Contender> contenders;
    for (const auto& one : runs) {
      found_.append(one.problems);
      if (one.run.status != score::RunStatus::completed)
        found_.add(Code::conflict, {},
                   fmt::format("run `{}` did not complete, so nothing is confirmed: {}", one.run.id,
                               one.run.error.empty() ? to_string(one.run.status) : one.run.error));
      auto contender = app::find_stored_contender(workspace.archive().runs(), one.run.id);
      if (!failed(contender, found_)) contenders.push_back(*std::move(contender));
    }
    if (found_.failed() || contenders.size() != prepared.size()) return false;
    auto compared =
        app::compare_runs(contenders.front(), {contenders.begin() + 1, contenders.end()}, request_);
    if (failed(compared, found_)) return false;
    out = *std::move(compared);
    return true;
  }

  void show(const ReportFiles& files, std::span<const Comparison> comparisons,
            std::span<const Comparison> second, GateAnswer answer) {
    const report::ComparedStyle style{request_.settings.draws.level, arguments_.has("--answers")};
    std::vector<Comparison> all(comparisons.begin(), comparisons.end());
    all.insert(all.end(), second.begin(), second.end());
    files.write(all, style, found_);
    const std::string gate = arguments_.has("--gate")
                                 ? gate_line(answer, second.empty() ? comparisons : second)
                                 : std::string();
    if (arguments_.has("--json")) {
      terminal_.out += wire::comparisons_json(comparisons, second, request_.settings.draws);
      terminal_.err += gate;
      return;
    }
    terminal_.out += report::compared_text(comparisons, style);
    if (!second.empty())
      terminal_.out += "\nAsked again:\n\n" + report::compared_text(second, style);
    terminal_.out += gate + files.written();
  }

  std::string gate_line(GateAnswer answer, std::span<const Comparison> comparisons) const {
    for (const Comparison& one : comparisons)
      for (const auto& guard : one.guards)
        if (guard.is_worse)
          return fmt::format("gate: failed, `{}` is worse\n", base::printable(guard.name));
    const std::string_view promise =
        request_.settings.thresholds.not_worse_than
            ? "at most 1 in 20 candidates that are worse by more than that passes"
        : arguments_.has("--confirm") ? "at most 1 false alarm in 1,600 comparisons"
                                      : "at most 1 false alarm in 40 comparisons";
    switch (answer) {
      case GateAnswer::passed: return fmt::format("gate: passed ({})\n", promise);
      case GateAnswer::failed: return fmt::format("gate: failed ({})\n", promise);
      case GateAnswer::inconclusive: return fmt::format("gate: inconclusive ({})\n", promise);
    }
    return {};
  }

  const Arguments& arguments_;
  app::CompareRequest request_;
  Terminal& terminal_;
  std::vector<app::Contender> contenders_;  // the base first
  base::Diagnostics found_;
};

}  // namespace

Exit run_compare(const Arguments& arguments, Terminal& terminal) {
  base::Diagnostics found;
  auto request = read_request(arguments, found);
  const auto files =
      ReportFiles::prepare(arguments, ReportFiles::About::comparisons, arguments.positional, found);
  if (found.failed() || !files) return fail(found, terminal);
  return Comparing(arguments, std::move(request), terminal).run(*files);
}

}  // namespace vibe::cli
