// Comparisons of runs as people read them: on the terminal, as Markdown for a pull request, and as
// a page. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "statistics/comparison.h"

namespace vibe::report {

struct ComparedStyle {
  double level = 0.95;
  bool answers = false;  // prompt and both answers of evals that changed
};

// The verdict's last line is `verdict: …`. Lines end with line breaks.
std::string compared_text(std::span<const statistics::Comparison> comparisons,
                          const ComparedStyle& style);
std::string compared_markdown(std::span<const statistics::Comparison> comparisons,
                              const ComparedStyle& style);
std::string compared_html(std::span<const statistics::Comparison> comparisons,
                          const ComparedStyle& style);

// ---- the sentences that all of them share

std::string verdict_words(const statistics::Comparison& comparison);  // `better on these evals`
std::string show_change(double change);                               // `+173.00`
// A run's id without its end, as far as it tells the runs apart; a file's name.
std::string side_name(const statistics::ComparedSide& side);

struct Sentence {
  std::string about, text;  // `these evals`, `better: asked again, the difference …`
};
// What is shown on these evals and on others, and what could have been shown.
std::vector<Sentence> claim_sentences(const statistics::Comparison& comparison);
std::vector<std::string> detail_sentences(const statistics::Comparison& comparison);
// Without a partner, with changed prompts, notes.
std::vector<std::string> warning_sentences(const statistics::Comparison& comparison);
// `a, b, c and 4 more`
std::string some_of(const std::vector<std::string>& names);

}  // namespace vibe::report
