#include "app/runs/rescore.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "app/runs/certainty.h"
#include "app/runs/measure_history.h"
#include "app/runs/scorable.h"
#include "base/sort.h"
#include "base/text.h"
#include "formula/batch.h"
#include "formula/evaluate.h"
#include "score/figures.h"

namespace vibe::app {

using base::Code;
using base::Result;
using store::ExceptionalRun;
using store::MeasuredRun;

namespace {

constexpr std::size_t kBlockRows = 1024;    // rows that are evaluated together
constexpr std::size_t kMostReasons = 1000;  // with their values
constexpr std::size_t kMostFlips = 20, kMostMovers = 5;
// How much is done until the progress is told: figures take longer than a row of values.
constexpr std::size_t kWorkPerTick = 8192, kWorkOfFigures = 128;

static_assert(std::endian::native == std::endian::little);

std::optional<double> if_defined(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}
double or_undefined(const std::optional<double>& value) {
  return value.value_or(formula::kUndefined);
}

// ---- the reasons why runs have no score: each once

// `division by zero: total_cost is 0 in "1 / total_cost"` without the values, which differ from run
// to run.
std::string without_values(const std::string& why) {
  const std::size_t colon = why.find(": "), expression = why.rfind(" in \"");
  if (colon == why.npos || expression == why.npos || expression < colon) return why;
  const auto middle = std::string_view(why).substr(colon, expression - colon);
  return middle.ends_with(" is undefined") ? why : why.substr(0, colon) + why.substr(expression);
}

class ReasonList {
 public:
  std::uint32_t number(const std::string& why) {
    const auto known = numbers_.find(why);
    if (known != numbers_.end()) return known->second;
    if (texts_.size() <= kMostReasons) return add(why);
    const std::string common = without_values(why);
    const auto like = numbers_.find(common);
    return like != numbers_.end() ? like->second : add(common);
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::uint32_t add(const std::string& why) {
    const auto number = static_cast<std::uint32_t>(texts_.size());
    numbers_.emplace(why, number);
    texts_.push_back(why);
    return number;
  }

  std::vector<std::string> texts_{""};
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// ---- the runs with the same layout of stored values

struct LayoutPlan {
  LayoutProgram compiled;
  std::size_t bytes = 0;  // of the values of a run
  std::uint32_t why = 0;  // these runs cannot be scored
  std::optional<formula::Batch> batch{};
  std::vector<std::vector<double>> columns{};  // by input
  std::vector<double> scores{};
  std::vector<std::size_t> waiting{};  // entries whose values are in the columns

  bool is_batch() const { return batch.has_value(); }
};

LayoutPlan make_plan(LayoutProgram compiled, std::size_t values, ReasonList& reasons) {
  LayoutPlan out{std::move(compiled), values * sizeof(double)};
  if (out.compiled.needs_figures) return out;
  if (!out.compiled.program) {
    out.why = reasons.number(out.compiled.why);
    return out;
  }
  out.batch.emplace(*out.compiled.program);
  out.columns.assign(out.compiled.places.size(), std::vector<double>(kBlockRows));
  out.scores.resize(kBlockRows);
  out.waiting.reserve(kBlockRows);
  return out;
}

class RunScorer final : public store::RunVisitor {
 public:
  RunScorer(store::Rescoring& stored, RescoreRule& rule, std::vector<store::StoredLayout> layouts,
            const RescoreProgress& progress)
      : stored_(stored), rule_(rule), progress_(progress) {
    for (auto& layout : layouts) layouts_.emplace(layout.number, std::move(layout.encoded));
  }

  void on_begin(std::size_t runs, std::vector<ExceptionalRun> exceptions) override {
    total_ = runs;
    entries_.reserve(runs);
    exceptions_ = std::move(exceptions);
  }

  bool on_run(const MeasuredRun& run) override {
    const ExceptionalRun* exception = exception_of(run.number);
    RescoredEntry entry{.number = run.number,
                        .before = or_undefined(run.score),
                        .min_score = or_undefined(run.min_score)};
    if (exception)
      entry.is_ranked = exception->status == score::RunStatus::completed && !exception->is_part;
    if (exception && exception->is_all_errors) {
      entry.why = reasons_.number("every sample ended in an error");
      entries_.push_back(entry);
    } else if (!score(run, entry)) {
      return false;
    }
    return tick();
  }

  void on_unmeasured(const ExceptionalRun& run) override { add_unmeasured(run); }

  // Before anything else is asked.
  void finish() {
    while (next_ < exceptions_.size()) pass_over(exceptions_[next_++]);
    for (auto& [number, plan] : plans_) flush(plan);
    if (!std::ranges::is_sorted(entries_, {}, &RescoredEntry::number))
      std::ranges::sort(entries_, {}, &RescoredEntry::number);
  }

  bool is_stopped() const { return is_stopped_; }
  bool has_program() const { return has_program_; }
  std::optional<base::Diagnostics>& failure() { return failure_; }
  std::vector<RescoredEntry> take_entries() { return std::move(entries_); }
  std::vector<std::string> take_reasons() { return reasons_.take(); }

 private:
  bool tick() {
    if (++work_ < kWorkPerTick) return true;
    work_ = 0;
    is_stopped_ = !progress_(entries_.size(), total_);
    return !is_stopped_;
  }

  bool fail(base::Diagnostics why) {
    failure_ = std::move(why);
    return false;
  }

  const ExceptionalRun* exception_of(store::RunNumber number) {
    while (next_ < exceptions_.size() && exceptions_[next_].number < number)
      pass_over(exceptions_[next_++]);
    const bool is_one = next_ < exceptions_.size() && exceptions_[next_].number == number;
    return is_one ? &exceptions_[next_++] : nullptr;
  }
  void pass_over(const ExceptionalRun& run) {
    if (!run.is_measured) add_unmeasured(run);
  }

  void add_unmeasured(const ExceptionalRun& run) {
    const char* why = !score::is_finished(run.status) ? "the run has not ended"
                      : run.is_all_errors             ? "every sample ended in an error"
                                                      : "no figures are stored";
    entries_.push_back({.number = run.number,
                        .before = or_undefined(run.score),
                        .why = reasons_.number(why),
                        .is_ranked = false,
                        .is_kept = false});
  }

  LayoutPlan* plan_of(std::int64_t layout) {
    if (last_ && last_layout_ == layout) return last_;
    auto found = plans_.find(layout);
    if (found == plans_.end()) {
      // Without a layout, or with that of another version, the figures are enough.
      LayoutProgram compiled;
      compiled.needs_figures = true;
      std::size_t values = 0;
      const auto known = layouts_.find(layout);
      if (known != layouts_.end())
        if (const auto decoded = score::InputLayout::decode(known->second)) {
          compiled = rule_.compile(*decoded);
          values = decoded->size();
        }
      has_program_ = has_program_ || (compiled.program && !compiled.needs_figures);
      found = plans_.emplace(layout, make_plan(std::move(compiled), values, reasons_)).first;
    }
    last_layout_ = layout;
    return last_ = &found->second;
  }

  bool score(const MeasuredRun& run, RescoredEntry entry) {
    LayoutPlan* plan = plan_of(run.layout);
    if (plan->is_batch() && run.inputs.size() == plan->bytes) {
      const std::size_t row = plan->waiting.size();
      for (std::size_t i = 0; i < plan->columns.size(); ++i)
        std::memcpy(&plan->columns[i][row],
                    run.inputs.data() + plan->compiled.places[i] * sizeof(double), sizeof(double));
      plan->waiting.push_back(entries_.size());
      entries_.push_back(entry);
      if (plan->waiting.size() == kBlockRows) flush(*plan);
      return true;
    }
    if (plan->why != 0)
      entry.why = plan->why;
    else if (!score_figures(entry))
      return false;
    entries_.push_back(entry);
    return true;
  }

  bool score_figures(RescoredEntry& entry) {
    const auto bytes = stored_.figures(entry.number);
    if (!bytes) return fail(bytes.error());
    const auto samples = score::decode_figures(*bytes);
    if (!samples) {
      entry.why = reasons_.number(samples.error().all().front().message);
    } else if (const auto compiled = rule_.compile(*samples); !compiled.program) {
      entry.why = reasons_.number(compiled.why);
    } else {
      has_program_ = true;
      std::vector<double> inputs;
      for (const auto& input : compiled.program->inputs) inputs.push_back(samples->measure(input));
      const formula::Evaluation evaluation(*compiled.program, inputs);
      settle(entry, evaluation.score(), *compiled.program, inputs);
    }
    work_ += kWorkOfFigures;
    return true;
  }

  void flush(LayoutPlan& plan) {
    const std::size_t rows = plan.waiting.size();
    if (rows == 0) return;
    std::vector<const double*> columns;
    for (const auto& column : plan.columns) columns.push_back(column.data());
    std::vector<double*> outputs(plan.compiled.program->formulas.size(), nullptr);
    outputs.back() = plan.scores.data();
    plan.batch->run(columns, rows, outputs);
    for (std::size_t row = 0; row < rows; ++row) {
      RescoredEntry& entry = entries_[plan.waiting[row]];
      entry.after = plan.scores[row];
      if (!std::isnan(entry.after)) continue;
      std::vector<double> inputs;
      for (const auto& column : plan.columns) inputs.push_back(column[row]);
      settle(entry, entry.after, *plan.compiled.program, inputs);
    }
    plan.waiting.clear();
  }

  void settle(RescoredEntry& entry, double score, const formula::Program& program,
              std::span<const double> inputs) {
    entry.after = std::isnan(score) ? or_undefined(rule_.rule().on_undefined) : score;
    if (!std::isnan(entry.after)) return;
    const formula::Evaluation evaluation(program, inputs);
    entry.why = reasons_.number(why_undefined(evaluation, program.formulas.size() - 1));
  }

  store::Rescoring& stored_;
  RescoreRule& rule_;
  const RescoreProgress& progress_;
  std::size_t total_ = 0, work_ = 0;
  std::vector<ExceptionalRun> exceptions_;
  std::size_t next_ = 0;                                   // exception
  std::unordered_map<std::int64_t, std::string> layouts_;  // encoded
  std::unordered_map<std::int64_t, LayoutPlan> plans_;
  LayoutPlan* last_ = nullptr;
  std::int64_t last_layout_ = 0;
  std::vector<RescoredEntry> entries_;
  ReasonList reasons_;
  bool is_stopped_ = false, has_program_ = false;
  std::optional<base::Diagnostics> failure_;
};

// Counts the runs that match.
struct MatchCounter final : store::RunVisitor {
  std::size_t runs = 0;
  void on_begin(std::size_t all, std::vector<ExceptionalRun>) override { runs = all; }
  bool on_run(const MeasuredRun&) override { return false; }
  void on_unmeasured(const ExceptionalRun&) override {}
};

// ---- the outcome

struct PlacedScore {
  double score;
  std::uint32_t place;
};

// A number that is smaller for a higher score.
std::uint64_t descending(double score) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(score);
  return (bits & kSign) != 0 ? bits : ~(bits | kSign);
}

// Highest first. A radix sort: four times as fast as one that compares, for a million scores.
void sort_scores(std::vector<PlacedScore>& scores) {
  constexpr unsigned kDigitBits = 8, kDigits = 1U << kDigitBits;
  std::vector<PlacedScore> sorted(scores.size());
  for (unsigned shift = 0; shift < 64 && !scores.empty(); shift += kDigitBits) {
    const auto digit = [&](const PlacedScore& one) {
      return (descending(one.score) >> shift) & (kDigits - 1);
    };
    std::array<std::size_t, kDigits> begin{};
    for (const auto& one : scores) ++begin[digit(one)];
    if (begin[digit(scores.front())] == scores.size()) continue;  // all have the same digit
    std::size_t next = 0;
    for (auto& place : begin) next += std::exchange(place, next);
    for (const auto& one : scores) sorted[begin[digit(one)]++] = one;
    scores.swap(sorted);
  }
}

// Ranks from 1; equal scores share one.
void give_ranks(std::vector<PlacedScore>& scores, std::vector<std::uint32_t>& ranks) {
  sort_scores(scores);
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (i == 0 || scores[i].score != scores[i - 1].score) rank = static_cast<std::uint32_t>(i + 1);
    ranks[scores[i].place] = rank;
  }
}

std::optional<score::Spread> spread_of(std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(values);
  double sum = 0;
  for (const double value : values) sum += value;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  double median = *middle;
  if (values.size() % 2 == 0) median = (median + *std::max_element(values.begin(), middle)) / 2;
  return score::Spread{least, median, sum / static_cast<double>(values.size()), most};
}

std::optional<bool> passes_gate(double score, double gate) {
  return std::isnan(gate) ? std::nullopt : std::optional(score >= gate);  // undefined: fails
}

std::uint32_t moved_by(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

}  // namespace

Rescored::Rescored(RescoreRule rule, std::vector<RescoredEntry> entries,
                   std::vector<std::string> reasons)
    : rule_(std::move(rule)),
      entries_(std::move(entries)),
      reasons_(std::move(reasons)),
      rank_before_(entries_.size()),
      rank_after_(entries_.size()) {
  std::vector<PlacedScore> scores;
  for (const bool is_before : {true, false}) {
    scores.clear();
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const auto& entry = entries_[i];
      if (entry.is_ranked && entry.why == 0 && !std::isnan(entry.before))
        scores.push_back({is_before ? entry.before : entry.after, static_cast<std::uint32_t>(i)});
    }
    give_ranks(scores, is_before ? rank_before_ : rank_after_);
  }
}

double Rescored::gate_after(const RescoredEntry& entry) const {
  return rule_.rule().min_score.value_or(entry.min_score);
}

bool Rescored::flips(const RescoredEntry& entry) const {
  if (entry.why != 0) return false;
  const auto before = passes_gate(entry.before, entry.min_score);
  const auto after = passes_gate(entry.after, gate_after(entry));
  return before && after && *before != *after;
}

score::RescoredRun Rescored::run_of(std::size_t place, store::RunLabel label) const {
  const RescoredEntry& entry = entries_[place];
  score::RescoredRun out;
  out.id = std::move(label.id);
  out.suite = std::move(label.suite);
  out.model = std::move(label.model);
  out.created_at = label.created_at;
  out.before = if_defined(entry.before);
  out.after = if_defined(entry.after);
  out.error = reasons_[entry.why];
  if (rank_before_[place] != 0) {
    out.rank_before = rank_before_[place];
    out.rank_after = rank_after_[place];
  }
  out.passed_before = passes_gate(entry.before, entry.min_score);
  if (entry.why == 0) out.passes_after = passes_gate(entry.after, gate_after(entry));
  return out;
}

Result<std::vector<score::RescoredRun>> Rescored::runs_at(store::Rescoring& stored,
                                                          std::vector<std::size_t> places) const {
  std::vector<store::RunNumber> numbers;
  for (const std::size_t place : places) numbers.push_back(entries_[place].number);
  VIBE_TRY(auto labels, stored.labels(numbers));
  std::vector<score::RescoredRun> out;
  auto label = labels.begin();
  for (const std::size_t place : places)
    if (label != labels.end() && label->number == entries_[place].number)
      out.push_back(run_of(place, std::move(*label++)));
  return out;
}

Result<std::vector<score::RescoredRun>> Rescored::runs(store::Rescoring& stored, std::size_t skip,
                                                       std::size_t count) const {
  std::vector<std::size_t> places;
  for (std::size_t i = skip; i < entries_.size() && places.size() < count; ++i)
    places.push_back(entries_.size() - 1 - i);
  return runs_at(stored, std::move(places));
}

score::GateCounts Rescored::gates() const {
  score::GateCounts out;
  for (const auto& entry : entries_) {
    const auto after = passes_gate(entry.after, gate_after(entry));
    if (entry.why != 0 || !after) continue;
    const auto before = passes_gate(entry.before, entry.min_score);
    ++out.runs;
    out.passed_before += before == true ? 1 : 0;
    out.pass_after += *after ? 1 : 0;
    out.lost += before == true && !*after ? 1 : 0;
    out.won += before == false && *after ? 1 : 0;
  }
  return out;
}

std::vector<score::Unscored> Rescored::unscored() const {
  std::vector<std::size_t> runs(reasons_.size());
  for (const auto& entry : entries_) ++runs[entry.why];
  std::vector<score::Unscored> out;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    std::string why = without_values(reasons_[i]);
    const auto known = std::ranges::find(out, why, &score::Unscored::why);
    if (known == out.end())
      out.push_back({std::move(why), runs[i]});
    else
      known->runs += runs[i];
  }
  base::stable_sort(out, [](const auto& a, const auto& b) { return a.runs > b.runs; });
  return out;
}

