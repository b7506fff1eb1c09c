#include "report/calibration.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/table.h"
#include "report/trend.h"

namespace vibe::report {

using fitness::Calibration;
using fitness::Separation;

namespace {

std::string verdict_in_full(const Separation& one) {
  const auto verdict = fitness::separates(one);
  if (verdict == fitness::Separates::unknown) return {};
  if (verdict == fitness::Separates::nothing) return "no";
  const std::string word = verdict == fitness::Separates::well ? "yes" : "weakly";
  return one.auc->value < 0.5 ? word + ", lower is better" : word;
}

std::string separation_table(const Calibration& found, const TextStyle& style) {
  Table table({{"Signal", Align::left, 10},
               {"Sessions", Align::right, 0},
               {"AUC", Align::right, 0},
               {"95 % interval", Align::left, 0},
               {"Rank correlation", Align::right, 0},
               {"Separates good from bad?", Align::left, 0}});
  for (const Separation& one : found.separations)
    table.add({one.name, fmt::format("{}", one.count),
               one.auc ? fmt::format("{:.3f}", one.auc->value) : "N/A",
               show_interval(one.auc ? std::optional(one.auc->interval) : std::nullopt, 3),
               one.rank_correlation ? fmt::format("{:+.2f}", *one.rank_correlation) : "N/A",
               verdict_in_full(one)});
  return table.to_text(style.width);
}

std::string term_table(const Calibration& found, const TextStyle& style) {
  Table table({{"Term", Align::left, 10},
               {"Weight", Align::right, 0},
               {"Fitted", Align::right, 0},
               {"", Align::left, 0}});
  for (const auto& term : found.terms)
    table.add({base::printable(term.expr), base::to_decimal(term.before, 4),
               base::to_decimal(term.after, 4),
               !term.fitted      ? "kept: no evidence here"
               : term.after == 0 ? "left out"
                                 : ""});
  return table.to_text(style.width);
}

std::string gain_text(const Calibration& found) {
  if (!found.gain) return {};
  std::string out = fmt::format(
      "AUC of the score: {:.3f} with the current weights, {:.3f} with fitted ones (each session is "
      "scored\n"
      "with weights fitted without it). The gain is {:+.3f}, 95 % interval {:+.3f} to {:+.3f}",
      *found.auc_before, *found.auc_after, found.gain->value, found.gain->interval.low,
      found.gain->interval.high);
  return out +
         (found.gain_within_noise()
              ? ":\nwithin noise. These outcomes do not show that the new weights are better.\n"
              : ".\n");
}

}  // namespace

std::string calibration_text(const wire::ReportedCalibration& reported, const TextStyle& style) {
  const Calibration& found = reported.found;
  std::string out =
      fmt::format("{} with an outcome: {} good, {} bad",
                  base::counted(found.good + found.bad, "session"), found.good, found.bad);
  if (reported.unlabelled > 0) out += fmt::format("; {} without one", reported.unlabelled);
  out += "\n\n" + separation_table(found, style);
  out +=
      "\nAUC: the probability that a good session has a higher value than a bad one; 0.5 means no "
      "separation.\n\n";
  if (found.terms.empty())
    return out + fmt::format("No weights are proposed: {}.\n", found.why_not);
  out += term_table(found, style) + "\n" + gain_text(found);
  if (found.with_gaps > 0)
    out += fmt::format("{} of {} lacked a term; the mean of the others was used.\n",
                       found.with_gaps, base::counted(found.fitted_on, "session"));
  out +=
      "Fitted weights may not suit other tasks, and outcomes are only as good as their labels.\n";
  if (reported.output)
    return out + fmt::format("\nwrote {}; use it with `--rubric {}`\n",
                             base::printable(*reported.output), base::printable(*reported.output));
  if (reported.proposal)
    return out + "\nProposed rubric (`--output FILE` writes it):\n\n" + *reported.proposal;
  return out + fmt::format("\nProposed formula: {}\n", base::printable(found.formula));
}

}  // namespace vibe::report
