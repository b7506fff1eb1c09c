#include "statistics/verdict.h"

#include <cmath>

#include "statistics/distributions.h"

namespace vibe::statistics {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::better: return "better";
    case Verdict::better_on_these_evals: return "better_on_these_evals";
    case Verdict::worse: return "worse";
    case Verdict::worse_on_these_evals: return "worse_on_these_evals";
    case Verdict::no_difference_that_matters: return "no_difference_that_matters";
    case Verdict::no_difference_shown: return "no_difference_shown";
  }
  return "no_difference_shown";
}

bool is_worse(Verdict verdict) {
  return verdict == Verdict::worse || verdict == Verdict::worse_on_these_evals;
}

Claim make_claim(const std::optional<score::Interval>& interval, const Test& test,
                 double difference, double level) {
  const bool by_test = test.p <= rounded(1 - level) && difference != 0;
  const bool by_interval = !interval || (difference > 0 ? interval->low > 0 : interval->high < 0);
  return {interval, test, by_test && by_interval, interval && by_test != by_interval};
}

namespace {

Verdict word_of(double difference, bool is_everywhere) {
  if (difference > 0) return is_everywhere ? Verdict::better : Verdict::better_on_these_evals;
  return is_everywhere ? Verdict::worse : Verdict::worse_on_these_evals;
}

std::optional<bool> not_worse(double margin, const std::optional<score::Interval>& narrow,
                              Verdict verdict) {
  if (narrow && narrow->low > -margin) return true;
  if (narrow && is_worse(verdict)) return false;
  return std::nullopt;
}

void decide(double difference, const Claim& these_evals, const Claim& other_evals,
            const std::optional<score::Interval>& narrow, const Thresholds& thresholds,
            Judgement& out) {
  const auto note = [&](NoteKind kind, const char* text) { out.notes.push_back({kind, text}); };
  const auto& margin = thresholds.margin;
  if (!these_evals.is_shown) {
    if (these_evals.is_borderline)
      note(NoteKind::borderline, "borderline: the interval and the test disagree");
    const bool is_inside = margin && narrow && narrow->low > -*margin && narrow->high < *margin;
    if (is_inside) out.verdict = Verdict::no_difference_that_matters;
    return;
  }
  const double size = std::abs(difference);
  if (margin && size < *margin)
    note(NoteKind::smaller_than_margin, "the difference is shown, but smaller than the margin");
  if (thresholds.min_effect && size < *thresholds.min_effect) {
    note(NoteKind::smaller_than_min_effect,
         "the difference is shown, but smaller than `--min-effect`");
    out.verdict = Verdict::no_difference_that_matters;
    return;
  }
  const auto& superior = thresholds.superior_by;
  if (difference > 0 && superior &&
      (!these_evals.interval || these_evals.interval->low < *superior)) {
    note(NoteKind::not_superior, "better, but not shown to be better by `--superior-by`");
    return;
  }
  out.verdict = word_of(difference, other_evals.is_shown);
}

}  // namespace

Judgement judge(double difference, const Claim& these_evals, const Claim& other_evals,
                const std::optional<score::Interval>& narrow, const Thresholds& thresholds) {
  Judgement out;
  decide(difference, these_evals, other_evals, narrow, thresholds, out);
  if (thresholds.not_worse_than)
    out.not_worse = not_worse(*thresholds.not_worse_than, narrow, out.verdict);
  return out;
}

}  // namespace vibe::statistics
