#include "report/markdown.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "report/markup.h"
#include "report/run.h"
#include "report/score.h"
#include "score/numbers.h"

namespace vibe::report {

namespace {

constexpr std::size_t kMostOpenRows = 20;  // longer tables are folded
constexpr std::size_t kMostOpenFailures = 5;
constexpr std::size_t kMostAnswer = 1500, kMostPrompt = 600, kMostChecks = 3000;
constexpr std::size_t kForEnd = 600;  // bytes for the note about the rest

struct Look {
  std::string_view icon, word;
};

Look look(score::ResultStatus status) {
  switch (status) {
    case score::ResultStatus::passed: return {"✅", "passed"};
    case score::ResultStatus::failed: return {"❌", "failed"};
    case score::ResultStatus::error: return {"⚠️", "error"};
  }
  std::abort();
}

std::string_view icon(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed: return "✅";
    case Outcome::gate_failed: return "❌";
    case Outcome::incomplete: return "⚠️";
  }
  std::abort();
}

// A line of text as code between HTML tags.
std::string html_code(std::string_view text) {
  return fmt::format("<code>{}</code>",
                     escaped(base::shorten(base::printable(base::trim(text)), kMostCode)));
}

// Lines of text, with a fence that nothing in them can close.
std::string fenced(std::string_view text, std::size_t most) {
  const auto part = clip(text, most);
  std::string lines;
  for (std::size_t begin = 0; begin < part.text.size();) {
    const std::size_t end = std::min(part.text.find('\n', begin), part.text.size());
    lines += base::printable(part.text.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  const std::string fence(std::max<std::size_t>(3, longest_run(lines, '`') + 1), '`');
  return fmt::format("{}text\n{}{}\n{}", fence, lines, fence,
                     part.is_whole ? ""
                                   : fmt::format("(the first {} of {} characters)\n", grouped(most),
                                                 grouped(part.length)));
}

// Each line by itself.
std::string paragraphs(std::string_view lines) {
  std::string out;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    out += cell(lines.substr(begin, end - begin)) + "  \n";  // two blanks: a line break
    begin = end + 1;
  }
  return out;
}

std::string run_headline(const ReportedRun& reported) {
  const auto& run = reported.run;
  const auto verdict = judge(reported);
  std::string out = fmt::format("### {} {}: {}\n\n", icon(verdict.outcome), code(run.suite_name),
                                run.score ? "score " + score::show_score(*run.score) : "no score");
  out += fmt::format("**{}** · {} of {} passed ({}) · {} · {} on average · {}{}\n\n",
                     verdict.outcome == Outcome::passed ? "Gate passed" : "Not passed",
                     grouped(run.passed), grouped(run.results), show_success(run),
                     show_dollars(run.total_cost), show_seconds(metric_of(run, "avg_latency")),
                     code(run.model), is_replay(run) ? " (recorded answers)" : "");
  if (verdict.outcome != Outcome::passed) out += fmt::format("{}\n\n", code(verdict.text, 400));
  out += fmt::format("Formula: {}\n", code(run.score_formula, 1000));
  if (!run.score_error.empty()) out += fmt::format("\nNote: {}\n", code(run.score_error, 400));
  if (run.certainty)
    out += "\n" + paragraphs(certainty_lines(run.certainty->score, run.certainty->level));
  if (run.judge_cost != 0.0)
    out += fmt::format("\nJudges cost {} in addition\n", show_dollars(run.judge_cost));
  for (const auto& one : run.score_metrics)
    out += fmt::format("\n- {} = {} ({})", code(one.name),
                       one.value ? score::show_score(*one.value) : "N/A",
                       code(one.value ? one.formula : one.error, 400));
  if (!run.score_metrics.empty()) out += "\n";
  return out;
}

std::string compared(std::span<const ReportedRun> runs) {
  std::string out =
      "| | Model | Score | Success | Cost | Latency | Result |\n"
      "|---|---|---:|---:|---:|---:|---|\n";
  for (const auto& one : runs) {
    const auto verdict = judge(one);
    out +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", icon(verdict.outcome),
                    cell(one.run.model), one.run.score ? score::show_score(*one.run.score) : "N/A",
                    show_success(one.run), show_dollars(one.run.total_cost),
                    show_seconds(metric_of(one.run, "avg_latency")), cell(verdict.text));
  }
  return out + "\n";
}

std::string sample_row(const Sample& sample) {
  const auto& result = sample.result;
  const auto [picture, word] = look(result.status);
  std::string kinds;
  for (const auto& kind : failed_checks(result))
    kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", cell(kind));
  return fmt::format("| {} {} | {} | {} | {} | {} |\n", picture, word, cell(sample.name()),
                     show_seconds(result.latency), show_dollars(result.cost), kinds);
}

std::string turn_text(const score::Turn& turn, std::size_t most) {
  std::string out;
  if (!turn.error.empty()) out += fmt::format("Error:\n\n{}\n", fenced(turn.error, kMostPrompt));
  if (!turn.checks.empty())
    out += fmt::format("Checks:\n\n{}\n", fenced(findings_text(turn.checks), kMostChecks));
  out += fmt::format("Prompt:\n\n{}\n", fenced(turn.prompt, kMostPrompt));
  std::string calls;
  for (const auto& call : turn.tool_calls)
    calls += fmt::format(
        "{}({}) {} {}\n", call.name, base::shorten(call.arguments, kMostPrompt),
        call.failed ? "failed:" : "returned:",
        call.result ? base::shorten(*call.result, kMostPrompt) : "nothing, it was not called");
  if (!calls.empty()) out += fmt::format("Tool calls:\n\n{}\n", fenced(calls, kMostAnswer));
  return out + fmt::format("Answer:\n\n{}\n", fenced(turn.response, most));
}

std::string failure(const Sample& sample, bool open) {
  const auto& result = sample.result;
  const auto [picture, word] = look(result.status);
  std::string out = fmt::format("<details{}>\n<summary>{} {} {}</summary>\n\n", open ? " open" : "",
                                picture, html_code(sample.name()), word);
  const auto turns = turns_of(result);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (turns.size() > 1)
      out +=
          fmt::format("**Turn {} of {}: {}**\n\n", i + 1, turns.size(), look(turns[i].status).word);
    out += turn_text(turns[i], kMostAnswer / turns.size());
  }
  return out + "</details>\n\n";
}

