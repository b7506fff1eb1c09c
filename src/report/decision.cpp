#include "report/decision.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/trend.h"

namespace vibe::report {

using fitness::Decision;
using fitness::DecisionSide;

namespace {

std::string side(std::string_view which, double score, const DecisionSide& from,
                 const std::optional<score::Interval>& interval) {
  std::string out = fmt::format("  {:<7} {:>6.2f}", which, score);
  if (!from.executions.empty())
    out += fmt::format("  {}, {} execution{}", base::printable(from.what), from.executions.size(),
                       from.executions.size() == 1 ? "" : "s");
  if (interval) out += fmt::format(", 95 % interval {}", show_interval(interval));
  return out + "\n";
}

std::string_view meaning(fitness::Reason reason) {
  switch (reason) {
    case fitness::Reason::significant_improvement: return "clearly better";
    case fitness::Reason::marginal_improvement: return "a little better";
    case fitness::Reason::exploration: return "not better, decided by chance";
    case fitness::Reason::regression: return "worse";
  }
  std::abort();
}

}  // namespace

std::string decision_text(const fitness::DecisionRecord& record,
                          const std::optional<score::Interval>& before,
                          const std::optional<score::Interval>& after, const TextStyle& style) {
  const Decision& made = record.decision;
  std::string verdict = made.accept ? "accept" : "reject";
  if (style.color) verdict = fmt::format("\x1b[{}m{}\x1b[0m", made.accept ? 32 : 31, verdict);
  std::string out =
      fmt::format("{}: {} ({})\n\n", verdict, to_string(made.reason), meaning(made.reason));
  out += side("old", made.old_score, record.before, before);
  out += side("new", made.new_score, record.after, after);
  out += fmt::format("  {:<7} {:>+6.2f}\n", "delta", made.delta);
  if (made.probability_better)
    out += fmt::format("  {:<7} {:>6.2f}  the probability that new is better\n", "better",
                       *made.probability_better);
  if (made.draw)
    out += fmt::format("  {:<7} {:>6.4f}  {}\n", "draw", *made.draw,
                       made.accept ? "low enough to explore" : "too high to explore");
  return out + fmt::format("  {:<7} {}  repeats it\n", "seed", made.seed);
}

}  // namespace vibe::report
