#include "app/agents/decide_fitness.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include <sys/stat.h>

#include <fmt/format.h>

#include "app/agents/execution_scores.h"
#include "app/agents/keeper.h"
#include "app/agents/rubric.h"
#include "app/workspace.h"
#include "base/crypto.h"
#include "base/text.h"
#include "base/time.h"

namespace vibe::app {

namespace {

using base::Code;
using fitness::DecisionSide;

// Small enough that every JSON reader gets it exactly.
std::uint64_t random_seed() {
  const auto bytes = base::random_key();
  std::uint64_t seed = 0;
  std::memcpy(&seed, bytes.data(), sizeof seed);
  return seed >> 11;
}

bool names_log(const std::string& path) {
  struct stat found{};
  return path == "-" || stat(path.c_str(), &found) == 0;
}

bool is_no_number(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  const std::string word = base::lower_ascii(text);
  return word == "nan" || word == "inf" || word == "infinity";
}

class Deciding {
 public:
  // Without a store, it uses the user's own, and sides may be logs.
  Deciding(const DecideRequest& request, store::Executions* kept, Keeper* keeper)
      : request_(request), kept_(kept), keeper_(keeper), may_read_(kept == nullptr) {}

  Decided run() {
    rubric_ = load_rubric(request_.scoring.rubric, out_.diagnostics);
    for (const auto& [side, name] :
         {std::pair(&request_.before, "OLD"), std::pair(&request_.after, "NEW")})
      if (side->empty())
        out_.diagnostics.add(Code::bad_usage, {}, fmt::format("{} is empty", name),
                             may_read_ ? "give a score, a log, a folder of logs, or `NAME@VERSION`"
                                       : "give a score, or `NAME@VERSION`");
    if (may_read_ && request_.before == "-" && request_.after == "-")
      out_.diagnostics.add(Code::bad_usage, {}, "standard input (`-`) can be read only once");
    if (out_.diagnostics.failed()) return std::move(out_);
    ExecutionScores before, after;
    const auto old_side = read(request_.before, before), new_side = read(request_.after, after);
    const auto& given = request_.scoring.given;
    if (!has_logs_ && (given.type || given.complexity || request_.scoring.read.format))
      out_.diagnostics.add(
          Code::bad_usage, {},
          "`--task`, `--complexity` and `--format` apply to logs, but neither side is a log");
    if (out_.diagnostics.failed()) return std::move(out_);
    warn_of_mixed({&before, &after}, *rubric_, out_.diagnostics);
    out_.before = judge(old_side, before);
    out_.after = judge(new_side, after);

    const std::uint64_t seed = request_.seed ? *request_.seed : random_seed();
    const auto now = base::now_millis();
    out_.record = {.id = base::uuid7(now),
                   .made_at = now,
                   .decision = fitness::decide(old_side.scores, new_side.scores, *rubric_, seed),
                   .before = old_side,
                   .after = new_side,
                   .rubric = rubric_->name,
                   .rubric_hash = base::hash(rubric_->text)};
    if (out_.record->decision.within_noise)
      out_.diagnostics.add(
          Code::within_noise, {},
          fmt::format("the difference is significant by the rubric, but within noise: the "
                      "probability that new is better is {:.2f}",
                      *out_.record->decision.probability_better),
          "more executions of both sides would show whether it is real");
    keep();
    return std::move(out_);
  }

 private:
  DecisionSide read(const std::string& what, ExecutionScores& scores) {
    DecisionSide side{.what = what, .scores = {}, .executions = {}};
    const auto number = base::parse_double(what);
    if (number || is_no_number(what)) {
      add_score(side, number.value_or(NAN));
      return side;
    }
    const std::string shown = fmt::format("`{}`", base::printable(what));
    if (may_read_ && names_log(what))
      read_logs(what, scores);
    else
      read_kept(what, scores);
    if (out_.diagnostics.failed()) return side;
    check_scored(scores, shown, out_.diagnostics);
    for (const auto& one : scores.all) {
      add_score(side, one.score);
      side.executions.push_back(!one.kept_id.empty() ? one.kept_id
                                : one.id.empty()     ? one.file
                                                     : one.id);
    }
    return side;
  }

  std::optional<score::Interval> judge(const DecisionSide& side, const ExecutionScores& scores) {
    const auto found = fitness::aggregate(side.scores, rubric_->aggregation);
    warn_of_little(scores, *found, fmt::format("`{}`", base::printable(side.what)),
                   out_.diagnostics);
    return found->interval;
  }

  void add_score(DecisionSide& side, double score) {
    if (!(std::fabs(score) <= fitness::kMostScore))
      out_.diagnostics.add(Code::no_fitness, {},
                           fmt::format("`{}` is not a usable score", base::printable(side.what)),
                           "a score is a number between -1000000000000 and 1000000000000");
    side.scores.push_back(score);
  }

  void read_logs(const std::string& path, ExecutionScores& scores) {
    has_logs_ = true;
    ScoreExecutionsRequest scoring = request_.scoring;
    scoring.loaded = rubric_;
    scoring.read.logs = {path};
    auto found = scores_of_logs(scoring);
    out_.diagnostics.append(found.logs.diagnostics);
    scores = std::move(found.scores);
  }

  void read_kept(const std::string& agent, ExecutionScores& scores) {
    open();
    if (!kept_) return out_.diagnostics.append(unopened_);
    const auto kept =
        scores_of_agent(*kept_, agent, request_.scoring.rubric ? rubric_.get() : nullptr);
    if (kept) {
      scores = *kept;
      return;
    }
    const auto& problem = kept.error().all().front();
    if (problem.code != Code::not_found) return out_.diagnostics.append(kept.error());
    out_.diagnostics.add(Code::not_found, {},
                         fmt::format("`{}` is not a number{}, and {}", base::printable(agent),
                                     may_read_ ? " or a file" : "", problem.message),
                         problem.hint);
  }

  void open() {
    if (kept_ || !unopened_.empty()) return;
    workspace_ = open_workspace(unopened_, request_.overrides);
    if (!workspace_) return;
    kept_ = &workspace_->archive().executions();
    own_keeper_ = workspace_->keeper({});
    keeper_ = own_keeper_.get();
    out_.diagnostics.append(unopened_);  // warnings
  }

  void keep() {
    open();
    if (!keeper_) return out_.not_kept.append(unopened_);
    if (request_.scoring.rubric && !keeper_->takes_rubrics())
      out_.not_kept.add(
          Code::bad_usage, {},
          "a server uses only its own rubric and does not store decisions made with another");
    else if (const auto kept = keeper_->add_decision(*out_.record); !kept)
      out_.not_kept.append(kept.error());
  }

  const DecideRequest& request_;
  store::Executions* kept_;  // null: not opened yet
  Keeper* keeper_;           // like kept_
  bool may_read_;            // sides may be logs
  Decided out_;
  std::shared_ptr<const fitness::Rubric> rubric_;
  bool has_logs_ = false;  // a side is a log, or a folder of them
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Keeper> own_keeper_;
  base::Diagnostics unopened_;  // why it could not be opened
};

}  // namespace

Decided decide_fitness(const DecideRequest& request) {
  return Deciding(request, nullptr, nullptr).run();
}

Decided decide_fitness(const DecideRequest& request, store::Executions& kept,
                       store::Journal& journal) {
  const auto keeper = make_local_keeper(journal, {});
  return Deciding(request, &kept, keeper.get()).run();
}

}  // namespace vibe::app
