#include "report/compared.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "report/reported.h"
#include "report/run.h"
#include "score/numbers.h"

namespace vibe::report {

using statistics::Claim;
using statistics::Comparison;
using statistics::Verdict;

namespace {

constexpr std::size_t kMostNames = 5, kMostParts = 5;
constexpr std::size_t kChangedPrompt = 200, kChangedAnswer = 400;  // code points
constexpr std::size_t kAboutWidth = 24;

std::string show_score_or_none(const std::optional<double>& value) {
  return value ? score::show_score(*value) : "N/A";
}

std::string guard_value(const statistics::GuardResult& guard, const std::optional<double>& value) {
  const bool is_cost = guard.name.find("cost") != std::string::npos;
  return is_cost && value ? score::show_cost(*value) : show_score_or_none(value);
}

std::string between(const score::Interval& interval) {
  return fmt::format("between {} and {}", show_change(interval.low), show_change(interval.high));
}

std::string range(const score::Interval& interval) {
  return fmt::format("{} to {}", show_change(interval.low), show_change(interval.high));
}

std::string_view direction(double difference) { return difference > 0 ? "better" : "worse"; }

std::string these_text(const Comparison& one) {
  const Claim& claim = *one.compared.these_evals;
  const double difference = *one.compared.difference;
  // With one answer each, nothing is known about asking again but what other evals would show.
  const bool is_rerun = !one.compared.no_rerun;
  const std::string_view condition = is_rerun ? "asked again, " : "with other evals like these, ";
  if (!claim.is_shown)
    return claim.interval ? fmt::format("cannot tell: {}{}", condition, range(*claim.interval))
                          : "cannot tell";
  if (!claim.interval)
    return fmt::format("{}: by the test alone, there is no interval", direction(difference));
  return fmt::format("{}: {}the difference would lie {}", direction(difference), condition,
                     between(*claim.interval));
}

std::string others_text(const Comparison& one) {
  const Claim& claim = *one.compared.other_evals;
  const std::string_view word = claim.is_shown && one.compared.these_evals->is_shown
                                    ? direction(*one.compared.difference)
                                    : "cannot tell";
  if (claim.interval) return fmt::format("{}: {}", word, range(*claim.interval));
  const auto& why = one.compared.no_other_evals;
  return why ? fmt::format("{}: {}", word, base::printable(why->text)) : std::string(word);
}

std::string counts(const Comparison& one) {
  const auto& flips = one.flips;
  const std::size_t evals = one.evals.size();
  std::string out = fmt::format("{} eval{}", evals, evals == 1 ? "" : "s");
  if (one.questions > evals) out += fmt::format(" with {} cases", one.questions);
  if (one.most_answers > 1)
    out += one.least_answers == one.most_answers
               ? fmt::format(" × {}", one.most_answers)
               : fmt::format(" × {} to {}", one.least_answers, one.most_answers);
  out += fmt::format("; {} improved{}, {} got worse{}, {} the same", flips.won.size(),
                     flips.won.empty() ? "" : fmt::format(" ({})", some_of(flips.won)),
                     flips.lost.size(),
                     flips.lost.empty() ? "" : fmt::format(" ({})", some_of(flips.lost)),
                     flips.both + flips.neither);
  return out;
}

std::string figures(const Comparison& one) {
  const auto share = [](const std::optional<double>& value) {
    return value ? score::show_percent(*value) : "N/A";
  };
  return fmt::format("success {} → {}, cost {} → {}, latency {} → {}", share(one.base.success),
                     share(one.candidate.success), show_dollars(one.base.cost),
                     show_dollars(one.candidate.cost), show_seconds(one.base.latency),
                     show_seconds(one.candidate.latency));
}

// The parts that explain most, in order.
template <class Part, class Name, class Value>
std::string explained_by(const std::vector<Part>& parts, const Name& name, const Value& value) {
  std::string out;
  std::size_t shown = 0, all = 0;
  for (const Part& part : parts) {
    const std::optional<double> contribution = value(part);
    if (!contribution || *contribution == 0) continue;
    if (all++ >= kMostParts) continue;
    out += fmt::format("{}{} {}", shown++ == 0 ? "" : ", ", base::printable(name(part)),
                       show_change(*contribution));
  }
  if (all > shown) out += fmt::format(", and {} more", all - shown);
  return out;
}

std::string power_text(const Comparison& one) {
  const auto& compared = one.compared;
  std::string out;
  if (compared.smallest_on_these)
    out = fmt::format("smallest difference that this could have shown: {} (these evals)",
                      score::show_score(*compared.smallest_on_these));
  if (compared.power)
    out += fmt::format("{}{} (other evals)",
                       out.empty() ? "smallest difference that this could have shown: " : ", ",
                       score::show_score(compared.power->other_evals));
  return out;
}

std::string needed_text(const Comparison& one) {
  const auto& power = one.compared.power;
  if (!power || !power->needed) return {};
  const auto& needed = *power->needed;
  std::string out =
      fmt::format("for a difference of {} on other evals: ", score::show_score(needed.effect));
  if (needed.more_most == 0) {
    out += "there are enough evals";
  } else {
    out += needed.more_least == needed.more_most
               ? fmt::format("about {} evals more", needed.more_most)
               : fmt::format("about {}–{} evals more", needed.more_least, needed.more_most);
    if (one.cost_of_more)
      out += fmt::format(" (≈ {} for both runs)", score::show_enough(one.cost_of_more->most));
  }
  if (power->repeats_alone && !needed.repeats)
    out += fmt::format("; repeats alone cannot show less than {}",
                       score::show_score(*power->repeats_alone));
  else if (needed.repeats && needed.more_most > 0)
    out += fmt::format("; or {} answers per eval", *needed.repeats);
  return out;
}

std::string headline(const Comparison& one) {
  std::string out =
      fmt::format("{}    {} {}   {} {}", base::printable(one.formula), side_name(one.base),
                  show_score_or_none(one.compared.scores[0]), side_name(one.candidate),
                  show_score_or_none(one.compared.scores[1]));
  if (one.compared.difference) out += "   " + show_change(*one.compared.difference);
  return out + "\n";
}

void add_answers(const Comparison& one, std::string& out) {
  for (const auto& eval : one.evals) {
    if (eval.base == eval.candidate) continue;
    out += fmt::format("\n{} ({} → {})\n", base::printable(eval.name),
                       score::show_percent(100 * eval.base),
                       score::show_percent(100 * eval.candidate));
    const auto add = [&](std::string_view what, const std::string& text, std::size_t most) {
      if (!text.empty())
        out += fmt::format("  {}: {}\n", what,
                           base::shorten(base::fold_white_space(base::printable(text)), most));
    };
    add("prompt", eval.prompt, kChangedPrompt);
    add(side_name(one.base), eval.base_answer, kChangedAnswer);
    add(side_name(one.candidate), eval.candidate_answer, kChangedAnswer);
  }
}

}  // namespace

std::string show_change(double change) {
  return (change > 0 ? "+" : "") + score::show_score(change);
}

std::string some_of(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    out += (i == 0 ? "" : ", ") + base::printable(names[i]);
  if (names.size() > kMostNames) out += fmt::format(" and {} more", names.size() - kMostNames);
  return out;
}

std::string side_name(const statistics::ComparedSide& side) {
  constexpr std::size_t kIdCharacters = 13;  // of a UUID version 7: its whole time stamp
  if (!side.run) return base::printable(side.label);
  return side.model.empty() ? side.label.substr(0, kIdCharacters)
                            : fmt::format("{} ({})", side.label.substr(0, kIdCharacters),
                                          base::printable(side.model));
}

std::string verdict_words(const Comparison& comparison) {
  if (!comparison.compared.judgement) return "none, because a score is undefined";
  switch (comparison.compared.judgement->verdict) {
    case Verdict::better: return "better";
    case Verdict::better_on_these_evals: return "better on these evals";
    case Verdict::worse: return "worse";
    case Verdict::worse_on_these_evals: return "worse on these evals";
    case Verdict::no_difference_that_matters: return "no difference that matters";
    case Verdict::no_difference_shown: return "no difference shown";
  }
  return "no difference shown";
}

std::vector<Sentence> claim_sentences(const Comparison& comparison) {
  if (!comparison.compared.these_evals) return {};
  return {{"these evals", these_text(comparison)},
          {"other evals like these", others_text(comparison)}};
}

std::vector<std::string> detail_sentences(const Comparison& comparison) {
  std::vector<std::string> out{counts(comparison), figures(comparison)};
  const auto add = [&](std::string text) {
    if (!text.empty()) out.push_back(std::move(text));
  };
  const auto evals = explained_by(
      comparison.evals, [](const auto& eval) { return eval.name; },
      [](const auto& eval) { return eval.contribution; });
  add(evals.empty() ? "" : "by eval: " + evals);
  const auto terms = explained_by(
      comparison.terms, [](const auto& term) { return term.text; },
      [](const auto& term) { return std::optional(term.contribution); });
  add(terms.empty() || comparison.terms.size() < 2 ? "" : "by term: " + terms);
  add(power_text(comparison));
  add(needed_text(comparison));
  for (const auto& guard : comparison.guards)
    add(fmt::format("guard {}: {} → {}, {}", base::printable(guard.name),
                    guard_value(guard, guard.base), guard_value(guard, guard.candidate),
                    guard.is_worse ? "worse" : "not shown to be worse"));
  return out;
}

std::vector<std::string> warning_sentences(const Comparison& comparison) {
  std::vector<std::string> out;
  const auto add_list = [&](std::string_view what, const std::vector<std::string>& names) {
    if (!names.empty()) out.push_back(fmt::format("{}: {}", what, some_of(names)));
  };
  add_list("left out, only in the base", comparison.only_base);
  add_list("left out, only in the candidate", comparison.only_candidate);
  add_list("the prompt or the checks changed", comparison.changed);
  const auto add = [&](const std::string& text) { out.push_back(base::printable(text)); };
  for (const auto& note : comparison.compared.notes) add(note.text);
  if (comparison.compared.judgement)
    for (const auto& note : comparison.compared.judgement->notes) add(note.text);
  for (const auto& note : comparison.notes) add(note);
  if (!comparison.verdict_note.empty()) add(comparison.verdict_note);
  if (comparison.compared.no_rerun) add(comparison.compared.no_rerun->text);
  return out;
}

std::string compared_text(std::span<const Comparison> comparisons, const ComparedStyle& style) {
  std::string out;
  for (const Comparison& one : comparisons) {
    if (!out.empty()) out += "\n";
    out += headline(one);
    for (const auto& [about, text] : claim_sentences(one))
      out += fmt::format("  {:<{}}{}\n", about, kAboutWidth, text);
    for (const auto& text : detail_sentences(one)) out += fmt::format("  {}\n", text);
    for (const auto& text : warning_sentences(one)) out += fmt::format("  note: {}\n", text);
    if (style.answers) add_answers(one, out);
    out += fmt::format("verdict: {}\n", verdict_words(one));
  }
  if (comparisons.size() > 1)
    out += fmt::format(
        "\nThe verdicts allow for {} comparisons with one base (Holm); the intervals do not.\n",
        comparisons.size());
  return out;
}

}  // namespace vibe::report
