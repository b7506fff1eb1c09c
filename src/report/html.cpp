#include "report/html.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_value.h"
#include "base/text.h"
#include "base/time.h"
#include "report/html_parts.h"
#include "report/markup.h"
#include "report/run.h"
#include "report/score.h"
#include "score/numbers.h"

namespace vibe::report {

namespace {

constexpr std::size_t kMostSuite = 100000;  // code points of the suite's text
constexpr std::size_t kMostTree = 2000;     // sub-expressions

Badge gate_badge(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed: return {"passed", "Gate passed"};
    case Outcome::gate_failed: return {"failed", "Gate failed"};
    case Outcome::incomplete: return {"error", "Incomplete"};
  }
  std::abort();
}

std::string show_number(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "N/A";
}

std::string show_tokens(const std::optional<std::int64_t>& value) {
  return value && *value >= 0 ? grouped(static_cast<std::size_t>(*value)) : "N/A";
}

std::string run_line(const score::Run& run) {
  std::string out = "<p class=\"meta\">";
  const auto add = [&](std::string_view text) {
    out += fmt::format("<span><bdi>{}</bdi></span>", escaped(text));
  };
  add(run.model);
  if (is_replay(run)) add("recorded answers");
  add(show_time(run.created_at));
  if (run.duration) add(base::show_duration(*run.duration));
  return out + "</p>\n";
}

// ---- the score

void add_tree(std::string& out, const base::JsonValue& node, std::size_t& room) {
  if (room == 0) return;
  --room;
  out += fmt::format("<li><code>{}</code> <span class=\"value\">{}</span>",
                     escaped(node.text_of("expr")), show_number(node.number_of("value")));
  const auto* children = node.find("children");
  if (children && children->array() && !children->array()->empty()) {
    out += "<ul>\n";
    for (const auto& child : *children->array())
      if (!base::parse_double(child.text_of("expr"))) add_tree(out, child, room);
    out += "</ul>";
  }
  out += "</li>\n";
}

std::string tree(const score::Run& run) {
  const auto root = base::parse_json(run.explanation);
  if (!root || !root->object()) return {};
  std::string out = "<div class=\"card\">\n<ul class=\"tree\">\n";
  std::size_t room = kMostTree;
  add_tree(out, *root, room);
  out += "</ul>\n";
  if (room == 0) out += "<p class=\"none\">The rest is left out</p>\n";
  return out + "</div>\n";
}

std::string escaped_lines(std::string_view lines) {
  std::string out;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    out += (out.empty() ? "" : "<br>") + escaped(lines.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::string hero(const ReportedRun& reported) {
  const auto& run = reported.run;
  const auto verdict = judge(reported);
  const auto [style, word] = gate_badge(verdict.outcome);
  std::string out = "<div class=\"card hero\">\n<div class=\"score\"><p class=\"label\">Score</p>";
  out += fmt::format("<p class=\"number{}\">{}</p>{}</div>\n<dl class=\"figures\">\n",
                     run.score ? "" : " none", run.score ? score::show_score(*run.score) : "N/A",
                     badge(style, word));
  out += figure("Success", show_success(run),
                fmt::format("{} of {} passed", grouped(run.passed), grouped(run.results)));
  out += figure("Cost", show_dollars(run.total_cost),
                run.input_cost && run.output_cost
                    ? fmt::format("{} in, {} out", show_dollars(run.input_cost),
                                  show_dollars(run.output_cost))
                    : "");
  out += figure("Latency", show_seconds(metric_of(run, "avg_latency")),
                fmt::format("on average, at most {}", show_seconds(metric_of(run, "max_latency"))));
  out += figure("Tokens", show_tokens(run.completion_tokens),
                fmt::format("completion, {} prompt", show_tokens(run.prompt_tokens)));
  if (run.judge_cost != 0.0)
    out += figure("Judges", show_dollars(run.judge_cost), "in addition to the cost");
  out += "</dl>\n";
  if (verdict.outcome != Outcome::passed)
    out += fmt::format("<p class=\"note wide {}\">{}</p>\n", style, prose(verdict.text));
  if (!run.score_error.empty())
    out += fmt::format(
        "<p class=\"note wide error\">{}: {}</p>\n",
        run.score ? "The score is <code>on_undefined</code>, because the formula has no value"
                  : "There is no score",
        prose(run.score_error));
  out += fmt::format(
      "<p class=\"formula wide\"><span class=\"label\">Formula</span><code>{}</code></p>\n",
      escaped(run.score_formula));
  if (run.certainty)
    out += fmt::format("<p class=\"interval wide\">{}</p>\n",
                       escaped_lines(certainty_lines(run.certainty->score, run.certainty->level)));
  return out + "</div>\n";
}

std::string metric_table(const score::Run& run) {
  if (run.score_metrics.empty()) return {};
  std::string out =
      "<div class=\"card\">\n<table>\n<thead><tr><th scope=\"col\">Metric</th>"
      "<th scope=\"col\">Formula</th><th scope=\"col\" class=\"n\">Value</th></tr></thead>\n"
      "<tbody>\n";
  for (const auto& one : run.score_metrics)
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td data-label=\"Formula\"><code>{}</code></td>"
        "<td class=\"n\" data-label=\"Value\">{}</td></tr>\n",
        escaped(one.name), escaped(one.formula),
        one.value ? show_number(one.value)
                  : fmt::format("N/A<span class=\"why\">{}</span>", prose(one.error)));
  return out + "</tbody>\n</table>\n</div>\n";
}

std::string run_metric_table(const score::Run& run) {
  if (run.metrics.empty()) return {};
  std::string out = "<div class=\"card\">\n<dl class=\"figures plain\">\n";
  for (const auto& one : run.metrics) out += figure(escaped(one.name), show_number(one.value));
  return out + "</dl>\n</div>\n";
}

// ---- several models

std::string comparison_table(std::span<const ReportedRun> runs) {
  std::string out = "<div class=\"card\">\n<table>\n<thead><tr><th scope=\"col\">Model</th>";
  for (const auto& column : compared_figures())
    if (column.is_on_pages)
      out += fmt::format("<th scope=\"col\" class=\"n\">{}</th>", column.title);
  out += "<th scope=\"col\">Result</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& run = runs[i].run;
    out += fmt::format("<tr><th scope=\"row\"><a href=\"#run-{}\"><bdi>{}</bdi></a></th>", i + 1,
                       escaped(run.model));
    for (const auto& column : compared_figures()) {
      if (!column.is_on_pages) continue;
      const auto value = column.value(run);
      bool is_best = column.counts(run), all_equal = true;
      for (const auto& other : runs) {
        if (!is_best || &other.run == &run || !column.counts(other.run)) continue;
        all_equal = all_equal && *value == *column.value(other.run);
        is_best = column.is_as_good(run, other.run);
      }
      is_best = is_best && !all_equal;
      out += fmt::format("<td class=\"n{}\" data-label=\"{}\">{}{}</td>", is_best ? " best" : "",
                         column.title, value ? column.show(*value) : "N/A",
                         is_best ? "<span class=\"hidden\"> (best)</span>" : "");
    }
    const auto [style, word] = gate_badge(judge(runs[i]).outcome);
    out += fmt::format("<td>{}</td></tr>\n", badge(style, word));
  }
  return out + "</tbody>\n</table>\n</div>\n";
}

std::string fold(std::string_view title, std::string_view text, std::size_t most) {
  if (text.empty()) return {};
  const auto part = clip(text, most);
  return fmt::format(
      "<details class=\"fold\"><summary>{}{}</summary><pre dir=\"auto\">\n{}</pre>"
      "</details>\n",
      title,
      part.is_whole
          ? ""
          : fmt::format(" (the first {} of {} characters)", grouped(most), grouped(part.length)),
      escaped(part.text));
}

std::string about(const score::Run& run) {
  std::string out = "<div class=\"card\">\n<dl class=\"small\">\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty())
      out += fmt::format("<div><dt>{}</dt><dd><bdi>{}</bdi></dd></div>\n", name, escaped(value));
  };
  add("Run", run.id);
  add("Status", to_string(run.status));
  add("Started", show_time(run.created_at));
  add("Model", run.model);
  add("Answers", run.source);
  add("Suite", run.suite_path);
  add("vibe", run.version);
  out += "</dl>\n";
  constexpr std::size_t kMostSystem = 20000;
  out += fold("System prompt", run.system_prompt, kMostSystem);
  out += fold("The suite", run.suite_text, kMostSuite);
  return out + "</div>\n";
}