std::vector<std::size_t> Rescored::newest_flips() const {
  std::vector<std::size_t> out;
  for (std::size_t i = entries_.size(); i-- > 0 && out.size() < kMostFlips;)
    if (flips(entries_[i])) out.push_back(i);
  return out;
}

std::vector<std::size_t> Rescored::most_moved() const {
  std::vector<std::size_t> out;
  const auto by = [&](std::size_t place) {
    return moved_by(rank_before_[place], rank_after_[place]);
  };
  for (std::size_t i = entries_.size(); i-- > 0;) {  // of equal ones, the newest
    if (by(i) == 0 || (out.size() == kMostMovers && by(i) <= by(out.back()))) continue;
    out.insert(std::ranges::find_if(out, [&](std::size_t other) { return by(other) < by(i); }), i);
    if (out.size() > kMostMovers) out.pop_back();
  }
  return out;
}

Result<score::RescoreSummary> Rescored::summary(store::Rescoring& stored) const {
  score::RescoreSummary out;
  out.formula = rule_.formula();
  out.notes = rule_.notes();
  out.runs = entries_.size();
  std::vector<double> before, after;
  std::vector<std::size_t> best_before, best_after;  // the newest, if there are several
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto& entry = entries_[i];
    if (entry.why != 0) continue;
    ++out.scored;
    out.changed += entry.before == entry.after ? 0 : 1;
    if (rank_before_[i] != 0) ++out.ranked;
    out.moved += rank_before_[i] == rank_after_[i] ? 0 : 1;
    if (rank_before_[i] == 1) best_before = {i};
    if (rank_after_[i] == 1) best_after = {i};
    if (std::isnan(entry.before)) continue;
    before.push_back(entry.before);
    after.push_back(entry.after);
  }
  out.before = spread_of(before);
  out.after = spread_of(after);
  out.unscored = unscored();
  out.gates = gates();
  VIBE_TRY(out.flips, runs_at(stored, newest_flips()));
  VIBE_TRY(out.movers, runs_at(stored, most_moved()));
  for (const bool is_before : {true, false}) {
    VIBE_TRY(auto best, runs_at(stored, is_before ? best_before : best_after));
    if (!best.empty()) (is_before ? out.best_before : out.best_after) = std::move(best.front());
  }
  return out;
}

