// Scored executions as one HTML page: no network, no scripts.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "report/executions.h"
#include "report/html_parts.h"
#include "report/markup.h"
#include "report/scored.h"
#include "report/table.h"

namespace vibe::report {

using fitness::ScoredExecution;

namespace {

constexpr std::size_t kMostCharts = 12;
constexpr std::size_t kMostOpenExecutions = 3;  // open at first
constexpr std::size_t kMostGrade = 12, kMostSession = 40;

std::string grade_badge(const ScoredExecution& scored) {
  return scored.score ? badge("grade", base::shorten(scored.grade, kMostGrade))
                      : badge("error", "no score");
}

// ---- the trend of one version

struct Scale {
  double least, most;
};

// 0 to 100, as in most rubrics; else the range of the scores.
Scale scale_of(std::span<const ScoredExecution> executions) {
  Scale out{0, 100};
  for (const auto& scored : executions)
    if (scored.score) {
      out.least = std::min(out.least, *scored.score);
      out.most = std::max(out.most, *scored.score);
    }
  return out;
}

// A label of the scale: `100` rather than `100.00`.
std::string tick(double value) {
  constexpr double kPlain = 1e6;
  return std::fabs(value) < kPlain ? base::to_decimal(value, 2) : show_points(value);
}

std::string trend(const VersionGroup& group, const Scale& scale) {
  constexpr int kTop = 12, kGround = 104, kHeight = 122;
  constexpr double kLeft = 6, kRight = kDrawingWidth - 6;
  const std::size_t count = group.executions.size();
  std::string line, dots;
  std::vector<double> known;
  bool is_drawn = false;  // the previous one
  for (std::size_t i = 0; i < count; ++i) {
    const auto& score = group.executions[count - 1 - i]->score;  // the oldest on the left
    if (!score) {
      is_drawn = false;
      continue;
    }
    const double part = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0.5;
    const double x = kLeft + part * (kRight - kLeft);
    const double share = (*score - scale.least) / (scale.most - scale.least);
    const double y = kGround - share * (kGround - kTop);
    line += fmt::format("{}{:.5g} {:.5g}", is_drawn ? 'L' : 'M', x, y);
    dots += fmt::format("<circle class=\"bar\" cx=\"{:.5g}\" cy=\"{:.5g}\" r=\"{}\"/>", x, y,
                        count > 60 ? "1.5" : "3");
    known.push_back(*score);
    is_drawn = true;
  }
  std::string words = fmt::format("{} execution{}", grouped(count), count == 1 ? "" : "s");
  if (known.empty()) {
    words += ", none with a score";
  } else {
    words += known.size() > 1
                 ? fmt::format(", {} → {}", show_points(known.front()), show_points(known.back()))
                 : fmt::format(", {}", show_points(known.front()));
    if (known.size() > 2)
      words += fmt::format(", lowest {}, highest {}",
                           show_points(*std::min_element(known.begin(), known.end())),
                           show_points(*std::max_element(known.begin(), known.end())));
  }
  const std::string inside = fmt::format(
      "<line class=\"axis\" x1=\"0\" y1=\"{0}.5\" x2=\"{1}\" y2=\"{0}.5\"/>"
      "<line class=\"axis\" x1=\"0\" y1=\"{2}.5\" x2=\"{1}\" y2=\"{2}.5\"/>"
      "<path class=\"line\" d=\"{3}\"/>{4}"
      "<text x=\"0\" y=\"{5}\">{6}</text><text x=\"0\" y=\"9\">{7}</text>",
      kGround, kDrawingWidth, kTop, line, dots, kHeight - 4, tick(scale.least), tick(scale.most));
  return fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n",
                     drawing(kHeight, "Scores, oldest first: " + words, inside), escaped(words));
}

std::string trends(std::span<const ScoredExecution> executions) {
  const auto groups = group_by_version(executions);
  const Scale scale = scale_of(executions);
  std::string out = "<div class=\"charts\">\n";
  for (std::size_t i = 0; i < std::min(groups.size(), kMostCharts); ++i)
    out += fmt::format("<div class=\"card\">\n<h3><bdi>{}</bdi></h3>\n{}</div>\n",
                       escaped(base::shorten(show_agent(groups[i].agent), kMostName)),
                       trend(groups[i], scale));
  out += "</div>\n";
  if (groups.size() > kMostCharts)
    out += fmt::format("<p class=\"none\">{} older versions are left out</p>\n",
                       grouped(groups.size() - kMostCharts));
  return out;
}

// ---- executions

std::string signal_table(const ScoredExecution& scored) {
  std::string out =
      "<table class=\"signals\">\n<thead><tr><th scope=\"col\">Signal</th><th scope=\"col\" "
      "class=\"n\">Value</th><th scope=\"col\">What it is</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < fitness::kSignals.size(); ++i)
    out += fmt::format(
        "<tr><th scope=\"row\"><code>{}</code></th><td class=\"n\" data-label=\"Value\">{}</td>"
        "<td>{}</td></tr>\n",
        fitness::kSignals[i].name, show_points(scored.signals[i]), prose(fitness::kSignals[i].doc));
  return out + "</tbody>\n</table>\n";
}

std::string facts(const ScoredExecution& scored) {
  const auto& one = scored.execution;
  std::string out = "<dl class=\"small\">\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty())
      out += fmt::format("<div><dt>{}</dt><dd><bdi>{}</bdi></dd></div>\n", name, escaped(value));
  };
  const auto seconds = [](const std::optional<double>& value) {
    return value ? base::show_duration(*value) : std::string();
  };
  add("Calls", fmt::format("{}, {} failed", one.tool_calls, one.failed));
  add("Repeats and retries", std::to_string(one.repeats + one.api_retries));
  add("Corrections", std::to_string(one.corrections));
  add("Time", seconds(one.duration));
  add("Active", seconds(one.active));
  if (one.cost) add("Cost", show_dollars(one.cost));
  add("Task", fmt::format("{}, {}", to_string(scored.task_type), to_string(scored.complexity)));
  add("Model", one.model);
  add("Session", one.id);
  add("Log", one.file);
  add("Rubric", scored.rubric);
  add("Execution", scored.id);
  return out + "</dl>\n";
}