std::string body_of(const ReportedRun& reported, std::size_t number, int level,
                    std::size_t all_results, bool one_of_many) {
  std::string out = hero(reported);
  if (!one_of_many) out += heading(level, "At a glance") + charts(std::span(&reported, 1));
  const auto how = tree(reported.run) + metric_table(reported.run) + run_metric_table(reported.run);
  if (!how.empty()) out += heading(level, "How the score was computed") + how;
  out += fmt::format("<h{0} id=\"evals-{1}\">Evals</h{0}>\n", level, number) +
         eval_section(reported, number, level + 1, all_results);
  return out + heading(level, "About this run") + about(reported.run);
}

}  // namespace

std::string html(std::span<const ReportedRun> runs) {
  const auto& first = runs.front().run;
  std::size_t all_results = 0;
  for (const auto& one : runs) all_results += one.results.size();
  HtmlPage page{.title = fmt::format("{}: {}", base::printable(first.suite_name),
                                     runs.size() > 1 ? fmt::format("{} models", runs.size())
                                     : first.score   ? score::show_score(*first.score)
                                                     : "no score"),
                .skip_to = "evals-1",
                .skip = "Skip to the evals",
                .over = "vibe check",
                .heading = first.suite_name,
                .meta = {},
                .main = {},
                .version = first.version};
  if (runs.size() == 1) {
    page.meta = run_line(first);
    page.main =
        "<section class=\"run\" id=\"run-1\" aria-label=\"Run\">\n"
        "<h2 class=\"hidden\">Score</h2>\n" +
        body_of(runs[0], 1, 2, all_results, false) + "</section>\n";
    return html_document(page);
  }
  page.meta = fmt::format("<p class=\"meta\"><span>{} models</span><span>{}</span></p>\n",
                          runs.size(), show_time(first.created_at));
  page.main =
      "<h2>Side by side</h2>\n" + comparison_table(runs) + "<h2>At a glance</h2>\n" + charts(runs);
  for (std::size_t i = 0; i < runs.size(); ++i)
    page.main += fmt::format(
                     "<section class=\"run\" id=\"run-{0}\" aria-labelledby=\"model-{0}\">\n"
                     "<h2 id=\"model-{0}\"><bdi>{1}</bdi></h2>\n",
                     i + 1, escaped(runs[i].run.model)) +
                 body_of(runs[i], i + 1, 3, all_results, true) + "</section>\n";
  return html_document(page);
}

}  // namespace vibe::report