Result<void> check_rule(store::Rescoring& stored, const score::Rule& rule,
                        const store::RunQuery& filter) {
  VIBE_TRY(const auto layouts, stored.layouts());
  RescoreRule compiled(rule);
  for (const auto& layout : layouts) {
    const auto decoded = score::InputLayout::decode(layout.encoded);
    if (!decoded) return {};  // the figures will tell
    const auto usable = compiled.compile(*decoded);
    if (usable.program || usable.needs_figures) return {};
  }
  MatchCounter counter;
  VIBE_TRY(stored.visit(filter, counter));
  // If no run matches, it does not matter which names they have.
  auto found = counter.runs > 0 ? compiled.problems() : RescoreRule(rule).problems();
  if (found.failed()) return tl::unexpected(std::move(found));
  return {};
}

void measure_all(store::Store& store, bool files, const RescoreProgress& progress) {
  // Whether it can be stored changes nothing here: what is missing counts as without figures.
  static_cast<void>(measure_history(
      store,
      {.files = files, .continue_after = [&](std::size_t done) { return progress(done, 0); }}));
}

Result<std::optional<Rescored>> rescore(store::Rescoring& stored, const score::Rule& rule,
                                        const store::RunQuery& filter,
                                        const RescoreProgress& progress) {
  RescoreRule compiled(rule);
  VIBE_TRY(auto layouts, stored.layouts());
  RunScorer scorer(stored, compiled, std::move(layouts), progress);
  VIBE_TRY(stored.visit(filter, scorer));
  if (scorer.failure()) return tl::unexpected(*std::move(scorer.failure()));
  if (scorer.is_stopped()) return std::nullopt;
  scorer.finish();
  auto reasons = scorer.take_reasons();
  if (!scorer.has_program()) {
    auto found = compiled.problems();
    if (found.failed()) return tl::unexpected(std::move(found));
  }
  return Rescored(std::move(compiled), scorer.take_entries(), std::move(reasons));
}