std::string execution(const ScoredExecution& scored, bool open) {
  const auto& one = scored.execution;
  std::string out = fmt::format(
      "<details class=\"eval\"{}>\n<summary>{}<h3 class=\"name\"><bdi>{}</bdi></h3>"
      "<span class=\"figs\"><span>{}</span><span>{} calls</span><span>{}</span></span></summary>\n"
      "<div class=\"body\">\n",
      open ? " open" : "", grade_badge(scored),
      escaped(fmt::format("{} · {}", base::shorten(show_agent(scored.agent), kMostName),
                          base::shorten(name_of(one), kMostSession))),
      show_points(scored.score),
      grouped(static_cast<std::size_t>(std::max<std::int64_t>(one.tool_calls, 0))),
      show_time(scored.time()));
  if (!scored.score)
    out += fmt::format("<p class=\"note error\">There is no score: {}</p>\n", prose(scored.error));
  else if (!scored.meaning.empty())
    out += fmt::format("<p>{}</p>\n", escaped(scored.meaning));
  out += signal_table(scored) + facts(scored);
  if (!one.notes.empty()) {
    out += "<h4>Notes</h4>\n<ul class=\"notes\">\n";
    for (const auto& note : one.notes) out += fmt::format("<li>{}</li>\n", prose(note));
    out += "</ul>\n";
  }
  return out + "</div>\n</details>\n";
}

std::string summary(std::span<const ScoredExecution> executions) {
  const ScoredExecution& newest = executions.front();
  std::vector<double> known;
  for (const auto& scored : executions)
    if (scored.score) known.push_back(*scored.score);
  std::string out =
      "<div class=\"card hero\">\n<div class=\"score\"><p class=\"label\">Newest shown</p>";
  out += fmt::format("<p class=\"number{}\">{}</p>{}</div>\n<dl class=\"figures\">\n",
                     newest.score ? "" : " none", show_points(newest.score), grade_badge(newest));
  out += figure("Executions", grouped(executions.size()),
                fmt::format("{} with a score", grouped(known.size())));
  out += figure("Agent versions", grouped(group_by_version(executions).size()));
  if (!known.empty()) {
    out += figure("Highest", show_points(*std::max_element(known.begin(), known.end())));
    out += figure("Lowest", show_points(*std::min_element(known.begin(), known.end())));
  }
  out += "</dl>\n";
  if (newest.score && !newest.meaning.empty())
    out += fmt::format("<p class=\"wide\">{}</p>\n", escaped(newest.meaning));
  return out + "</div>\n";
}

}  // namespace

std::string scored_html(const ScoredReport& report) {
  constexpr std::size_t kMany = 50;
  const auto& executions = report.executions;
  const std::string about = report.about.empty() ? "Agent executions" : report.about;
  HtmlPage page{.title = fmt::format("{}: fitness", base::printable(about)),
                .skip_to = "executions",
                .skip = "Skip to the executions",
                .over = "vibe fitness",
                .heading = about,
                .meta = {},
                .main = {},
                .version = report.version};
  if (executions.empty()) {
    page.main = "<p class=\"none\" id=\"executions\">There are no executions</p>\n";
    return html_document(page);
  }
  page.meta = fmt::format(
      "<p class=\"meta\"><span>{}</span><span>{} to {}</span></p>\n",
      executions.size() < report.total
          ? fmt::format("{} of {}{} executions", grouped(executions.size()), grouped(report.total),
                        report.total < store::kMostCounted ? "" : " or more")
          : fmt::format("{} execution{}", grouped(executions.size()),
                        executions.size() == 1 ? "" : "s"),
      show_time(executions.back().time()), show_time(executions.front().time()));
  page.main = "<h2 class=\"hidden\">Summary</h2>\n" + summary(executions) + heading(2, "Trend") +
              trends(executions);
  page.main += fmt::format("<h2 id=\"executions\">Executions</h2>\n<div class=\"evals{}\">\n",
                           executions.size() > kMany ? " many" : "");
  for (std::size_t i = 0; i < executions.size(); ++i)
    page.main += execution(executions[i], i < kMostOpenExecutions);
  page.main += "</div>\n";
  return html_document(page);
}

}  // namespace vibe::report