// Adds pieces while they fit, and counts those that do not.
class Pages {
 public:
  explicit Pages(std::size_t most) : most_(most > kForEnd ? most - kForEnd : 0) {}

  bool add(std::string_view piece, std::size_t keep_free = 0) {
    if (out_.size() + piece.size() + keep_free > most_) return false;
    out_ += piece;
    return true;
  }
  std::size_t room() const { return most_ - out_.size(); }
  std::string& text() { return out_; }

 private:
  std::size_t most_;
  std::string out_;
};

struct LeftOut {
  std::size_t rows = 0, failures = 0;
};

void add_table(Pages& pages, std::span<const Sample> all, std::size_t share, LeftOut& left_out) {
  constexpr std::string_view kHead =
      "| Result | Eval | Latency | Cost | Not passed |\n|---|---|---:|---:|---|\n";
  std::vector<std::string> rows(all.size());
  std::vector<std::size_t> order;  // samples that did not pass come first, if not all fit
  for (const bool passed : {false, true})
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].result.passed() == passed) order.push_back(i);
  std::size_t used = kHead.size() + 100, shown = 0;
  std::vector<bool> fits(all.size());
  for (const auto i : order) {
    rows[i] = sample_row(all[i]);
    if (used + rows[i].size() > share) break;
    used += rows[i].size();
    fits[i] = true;
    ++shown;
  }
  left_out.rows += all.size() - shown;
  if (shown == 0) return;
  const bool folded = shown > kMostOpenRows;
  std::string table;
  if (folded)
    table += fmt::format("<details>\n<summary>{} evals</summary>\n\n", grouped(all.size()));
  table += kHead;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (fits[i]) table += rows[i];
  table += folded ? "\n</details>\n\n" : "\n";
  if (!pages.add(table)) left_out.rows += shown;
}

void add_failures(Pages& pages, std::span<const Sample> all, std::size_t keep_free,
                  LeftOut& left_out) {
  std::size_t shown = 0;
  for (const auto& sample : all) {
    if (sample.result.passed()) continue;
    if (left_out.failures == 0 && pages.add(failure(sample, shown < kMostOpenFailures), keep_free))
      ++shown;
    else
      ++left_out.failures;
  }
}

std::string ending(std::span<const ReportedRun> runs, const LeftOut& left_out) {
  std::string out;
  if (left_out.rows > 0) out += fmt::format("{} evals of the table", grouped(left_out.rows));
  if (left_out.failures > 0)
    out += fmt::format("{}{} failures in full", out.empty() ? "" : " and ",
                       grouped(left_out.failures));
  if (!out.empty()) out = fmt::format("Left out to save space: {}.\n\n", out);
  constexpr std::size_t kMostIds = 4;
  std::string ids;
  for (std::size_t i = 0; i < runs.size() && i < kMostIds; ++i)
    ids += (ids.empty() ? "" : " ") + runs[i].run.id;
  if (runs.size() > kMostIds) ids += " …";
  return out + fmt::format("<sub>{}; `vibe get run {} --html report.html` has everything</sub>\n",
                           base::iso_time(runs.front().run.created_at), ids);
}

}  // namespace

std::string markdown(std::span<const ReportedRun> runs, std::size_t most) {
  Pages pages(most);
  LeftOut left_out;
  pages.add("<!-- vibe check -->\n");
  if (runs.size() > 1)
    pages.add(fmt::format("### {}: {} models\n\n", code(runs.front().run.suite_name), runs.size()) +
              compared(runs));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    // each run gets its share of the remaining space; a third of it is for the table
    const std::size_t rest = pages.room() - pages.room() / (runs.size() - i);
    if (!pages.add(run_headline(runs[i]) + "\n", rest)) break;
    const auto all = samples(runs[i].results);
    const std::size_t share = pages.room() > rest ? pages.room() - rest : 0;
    add_table(pages, all, share / 3, left_out);
    add_failures(pages, all, rest, left_out);
  }
  return pages.text() + ending(runs, left_out);
}

}  // namespace vibe::report