Result<void> check_keep(store::Rescoring& stored, const RescoreRule& rule,
                        const std::string& name) {
  if (base::trim(name).empty() || name.size() > store::kMostNameBytes ||
      base::printable(name) != name)
    return base::fail(
        Code::bad_usage, {},
        fmt::format("scores cannot be kept as `{}`", base::printable(base::shorten(name, 100))),
        fmt::format("a name is text of at most {} bytes", store::kMostNameBytes));
  return stored.check_kept({name, rule.formula(), rule.definition()});
}

Result<void> keep_scores(store::Rescoring& stored, const Rescored& rescored,
                         const std::string& name) {
  std::vector<store::NewScore> scores;
  scores.reserve(rescored.size());
  for (const auto& entry : rescored.entries())
    if (entry.is_kept)
      scores.push_back({entry.number, if_defined(entry.after), rescored.reason(entry)});
  return stored.keep({name, rescored.rule().formula(), rescored.rule().definition()}, scores);
}

void add_certainty(store::Store& store, RescoreRule& rule, std::span<score::RescoredRun> runs) {
  auto& stored = store.archive().runs();
  for (auto& one : runs) {
    const auto run = one.after ? stored.find(one.id) : Result<std::optional<score::Run>>();
    if (!run || !*run) continue;
    const auto found = scorable(stored, **run);
    if (!found) continue;  // shown without
    const auto compiled = rule.compile(found->samples);
    if (!compiled.program) continue;
    SuiteSettings settings = settings_of(**run);
    settings.on_undefined = rule.rule().on_undefined;
    const auto score = score::compute(*compiled.program, found->samples, settings.on_undefined);
    one.certainty = certainty_of(*compiled.program, found->samples, score, settings);
  }
}

