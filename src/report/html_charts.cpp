#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "report/html_parts.h"
#include "report/markup.h"
#include "report/table.h"
#include "score/numbers.h"

namespace vibe::report {

namespace {

constexpr int kWidth = kDrawingWidth;

struct Counts {
  std::size_t passed = 0, failed = 0, errors = 0;
};

Counts count_outcomes(std::span<const score::Result> results) {
  Counts out;
  for (const auto& result : results) switch (result.status) {
      case score::ResultStatus::passed: ++out.passed; break;
      case score::ResultStatus::failed: ++out.failed; break;
      case score::ResultStatus::error: ++out.errors; break;
    }
  return out;
}

// ---- outcomes: a mark for each sample, in the order of the suite

std::string marks(std::span<const score::Result> results, int& height) {
  const double area = 320.0 * 150 / static_cast<double>(std::max<std::size_t>(results.size(), 1));
  const int pitch = std::clamp(static_cast<int>(std::sqrt(area)), 2, 28);
  const auto columns = static_cast<std::size_t>(kWidth / pitch);
  const double full = pitch > 4 ? pitch - 2 : pitch - 0.5, dot = full * 0.55;
  std::string passed, failed, errors;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double x = static_cast<double>(i % columns) * pitch + full / 2;
    const std::size_t line = i / columns;
    const double y = static_cast<double>(line) * pitch + full / 2;
    switch (results[i].status) {
      case score::ResultStatus::passed:
        passed += fmt::format("M{:.5g} {:.5g}h{:.3g}v{:.3g}h-{:.3g}z", x - dot / 2, y - dot / 2,
                              dot, dot, dot);
        break;
      case score::ResultStatus::failed:
        failed += fmt::format("M{:.5g} {:.5g}h{:.3g}v{:.3g}h-{:.3g}z", x - full / 2, y - full / 2,
                              full, full, full);
        break;
      case score::ResultStatus::error:
        errors +=
            fmt::format("M{:.5g} {:.5g}l{:.3g} {:.3g}l-{:.3g} {:.3g}l-{:.3g} -{:.3g}z", x,
                        y - full / 2, full / 2, full / 2, full / 2, full / 2, full / 2, full / 2);
        break;
    }
  }
  height = static_cast<int>((results.size() + columns - 1) / columns) * pitch;
  return fmt::format(
      "<path class=\"pass\" d=\"{}\"/><path class=\"fail\" d=\"{}\"/><path class=\"err\" "
      "d=\"{}\"/>",
      passed, failed, errors);
}

std::string share_bar(const Counts& counts) {
  const auto all = static_cast<double>(counts.passed + counts.failed + counts.errors);
  std::string out;
  double x = 0;
  const auto add = [&](std::size_t some, std::string_view style, double y, double height) {
    const double width = kWidth * static_cast<double>(some) / std::max(all, 1.0);
    if (some > 0)
      out +=
          fmt::format("<rect class=\"{}\" x=\"{:.5g}\" y=\"{}\" width=\"{:.5g}\" height=\"{}\"/>",
                      style, x, y, std::max(width - 1, 0.5), height);
    x += width;
  };
  add(counts.passed, "pass", 4, 6);  // thinner: do not rely on colour alone
  add(counts.failed, "fail", 0, 14);
  add(counts.errors, "err", 2, 10);
  return out;
}

std::string outcomes(const ReportedRun& reported) {
  constexpr std::size_t kMostMarks = 6000;
  const auto counts = count_outcomes(reported.results);
  std::string inside;
  int height = 14;
  if (reported.results.size() > kMostMarks)
    inside = share_bar(counts);
  else
    inside = marks(reported.results, height);
  std::string out = drawing(std::max(height, 8),
                            fmt::format("{} samples passed, {} failed, {} could not be judged",
                                        counts.passed, counts.failed, counts.errors),
                            inside);
  out += fmt::format(
      "<figcaption class=\"legend\"><span class=\"key passed\">{} passed</span><span class=\"key "
      "failed\">{} failed</span>",
      grouped(counts.passed), grouped(counts.failed));
  if (counts.errors > 0)
    out += fmt::format("<span class=\"key error\">{} could not be judged</span>",
                       grouped(counts.errors));
  return out + "</figcaption>\n";
}

// ---- latencies: how many samples took how long

std::vector<double> latencies(const ReportedRun& reported) {
  std::vector<double> out;
  for (const auto& result : reported.results)
    if (result.latency) out.push_back(*result.latency);
  std::sort(out.begin(), out.end());
  return out;
}

double quantile(const std::vector<double>& sorted, double part) {
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

std::string latency_figure(const ReportedRun& reported, double longest) {
  const auto sorted = latencies(reported);
  if (sorted.empty()) return "<p class=\"none\">Latency unknown</p>\n";
  constexpr std::size_t kBins = 24;
  constexpr int kGround = 96, kHeight = 114;
  std::array<std::size_t, kBins> bins{};
  const double scale = longest > 0 ? longest : 1;
  for (const double value : sorted)
    ++bins[std::min(kBins - 1, static_cast<std::size_t>(value / scale * kBins))];
  const auto most = static_cast<double>(*std::max_element(bins.begin(), bins.end()));
  std::string inside;
  constexpr double kStep = static_cast<double>(kWidth) / kBins;
  for (std::size_t i = 0; i < kBins; ++i) {
    if (bins[i] == 0) continue;
    const double height = std::max(2.0, 80 * static_cast<double>(bins[i]) / most);
    inside += fmt::format(
        "<rect class=\"bar\" x=\"{:.5g}\" y=\"{:.5g}\" width=\"{:.4g}\" height=\"{:.4g}\"/>",
        static_cast<double>(i) * kStep + 1, kGround - height, kStep - 2, height);
  }
  const double median = quantile(sorted, 0.5), late = quantile(sorted, 0.95);
  const double x = kWidth * median / scale;
  inside += fmt::format(
      "<line class=\"axis\" x1=\"0\" y1=\"{0}.5\" x2=\"{1}\" y2=\"{0}.5\"/>"
      "<line class=\"mark\" x1=\"{2:.5g}\" y1=\"12\" x2=\"{2:.5g}\" y2=\"{0}\"/>"
      "<text class=\"ink\" x=\"{3:.5g}\" y=\"9\" text-anchor=\"{4}\">median {5:.2f} s</text>"
      "<text x=\"0\" y=\"{6}\">0 s</text>"
      "<text x=\"{1}\" y=\"{6}\" text-anchor=\"end\">{7:.2f} s</text>",
      kGround, kWidth, x, std::clamp(x, 0.0, double{kWidth}),
      x < 50            ? "start"
      : x > kWidth - 50 ? "end"
                        : "middle",
      median, kHeight - 4, scale);
  const std::string words = fmt::format("median {:.2f} s, 95 % within {:.2f} s, longest {:.2f} s",
                                        median, late, sorted.back());
  return drawing(kHeight, "Latency: " + words, inside) +
         fmt::format("<figcaption>{}</figcaption>\n", escaped(words));
}

// ---- scores, and how sure they are

// The ends of all intervals and the scores, for one scale.
score::Interval range_of(std::span<const ReportedRun> runs) {
  std::optional<score::Interval> out;
  const auto add = [&](double low, double high) {
    if (!out) out = {low, high};
    out = {std::min(out->low, low), std::max(out->high, high)};
  };
  for (const auto& one : runs) {
    if (one.run.score) add(*one.run.score, *one.run.score);
    if (!one.run.certainty) continue;
    for (const auto* interval :
         {&one.run.certainty->score.other_evals, &one.run.certainty->score.rerun})
      if (*interval) add((*interval)->low, (*interval)->high);
  }
  return out.value_or(score::Interval{});
}

std::string score_figure(const ReportedRun& reported, const score::Interval& range) {
  if (!reported.run.score) return "<p class=\"none\">No score</p>\n";
  constexpr int kHeight = 58, kMiddle = 20, kGround = 40;
  const double span = range.high > range.low ? range.high - range.low : 1;
  const auto at = [&](double value) { return 6 + (kWidth - 12) * (value - range.low) / span; };
  std::string inside, words = "score " + score::show_score(*reported.run.score);
  const auto add = [&](const std::optional<score::Interval>& interval, std::string_view style,
                       int height, std::string_view what) {
    if (!interval) return;
    inside += fmt::format(
        "<rect class=\"{}\" x=\"{:.5g}\" y=\"{}\" width=\"{:.5g}\" height=\"{}\" rx=\"3\"/>", style,
        at(interval->low), kMiddle - height / 2,
        std::max(2.0, at(interval->high) - at(interval->low)), height);
    words += fmt::format(", {} {} to {}", what, score::show_score(interval->low),
                         score::show_score(interval->high));
  };
  if (reported.run.certainty) {
    add(reported.run.certainty->score.other_evals, "ground", 16, "other evals like these");
    add(reported.run.certainty->score.rerun, "bar", 6, "asked again");
  }
  const double x = at(*reported.run.score);
  inside += fmt::format(
      "<line class=\"score-mark\" x1=\"{0:.5g}\" y1=\"{1}\" x2=\"{0:.5g}\" y2=\"{2}\"/>"
      "<line class=\"axis\" x1=\"0\" y1=\"{3}.5\" x2=\"{4}\" y2=\"{3}.5\"/>"
      "<text x=\"0\" y=\"{5}\">{6}</text><text x=\"{4}\" y=\"{5}\" text-anchor=\"end\">{7}</text>",
      x, kMiddle - 14, kMiddle + 14, kGround, kWidth, kHeight - 4, score::show_score(range.low),
      score::show_score(range.high));
  return drawing(kHeight, words, inside) +
         fmt::format("<figcaption>{}</figcaption>\n", escaped(words));
}

// ---- costs: the most expensive evals

// The mean cost of a sample of each eval.
std::map<std::string_view, double> costs(const ReportedRun& reported) {
  std::map<std::string_view, std::pair<double, double>> sums;
  for (const auto& result : reported.results)
    if (result.cost) {
      sums[result.eval_name].first += *result.cost;
      sums[result.eval_name].second += 1;
    }
  std::map<std::string_view, double> out;
  for (const auto& [name, sum] : sums) out[name] = sum.first / sum.second;
  return out;
}

// `most` is the highest cost of all runs, for one scale.
std::string cost_figure(const ReportedRun& reported, double most) {
  constexpr std::size_t kMostCostBars = 8;
  const auto known = costs(reported);
  if (known.empty()) return "<p class=\"none\">Cost unknown</p>\n";
  std::vector<std::pair<std::string_view, double>> evals(known.begin(), known.end());
  std::sort(evals.begin(), evals.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (evals.size() > kMostCostBars) evals.resize(kMostCostBars);
  constexpr int kRow = 28;
  constexpr std::size_t kNameColumns = 34;
  std::string inside, words;
  for (std::size_t i = 0; i < evals.size(); ++i) {
    const std::string shown = score::show_cost(evals[i].second);
    const double width = most <= 0 ? 0 : kWidth * evals[i].second / most;
    const int y = static_cast<int>(i) * kRow;
    inside += fmt::format(
        "<svg y=\"{}\" width=\"250\" height=\"16\"><text class=\"ink\" x=\"0\" "
        "y=\"11\">{}</text></svg>"
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
        "<rect class=\"ground\" x=\"0\" y=\"{}\" width=\"{}\" height=\"6\" rx=\"3\"/>"
        "<rect class=\"bar\" x=\"0\" y=\"{}\" width=\"{:.4g}\" height=\"6\" rx=\"3\"/>",
        y, escaped(fit(evals[i].first, kNameColumns)), kWidth, y + 11, shown, y + 16, kWidth,
        y + 16, width);
    words += fmt::format("{}{} {}", i > 0 ? ", " : "", fit(evals[i].first, kNameColumns), shown);
  }
  std::string out = drawing(static_cast<int>(evals.size()) * kRow, "Cost: " + words, inside);
  return out + fmt::format("<figcaption>mean per sample{}</figcaption>\n",
                           evals.size() < known.size()
                               ? fmt::format("; the {} most expensive of {} evals", evals.size(),
                                             grouped(known.size()))
                               : "");
}

template <class Draw>
std::string card(std::string_view title, std::span<const ReportedRun> runs, const Draw& draw) {
  std::string out = fmt::format("<div class=\"card\">\n<h3>{}</h3>\n", title);
  for (const auto& one : runs) {
    out += "<figure>\n";
    if (runs.size() > 1)
      out += fmt::format("<p class=\"of\"><bdi>{}</bdi></p>\n", escaped(one.run.model));
    out += draw(one) + "</figure>\n";
  }
  return out + "</div>\n";
}

}  // namespace

std::string charts(std::span<const ReportedRun> runs) {
  double longest = 0, most_expensive = 0;
  for (const auto& one : runs) {
    for (const auto& [name, cost] : costs(one)) most_expensive = std::max(most_expensive, cost);
    const auto sorted = latencies(one);
    if (!sorted.empty()) longest = std::max(longest, sorted.back());
  }
  const score::Interval range = range_of(runs);
  return "<div class=\"charts\">\n" +
         card("Score, 95 % intervals", runs,
              [&](const ReportedRun& one) { return score_figure(one, range); }) +
         card("Outcome of each sample", runs, outcomes) +
         card("Latency", runs,
              [&](const ReportedRun& one) { return latency_figure(one, longest); }) +
         card("Cost of each eval", runs,
              [&](const ReportedRun& one) { return cost_figure(one, most_expensive); }) +
         "</div>\n";
}

}  // namespace vibe::report
