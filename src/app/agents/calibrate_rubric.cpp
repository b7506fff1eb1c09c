#include "app/agents/calibrate_rubric.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "app/agents/outcome_labels.h"
#include "app/write_new_file.h"
#include "base/text.h"
#include "fitness/proposed_rubric.h"

namespace vibe::app {

namespace {

using base::Code;
using fitness::Calibration;

class ByName {
 public:
  explicit ByName(const std::vector<OutcomeLabel>& labels) : labels_(labels), used_(labels.size()) {
    for (std::size_t i = 0; i < labels.size(); ++i) places_.emplace(labels[i].session, i);
  }

  const OutcomeLabel* find(const trace::Execution& execution) {
    if (!execution.id.empty()) return use(execution.id);
    const std::string_view file = execution.file;
    const OutcomeLabel* found = use(file);
    return found ? found : use(file.substr(file.find_last_of('/') + 1));
  }

  std::vector<std::string> unused() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < labels_.size(); ++i)
      if (!used_[i]) out.push_back(labels_[i].session);
    return out;
  }

 private:
  const OutcomeLabel* use(std::string_view name) {
    const auto found = places_.find(name);
    if (found == places_.end()) return nullptr;
    used_[found->second] = true;
    return &labels_[found->second];
  }

  const std::vector<OutcomeLabel>& labels_;
  std::unordered_map<std::string_view, std::size_t> places_;
  std::vector<bool> used_;
};

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 5;
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
    out += fmt::format("{}`{}`", i > 0 ? ", " : "", base::printable(names[i]));
  if (names.size() > kMostNamed) out += fmt::format(" and {} more", names.size() - kMostNamed);
  return out;
}

void report_unmatched(const std::vector<std::string>& names, std::size_t labels,
                      base::Diagnostics& out) {
  if (names.empty()) return;
  if (names.size() == labels) {
    out.add(Code::no_outcome, {},
            fmt::format("no label matches a session in the logs: {}", some_of(names)),
            "use the full session ids that `vibe fitness show` lists");
    return;
  }
  out.add(Code::unmatched_label, {},
          fmt::format("{} of {} labels {} no session: {}", names.size(), labels,
                      names.size() == 1 ? "matches" : "match", some_of(names)));
}

// Finds repeated executions: in another fold of the cross-validation, a repeat would reveal the
// outcome. Executions without an id cannot be compared.
class Repeats {
 public:
  bool is_repeated(const trace::Execution& execution) {
    ++all_;
    const bool repeated =
        !execution.id.empty() && !seen_.emplace(execution.id, execution.started).second;
    repeated_ += repeated ? 1 : 0;
    return repeated;
  }

  void report(base::Diagnostics& out) const {
    if (repeated_ == 0) return;
    const bool one = repeated_ == 1;
    out.add(Code::repeated_session, {},
            fmt::format("{} of {} executions {} a session that is already in the logs, with the "
                        "same start time, and {} left out",
                        repeated_, all_, one ? "repeats" : "repeat", one ? "is" : "are"));
  }

 private:
  std::set<std::pair<std::string, std::optional<trace::Time>>> seen_;
  std::size_t all_ = 0, repeated_ = 0;
};

std::string comment_of(const Calibration& found) {
  std::string out =
      fmt::format("Weights fitted by `vibe fitness calibrate` to {} executions.", found.fitted_on);
  if (!found.gain) return out;
  return out + fmt::format("\nAUC of the score: {:.3f} before, {:.3f} after (cross-validated{}).",
                           *found.auc_before, *found.auc_after,
                           found.gain_within_noise() ? "; the difference is within noise" : "");
}

}  // namespace

Calibrated calibrate_rubric(const CalibrateRequest& request) {
  Calibrated out;
  const auto labels = read_labels(request.labels);
  if (failed(labels, out.diagnostics)) return out;
  Repeats repeats;
  ByName by_name(*labels);
  std::vector<fitness::Labelled> executions;
  const auto scored =
      score_executions(request.scoring, [&](fitness::Scored one, const fitness::Rubric&) {
        if (repeats.is_repeated(one.execution)) return;
        const OutcomeLabel* label = by_name.find(one.execution);
        if (label)
          executions.push_back({std::move(one.fitness.signals), one.fitness.score, label->good});
        else
          ++out.unlabelled;
      });
  out.diagnostics.append(scored.diagnostics);
  if (out.diagnostics.failed()) {
    out.unlabelled = 0;
    return out;
  }

  repeats.report(out.diagnostics);
  out.unmatched = by_name.unused();
  report_unmatched(out.unmatched, labels->size(), out.diagnostics);
  if (out.diagnostics.failed()) return out;

  out.calibration = fitness::calibrate(executions, *scored.rubric);
  const Calibration& found = *out.calibration;
  if (!found.formula.empty())
    out.proposal = fitness::proposed_rubric(*scored.rubric, found.formula, comment_of(found));
  if (!request.output) return out;
  if (!out.proposal) {
    out.diagnostics.add(
        Code::no_fit, {},
        fmt::format("there is no rubric to write: {}",
                    found.formula.empty() ? found.why_not
                                          : "vibe cannot replace its formula in the YAML text"));
    return out;
  }
  if (const auto written = write_new_file(*request.output, *out.proposal, request.replace);
      !written)
    out.diagnostics.append(written.error());
  return out;
}

}  // namespace vibe::app
