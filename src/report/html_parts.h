// The parts of HTML reports. Only for html.cpp and scored_html.cpp. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/reported.h"

namespace vibe::report {

// The whole document around the content.
struct HtmlPage {
  std::string title;
  std::string skip_to, skip;  // the id of the main part, and the text of the link to it
  std::string over, heading;  // `vibe check`, and the subject
  std::string meta;           // lines of markup below the heading
  std::string main;           // markup
  std::string version;        // of the program
};
std::string html_document(const HtmlPage& page);

std::string heading(int level, std::string_view text);
// A row of a list of figures; `name` is markup.
std::string figure(std::string_view name, std::string_view value, std::string_view more = {});
inline constexpr std::size_t kMostName = 200;  // code points of a name
std::string show_time(score::Millis time);     // `2026-11-16 01:24 UTC`
inline constexpr int kDrawingWidth = 320;      // units, about a pixel each
std::string drawing(int height, std::string_view label, std::string_view inside);

// The CSS class, and the word that says the same.
struct Badge {
  std::string_view style, word;
};
Badge badge_of(score::ResultStatus status);
std::string badge(std::string_view style, std::string_view word);

// Outcomes, latencies and costs as SVG, one figure per run, on the same scale.
std::string charts(std::span<const ReportedRun> runs);

// Every sample with its checks and texts, and a filter. `number` identifies the run within the
// document, `level` is the heading level of the evals.
std::string eval_section(const ReportedRun& reported, std::size_t number, int level,
                         std::size_t all_results);

}  // namespace vibe::report
