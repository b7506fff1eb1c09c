// A comparison as a page: the verdict, the difference with its intervals, and which evals and terms
// it is made of.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/compared.h"
#include "report/html_parts.h"
#include "report/markup.h"
#include "report/reported.h"
#include "score/numbers.h"

namespace vibe::report {

using statistics::Comparison;
using statistics::Verdict;

namespace {

constexpr std::size_t kMostBars = 10;  // of a waterfall; the rest is one bar
constexpr double kMargin = 6;

Badge verdict_badge(const Comparison& one) {
  if (!one.compared.judgement) return {"error", "No verdict"};
  switch (one.compared.judgement->verdict) {
    case Verdict::better:
    case Verdict::better_on_these_evals: return {"passed", "Better"};
    case Verdict::worse:
    case Verdict::worse_on_these_evals: return {"failed", "Worse"};
    case Verdict::no_difference_that_matters:
    case Verdict::no_difference_shown: return {"error", "No difference shown"};
  }
  return {"error", "No difference shown"};
}

// Places values on a horizontal axis.
class Axis {
 public:
  void cover(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  double at(double value) const {
    const double span = high_ > low_ ? high_ - low_ : 1;
    return kMargin + (kDrawingWidth - 2 * kMargin) * (value - low_) / span;
  }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double low_ = 0, high_ = 0;  // a difference of 0 is always shown
};

std::string bar(std::string_view style, double from, double to, int y, int height) {
  return fmt::format(
      "<rect class=\"{}\" x=\"{:.5g}\" y=\"{}\" width=\"{:.5g}\" height=\"{}\" rx=\"3\"/>", style,
      std::min(from, to), y, std::max(2.0, std::abs(to - from)), height);
}

std::string words_at(double x, int y, std::string_view text, std::string_view anchor = "start") {
  return fmt::format("<text x=\"{:.5g}\" y=\"{}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                     escaped(text));
}

// Beside a bar, not across the words above it.
std::string zero_line(const Axis& axis, int top, int bottom) {
  return fmt::format("<line class=\"mark\" x1=\"{0:.5g}\" y1=\"{1}\" x2=\"{0:.5g}\" y2=\"{2}\"/>",
                     axis.at(0), top, bottom);
}

// The difference, and where it would lie.
std::string interval_plot(const Comparison& one) {
  const auto& compared = one.compared;
  if (!compared.difference || !compared.these_evals) return {};
  constexpr int kRow = 34, kTop = 6, kBar = 10;
  Axis axis;
  axis.cover(*compared.difference);
  const std::pair<std::string_view, const statistics::Claim*> rows[] = {
      {"these evals", &*compared.these_evals}, {"other evals like these", &*compared.other_evals}};
  for (const auto& row : rows)
    if (row.second->interval) {
      axis.cover(row.second->interval->low);
      axis.cover(row.second->interval->high);
    }
  constexpr int kHeight = kTop + 2 * kRow + 16;
  std::string inside, words = "the difference is ";
  words += show_change(*compared.difference);
  int y = kTop;
  for (const auto& [about, claim] : rows) {
    inside += words_at(0, y + 8, about) + zero_line(axis, y + 11, y + 17 + kBar);
    if (claim->interval) {
      inside += bar(claim->is_shown ? "bar" : "ground", axis.at(claim->interval->low),
                    axis.at(claim->interval->high), y + 14, kBar);
      words += fmt::format("; {}: {} to {}", about, show_change(claim->interval->low),
                           show_change(claim->interval->high));
    }
    const double x = axis.at(*compared.difference);
    inside += fmt::format(
        "<line class=\"score-mark\" x1=\"{0:.5g}\" y1=\"{1}\" x2=\"{0:.5g}\" y2=\"{2}\"/>", x,
        y + 11, y + 17 + kBar);
    y += kRow;
  }
  inside += words_at(0, kHeight - 4, show_change(axis.low())) +
            words_at(kDrawingWidth, kHeight - 4, show_change(axis.high()), "end");
  return "<div class=\"card\">\n<h3>The difference</h3>\n<figure>\n" +
         drawing(kHeight, words, inside) +
         fmt::format("<figcaption>{}</figcaption>\n</figure>\n</div>\n", escaped(words));
}

struct Part {
  std::string name;
  double value = 0;
};

// From the base's score to the candidate's, a step for each part.
std::string waterfall(std::string_view title, std::vector<Part> parts, const Comparison& one) {
  std::erase_if(parts, [](const Part& part) { return part.value == 0; });
  if (parts.empty()) return {};
  if (parts.size() > kMostBars) {
    Part rest{fmt::format("{} others", parts.size() - kMostBars)};
    for (std::size_t i = kMostBars; i < parts.size(); ++i) rest.value += parts[i].value;
    parts.resize(kMostBars);
    parts.push_back(std::move(rest));
  }
  Axis axis;
  double so_far = 0;
  for (const Part& part : parts) axis.cover(so_far += part.value);
  constexpr int kRow = 30;
  const int height = kRow * static_cast<int>(parts.size()) + 4;
  std::string inside, words;
  so_far = 0;
  int y = 2;
  for (const Part& part : parts) {
    const double after = so_far + part.value;
    inside += words_at(0, y + 9, fmt::format("{} {}", part.name, show_change(part.value))) +
              zero_line(axis, y + 11, y + 25);
    inside += bar(part.value > 0 ? "pass" : "fail", axis.at(so_far), axis.at(after), y + 13, 10);
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", part.name, show_change(part.value));
    so_far = after;
    y += kRow;
  }
  const std::string from =
      one.compared.scores[0] && one.compared.scores[1]
          ? fmt::format("From {} to {}", score::show_score(*one.compared.scores[0]),
                        score::show_score(*one.compared.scores[1]))
          : std::string();
  return fmt::format("<div class=\"card\">\n<h3>{}</h3>\n<figure>\n", title) +
         drawing(height, words, inside) +
         fmt::format("<figcaption>{}</figcaption>\n</figure>\n</div>\n", escaped(from));
}

std::string hero(const Comparison& one) {
  const auto badge = verdict_badge(one);
  const auto number = [](const std::optional<double>& value) {
    return value ? score::show_score(*value) : "N/A";
  };
  const auto percent = [](const std::optional<double>& value) {
    return value ? score::show_percent(*value) : "N/A";
  };
  std::string out = fmt::format(
      "<div class=\"card hero\">\n<div class=\"score\"><p class=\"number\">{}</p>\n{}</div>\n"
      "<dl class=\"figures\">\n",
      one.compared.difference ? show_change(*one.compared.difference) : "N/A",
      report::badge(badge.style, badge.word));
  out += figure("Score", number(one.compared.scores[1]), "was " + number(one.compared.scores[0]));
  out += figure("Success", percent(one.candidate.success), "was " + percent(one.base.success));
  out += figure("Cost", show_dollars(one.candidate.cost), "was " + show_dollars(one.base.cost));
  out += figure("Latency", show_seconds(one.candidate.latency),
                "was " + show_seconds(one.base.latency));
  out += fmt::format(
      "</dl>\n<p class=\"formula wide\"><span class=\"label\">Formula</span>"
      "<code>{}</code></p>\n<p class=\"interval wide\">Verdict: {}",
      escaped(one.formula), escaped(verdict_words(one)));
  for (const auto& [about, text] : claim_sentences(one))
    out += fmt::format("<br>{}: {}", about, escaped(text));
  return out + "</p>\n</div>\n";
}

std::string notes(const Comparison& one) {
  std::string out = "<div class=\"card\">\n<ul class=\"notes\">\n";
  for (const auto& text : detail_sentences(one)) out += fmt::format("<li>{}</li>\n", prose(text));
  for (const auto& text : warning_sentences(one)) out += fmt::format("<li>{}</li>\n", prose(text));
  return out + "</ul>\n</div>\n";
}

std::string eval_table(const Comparison& one, bool answers) {
  std::string out =
      "<div class=\"card\">\n<table>\n<thead><tr><th scope=\"col\">Eval</th>"
      "<th scope=\"col\" class=\"n\">Base</th><th scope=\"col\" class=\"n\">Candidate</th>"
      "<th scope=\"col\" class=\"n\">Adds to the score</th></tr></thead>\n<tbody>\n";
  for (const auto& eval : one.evals) {
    out += fmt::format(
        "<tr><th scope=\"row\"><bdi>{}</bdi></th><td class=\"n\" data-label=\"Base\">{}</td>"
        "<td class=\"n\" data-label=\"Candidate\">{}</td>"
        "<td class=\"n\" data-label=\"Adds to the score\">{}</td></tr>\n",
        escaped(eval.name), score::show_percent(100 * eval.base),
        score::show_percent(100 * eval.candidate),
        eval.contribution ? show_change(*eval.contribution) : "N/A");
  }
  out += "</tbody>\n</table>\n</div>\n";
  if (!answers) return out;
  for (const auto& eval : one.evals) {
    if (eval.base == eval.candidate || eval.prompt.empty()) continue;
    out += fmt::format(
        "<div class=\"card\">\n<h3><bdi>{}</bdi></h3>\n<p class=\"label\">Prompt</p>\n"
        "<pre dir=\"auto\">\n{}</pre>\n<p class=\"label\">Base</p>\n<pre dir=\"auto\">\n{}</pre>\n"
        "<p class=\"label\">Candidate</p>\n<pre dir=\"auto\">\n{}</pre>\n</div>\n",
        escaped(eval.name), escaped(eval.prompt), escaped(eval.base_answer),
        escaped(eval.candidate_answer));
  }
  return out;
}

std::string section(const Comparison& one, const ComparedStyle& style) {
  std::vector<Part> evals, terms;
  for (const auto& eval : one.evals)
    if (eval.contribution) evals.push_back({eval.name, *eval.contribution});
  for (const auto& term : one.terms) terms.push_back({term.text, term.contribution});
  return fmt::format("<h2><bdi>{}</bdi> against <bdi>{}</bdi></h2>\n",
                     escaped(side_name(one.candidate)), escaped(side_name(one.base))) +
         hero(one) + "<div class=\"charts\" style=\"margin-top:1rem\">\n" + interval_plot(one) +
         waterfall("What each eval adds", std::move(evals), one) +
         waterfall("What each term of the formula adds", std::move(terms), one) + "</div>\n" +
         heading(3, "In words") + notes(one) + heading(3, "Evals") + eval_table(one, style.answers);
}

}  // namespace

std::string compared_html(std::span<const Comparison> comparisons, const ComparedStyle& style) {
  HtmlPage page;
  page.title = "vibe compare";
  page.skip_to = "comparisons";
  page.skip = "Skip to the comparisons";
  page.over = "vibe compare";
  page.heading = comparisons.size() == 1 ? verdict_words(comparisons.front())
                                         : fmt::format("{} comparisons", comparisons.size());
  page.meta =
      fmt::format("<p class=\"meta\"><span>Intervals at {:g} %</span></p>\n", 100 * style.level);
  page.main = "<div id=\"comparisons\">\n";
  for (const Comparison& one : comparisons) page.main += section(one, style);
  page.main += "</div>\n";
  for (const Comparison& one : comparisons)
    if (one.candidate.run) page.version = one.candidate.run->version;
  return html_document(page);
}

}  // namespace vibe::report
