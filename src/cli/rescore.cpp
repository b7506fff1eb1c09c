// `vibe rescore`
#include <chrono>
#include <filesystem>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "app/suites/validate.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/listing.h"
#include "cli/open_store.h"
#include "cli/run_filter.h"
#include "report/rescored.h"
#include "wire/rescored.h"

namespace vibe::cli {

using base::Code;

namespace {

constexpr std::int64_t kMostRescoreRows = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kUsualRescoreRows = 50, kMostWithIntervals = 200;

// A suite is a file if it looks like one, or is one.
bool is_suite_file(const std::string& text) {
  std::error_code ignored;
  return text == "-" || text.ends_with(".yaml") || text.ends_with(".yml") ||
         std::filesystem::is_regular_file(text, ignored);
}

// The `score` section of a suite file.
void read_score_section(const Arguments& arguments, const std::string& path,
                        store::RescoreRequest& request, base::Diagnostics& out) {
  auto validated = app::validate(path);
  validated.diagnostics.remove_notes();  // about what could happen; these runs have happened
  out.append(validated.diagnostics);
  if (!validated.suite) return;
  const auto& score = validated.suite->score;
  auto& rule = request.rule;
  for (const auto& metric : score.metrics) rule.metrics.push_back({metric.name, metric.formula});
  if (!arguments.has("--formula")) {
    rule.formula = score.formula;
    rule.on_undefined = score.on_undefined;
    rule.min_score = score.min;
  }
  request.filter.suite = arguments.has("--all") ? "" : validated.suite->metadata.name;
}

store::RescoreRequest read_rescore_request(const Arguments& arguments, base::Diagnostics& out) {
  store::RescoreRequest request;
  const auto limit = integer(arguments, "--limit", out, 0, kMostRescoreRows);
  const bool wants_all = arguments.has("--csv") && !limit;
  request.rows = wants_all ? static_cast<std::size_t>(kMostRescoreRows)
                 : limit   ? static_cast<std::size_t>(*limit)
                           : kUsualRescoreRows;
  request.intervals = arguments.has("--intervals");
  if (request.intervals && request.rows > kMostWithIntervals)
    out.add(Code::bad_usage, {},
            fmt::format("`--intervals` takes at most {} rows", kMostWithIntervals),
            "say which with `--limit N`, and filters");
  request.keep = arguments.get("--keep");
  request.rule.formula = arguments.get("--formula").value_or("");
  read_filters(arguments, request.filter, out);
  const std::string suite = request.filter.suite;
  const bool has_file = !suite.empty() && is_suite_file(suite);
  if (has_file)
    read_score_section(arguments, suite, request, out);
  else if (!arguments.has("--formula"))
    out.add(Code::bad_usage, {}, "there is no formula to score by",
            "pass `--formula F`, or `--suite FILE` for the `score` section of a suite");
  if (arguments.has("--all") && !has_file)
    out.add(Code::bad_usage, {}, "`--all` needs `--suite FILE`",
            "without it, the runs of all suites are rescored anyway");
  return request;
}

class RescorePrinter final : public store::RescoreWatcher {
 public:
  RescorePrinter(const Arguments& arguments, const store::RescoreRequest& request,
                 Terminal& terminal)
      : terminal_(terminal),
        is_json_(arguments.has("--json")),
        is_csv_(arguments.has("--csv")),
        is_filtered_(request.filter != store::RunQuery()) {}

  void on_progress(std::size_t done, std::size_t total) override {
    if (!terminal_.err_is_terminal || Clock::now() < next_) return;
    next_ = Clock::now() + kPause;
    const std::string of = total > 0 ? fmt::format(" of {}", total) : "";
    terminal_.write_now(fmt::format("\r{}{} runs\x1b[K", done, of));
    is_drawn_ = true;
  }

  void on_summary(const score::RescoreSummary& summary) override {
    clear();
    summary_ = summary;
    if (is_json_) document_.begin(summary, terminal_.out);
    if (is_csv_) terminal_.out += wire::rescored_csv_head();
  }

  void on_run(const score::RescoredRun& run) override {
    if (is_csv_) return terminal_.write_some(wire::rescored_csv_row(run));
    if (!is_json_) return rows_.push_back(run);
    std::string text;
    document_.add(run, text);
    terminal_.write_some(text);
  }

  bool wants_to_stop() const override { return interrupt_.pressed(); }

  void finish() {
    clear();
    if (is_json_) return document_.end(terminal_.out);
    if (is_csv_) return;
    if (summary_.runs == 0) {
      terminal_.out += is_filtered_
                           ? "No run matches. `vibe get runs` lists the runs that are stored.\n"
                           : "There are no runs yet. `vibe check suite.yaml` starts one.\n";
      return;
    }
    terminal_.out += report::rescore_summary(summary_);
    if (rows_.empty()) return;
    terminal_.out += "\n" + report::rescored_table(rows_, style_of(terminal_));
    if (rows_.size() < summary_.runs)
      terminal_.out += fmt::format("\nthe newest {} of {} runs; `--limit N` shows more\n",
                                   rows_.size(), summary_.runs);
  }

  void clear() {
    if (is_drawn_) terminal_.write_now("\r\x1b[K");
    is_drawn_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPause{200};

  Terminal& terminal_;
  const bool is_json_, is_csv_, is_filtered_;
  Interrupt interrupt_;
  Clock::time_point next_ = Clock::now() + kPause;  // to draw
  bool is_drawn_ = false;
  score::RescoreSummary summary_;
  wire::RescoredDocument document_;
  std::vector<score::RescoredRun> rows_;  // for the table
};

}  // namespace

Exit run_rescore(const Arguments& arguments, Terminal& terminal) {
  if (!one_form(arguments, terminal)) return Exit::bad_usage;
  base::Diagnostics found;
  const auto request = read_rescore_request(arguments, found);
  if (found.failed()) return fail(found, terminal);
  terminal.show(found);
  const auto opened = open_store(terminal, request.keep ? app::Need::writing : app::Need::reading);
  if (!opened) return opened.error();
  RescorePrinter printer(arguments, request, terminal);
  const auto done = (*opened)->rescore(request, printer);
  if (!done) {
    printer.clear();
    return fail(done.error(), terminal);
  }
  if (!*done) {
    printer.clear();
    terminal.err += "stopped\n";
    return Exit::cancelled;
  }
  printer.finish();
  return Exit::passed;
}

}  // namespace vibe::cli
