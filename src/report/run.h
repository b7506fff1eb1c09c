// A run as text: the list of its evals, the summary, the comparison of several runs, the table of
// many. Pure: returns text, prints nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "score/run.h"
#include "score/score.h"
#include "store/archive.h"

namespace vibe::report {

struct TextStyle {
  bool color = false;
  std::size_t width = 100;
};

// Each eval: passed or not, cost, latency, and what its checks found. Repeats of one eval are
// grouped. `quiet`: only what did not pass.
std::string eval_list(std::span<const score::Result> results, bool quiet, const TextStyle& style);

// The lines after the block that begins with `=== Run Summary ===` (report/score.h).
std::string run_footer(const score::Run& run);

// A stored run's score for report/score.h, without its explanation. With the results it also has
// how many samples the token counts cover, if not all.
score::Score score_of(const score::Run& run, std::span<const score::Result> results = {});

// Several models on the same suite, the best figure of each column marked.
std::string comparison(std::span<const score::Run> runs, const TextStyle& style);

std::string run_table(std::span<const score::Run> runs, score::Millis now, const TextStyle& style);

// How many leading characters make all ids (UUIDs version 7) unique.
std::size_t telling_width(std::vector<std::string_view> ids);

// How many there are, and how to see the next page; empty on the last page.
std::string page_line(const store::RunPage& page);
std::string page_line(std::string_view what, std::size_t shown, std::size_t total,
                      std::string_view next);

// `weighted  ▁▃▅█  12.00 → 45.23`: the scores of a suite's runs, oldest first, with the name padded
// to `name_width` columns. Empty if no run has a score.
std::string trend_line(std::string_view suite, const std::vector<std::optional<double>>& scores,
                       std::size_t name_width);

// The full prompts and responses. `quiet`: only of what did not pass.
std::string responses(std::span<const score::Result> results, bool quiet);

std::string ago(score::Millis then, score::Millis now);  // `5 min ago`

}  // namespace vibe::report
