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
  if (arguments.has("--guard") && request.guards.empty())
    out.add(Code::bad_usage, {}, "`--guard` is empty");
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
    // Before anything is sent.
    if (!found_.empty()) terminal_.write_now(render(found_, terminal_.style));
    found_ = {};
    auto comparisons = app::compare_runs(contenders_.front(),
                                         {contenders_.begin() + 1, contenders_.end()}, request_);
    if (!comparisons) return fail(comparisons.error(), terminal_);
    first_ = *std::move(comparisons);
    last_ = first_;
    Exit exit = Exit::passed;
    if (confirms && gate_of(first_) == GateAnswer::failed) exit = ask_again(workspace, again);
    show(files, exit == Exit::passed);
    if (found_.failed()) return exit == Exit::passed ? fail(found_, terminal_) : shown(exit);
    return exit_of(gate_of(last_));
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
      if (contender.run && contender.run->source.empty()) {
        again.runs.push_back(contender.run->id);
        continue;
      }
      if (contender.run) {
        found_.add(Code::bad_usage, {},
                   fmt::format("run `{}` has recorded answers: its model cannot be asked again",
                               contender.label),
                   "`--confirm` needs runs of models");
        return false;
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

  Exit shown(Exit exit) {
    terminal_.show(found_);
    return exit;
  }

  // Asks the base and the candidates that failed again: an alarm fails the gate only if these new
  // runs show it too.
  Exit ask_again(app::Workspace& workspace, std::vector<app::Prepared>& prepared) {
    std::vector<std::size_t> asked;
    for (std::size_t i = first_.size(); i-- > 0;) {
      if (gate_of(first_[i]) == GateAnswer::failed)
        asked.insert(asked.begin(), i);
      else
        prepared.erase(prepared.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    app::Runner& runner = workspace.runner();
    if (!runner.start(prepared, found_)) return Exit::incomplete;
    const auto runs = follow(runner, prepared, terminal_, false, found_);
    std::vector<app::Contender> contenders;
    bool is_cancelled = false;
    for (const auto& one : runs) {
      found_.append(one.problems);
      is_cancelled = is_cancelled || one.run.status == score::RunStatus::cancelled;
      if (one.run.status == score::RunStatus::completed) {
        auto contender = app::find_stored_contender(workspace.archive().runs(), one.run.id);
        if (!failed(contender, found_)) contenders.push_back(*std::move(contender));
      } else {
        found_.add(Code::conflict, {},
                   fmt::format("run `{}` did not complete, so nothing is confirmed: {}", one.run.id,
                               one.run.error.empty() ? to_string(one.run.status) : one.run.error));
      }
    }
    if (is_cancelled) return Exit::cancelled;
    if (found_.failed() || contenders.size() != prepared.size()) return Exit::incomplete;
    auto compared =
        app::compare_runs(contenders.front(), {contenders.begin() + 1, contenders.end()}, request_);
    if (failed(compared, found_)) return Exit::incomplete;
    second_ = *std::move(compared);
    for (std::size_t i = 0; i < asked.size(); ++i) last_[asked[i]] = second_[i];
    return Exit::passed;
  }

  void show(const ReportFiles& files, bool is_decided) {
    const report::ComparedStyle style{request_.settings.draws.level, arguments_.has("--answers")};
    files.write(last_, style, found_);
    const std::string gate =
        arguments_.has("--gate") && is_decided ? gate_line(gate_of(last_)) : std::string();
    if (arguments_.has("--json")) {
      terminal_.out += arguments_.has("--confirm")
                           ? wire::confirmed_json(first_, second_, request_.settings.draws)
                           : wire::comparisons_json(first_, request_.settings.draws);
      terminal_.err += gate;
      return;
    }
    terminal_.out += report::compared_text(first_, style);
    if (!second_.empty())
      terminal_.out += "\nAsked again:\n\n" + report::compared_text(second_, style);
    terminal_.out += gate + files.written();
  }

  std::string gate_line(GateAnswer answer) const {
    for (const Comparison& one : last_)
      for (const auto& guard : one.guards)
        if (guard.is_worse)
          return fmt::format("gate: failed, `{}` is worse\n", base::printable(guard.name));
    const std::string promise = promise_of_gate();
    switch (answer) {
      case GateAnswer::passed: return fmt::format("gate: passed{}\n", promise);
      case GateAnswer::failed: return fmt::format("gate: failed{}\n", promise);
      case GateAnswer::inconclusive: return fmt::format("gate: inconclusive{}\n", promise);
    }
    return {};
  }

  // For the usual level; guards add false alarms.
  std::string promise_of_gate() const {
    if (arguments_.has("--level") || arguments_.has("--guard")) return {};
    if (request_.settings.thresholds.not_worse_than)
      return " (at most 1 in 20 candidates that are worse by more than that passes)";
    return arguments_.has("--confirm") ? " (at most 1 false alarm in 1,600 comparisons)"
                                       : " (at most 1 false alarm in 40 comparisons)";
  }

  const Arguments& arguments_;
  app::CompareRequest request_;
  Terminal& terminal_;
  std::vector<app::Contender> contenders_;  // the base first
  // By candidate; of those that were asked again; by candidate, with these.
  std::vector<Comparison> first_, second_, last_;
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