Result<bool> rescore_runs(store::Store& store, const store::RescoreRequest& request,
                          store::RescoreWatcher& watcher) {
  constexpr std::size_t kPage = 256;
  auto& stored = store.rescoring();
  if (request.keep) {
    VIBE_TRY(check_keep(stored, RescoreRule(request.rule), *request.keep));
  }
  const RescoreProgress progress = [&](std::size_t done, std::size_t total) {
    watcher.on_progress(done, total);
    return !watcher.wants_to_stop();
  };
  VIBE_TRY(check_rule(stored, request.rule, request.filter));
  measure_all(store, true, progress);
  VIBE_TRY(auto rescored, rescore(stored, request.rule, request.filter, progress));
  if (!rescored || watcher.wants_to_stop()) return false;
  if (request.keep) {
    VIBE_TRY(keep_scores(stored, *rescored, *request.keep));
  }
  VIBE_TRY(auto summary, rescored->summary(stored));
  summary.kept = request.keep.value_or("");
  watcher.on_summary(summary);
  const std::size_t rows = std::min(request.rows, rescored->size());
  const std::size_t page = request.intervals ? 1 : kPage;  // an interval takes a millisecond
  for (std::size_t at = 0; at < rows; at += page) {
    if (watcher.wants_to_stop()) return false;
    const std::size_t count = std::min(page, rows - at);
    VIBE_TRY(auto runs, rescored->runs(stored, at, count));
    if (request.intervals) add_certainty(store, rescored->rule(), runs);
    for (const auto& run : runs) watcher.on_run(run);
  }
  return true;
}

}  // namespace vibe::app
