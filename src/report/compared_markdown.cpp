// A comparison as a comment for a pull request: what changed against the base.
#include <fmt/format.h>

#include "base/text.h"
#include "report/compared.h"
#include "report/markup.h"
#include "report/reported.h"
#include "score/numbers.h"

namespace vibe::report {

using statistics::Comparison;
using statistics::Verdict;

namespace {

constexpr std::size_t kMostRows = 30, kMostChangedText = 600;

std::string_view icon(const Comparison& one) {
  if (!one.compared.judgement) return "⚠️";
  switch (one.compared.judgement->verdict) {
    case Verdict::better:
    case Verdict::better_on_these_evals: return "✅";
    case Verdict::worse:
    case Verdict::worse_on_these_evals: return "❌";
    case Verdict::no_difference_that_matters:
    case Verdict::no_difference_shown: return "➖";
  }
  return "➖";
}

std::string row(std::string_view name, std::string_view base, std::string_view candidate,
                std::string_view change) {
  return fmt::format("| {} | {} | {} | {} |\n", name, base, candidate, change);
}

template <class Show>
std::string figure_row(std::string_view name, const std::optional<double>& base,
                       const std::optional<double>& candidate, const Show& show) {
  std::string change = "N/A";
  if (base && candidate && *base != 0)
    change = fmt::format("{:+.1f} %", 100 * (*candidate - *base) / *base);
  return row(name, show(base), show(candidate), change);
}

std::string figures_table(const Comparison& one) {
  const auto score = [](const std::optional<double>& value) {
    return value ? score::show_score(*value) : "N/A";
  };
  const auto percent = [](const std::optional<double>& value) {
    return value ? score::show_percent(*value) : "N/A";
  };
  std::string out = "| | Base | Candidate | Change |\n|---|---:|---:|---:|\n";
  const auto& compared = one.compared;
  out += row("**Score**", score(compared.scores[0]), score(compared.scores[1]),
             compared.difference ? show_change(*compared.difference) : "N/A");
  out += figure_row("Success", one.base.success, one.candidate.success, percent);
  out += figure_row("Cost", one.base.cost, one.candidate.cost,
                    [](const auto& value) { return show_dollars(value); });
  out += figure_row("Latency", one.base.latency, one.candidate.latency,
                    [](const auto& value) { return show_seconds(value); });
  return out + "\n";
}

std::string changed_evals(const Comparison& one, bool answers) {
  std::string rows;
  std::size_t shown = 0, all = 0;
  for (const auto& eval : one.evals) {
    if (eval.base == eval.candidate || all++ >= kMostRows) continue;
    ++shown;
    rows += row(fmt::format("{} {}", eval.candidate > eval.base ? "✅" : "❌", cell(eval.name)),
                score::show_percent(100 * eval.base), score::show_percent(100 * eval.candidate),
                eval.contribution ? show_change(*eval.contribution) : "");
  }
  if (shown == 0) return {};
  std::string out =
      "<details><summary>Evals that changed</summary>\n\n"
      "| Eval | Base | Candidate | Adds to the score |\n|---|---:|---:|---:|\n" +
      rows;
  if (all > shown) out += fmt::format("\n{} more are not shown.\n", all - shown);
  if (answers)
    for (const auto& eval : one.evals) {
      if (eval.base == eval.candidate || eval.prompt.empty()) continue;
      out +=
          fmt::format("\n{}\n\n- prompt: {}\n- base: {}\n- candidate: {}\n", cell(eval.name),
                      code(eval.prompt, kMostChangedText), code(eval.base_answer, kMostChangedText),
                      code(eval.candidate_answer, kMostChangedText));
    }
  return out + "\n</details>\n\n";
}

}  // namespace

std::string compared_markdown(std::span<const Comparison> comparisons, const ComparedStyle& style) {
  std::string out = "<!-- vibe compare -->\n";
  for (const Comparison& one : comparisons) {
    out += fmt::format("### {} {}\n\n{} against {}, by {}\n\n", icon(one), verdict_words(one),
                       code(side_name(one.candidate)), code(side_name(one.base)),
                       code(one.formula, 400));
    out += figures_table(one);
    for (const auto& [about, text] : claim_sentences(one))
      out += fmt::format("- {}: {} ({:g} %)\n", about, escaped(text), 100 * style.level);
    for (const auto& text : detail_sentences(one)) out += fmt::format("- {}\n", code(text, 400));
    for (const auto& text : warning_sentences(one))
      out += fmt::format("- note: {}\n", code(text, 400));
    out += "\n" + changed_evals(one, style.answers);
  }
  if (comparisons.size() > 1)
    out += fmt::format(
        "The verdicts allow for {} comparisons with one base (Holm); the intervals do not.\n",
        comparisons.size());
  return out;
}

}  // namespace vibe::report
