#include "app/agents/execution_scores.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/crypto.h"
#include "base/text.h"
#include "fitness/record.h"

namespace vibe::app {

namespace {

using base::Code;

using Rubrics = std::vector<RubricName>;

RubricName name_of(const fitness::Rubric& rubric) { return {rubric.name, base::hash(rubric.text)}; }

void note_rubric(Rubrics& rubrics, const RubricName& one) {
  const auto known = std::find_if(rubrics.begin(), rubrics.end(),
                                  [&](const RubricName& each) { return each.hash == one.hash; });
  if (known == rubrics.end()) rubrics.push_back(one);
}

// `mine`, `default`; rubrics with the same name also show the beginning of their hash.
std::vector<std::string> names_of(const Rubrics& rubrics) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> out;
  for (const auto& one : rubrics) {
    const bool is_alone =
        std::count_if(rubrics.begin(), rubrics.end(),
                      [&](const RubricName& each) { return each.name == one.name; }) == 1;
    out.push_back(fmt::format("`{}`{}", base::printable(one.name),
                              is_alone ? "" : fmt::format(" ({})", one.hash.substr(0, kShown))));
  }
  return out;
}

fitness::Signals signals_of(const fitness::ScoredExecution& kept) {
  fitness::Signals out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].value = kept.signals[i];
    if (!out[i].value) out[i].why = "unknown when it was scored";
  }
  return out;
}

bool is_little_known(const std::vector<std::string>& notes) {
  return std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.starts_with(fitness::kLittleKnown);
  });
}

void add_kept(ExecutionScores& out, const fitness::ScoredExecution& kept,
              const fitness::Rubric* rubric, const RubricName& by) {
  std::optional<double> score = kept.score;
  std::string grade = kept.grade;
  bool little_known = is_little_known(kept.execution.notes);
  if (rubric) {
    const fitness::Fitness rescored = fitness::score(signals_of(kept), *rubric);
    score = rescored.score;
    grade = rescored.grade;
    little_known = is_little_known(notes_of(rescored, *rubric));
  }
  if (!score) {
    ++out.unscored;
    return;
  }
  note_rubric(out.rubrics, rubric ? by : RubricName{kept.rubric, kept.rubric_hash});
  if (rubric && kept.rubric_hash != by.hash) ++out.other_signals;
  const trace::Execution& one = kept.execution;
  out.all.push_back({one.id, one.file, kept.id, kept.agent.version, one.ended, *score, grade});
  out.little_known.push_back(little_known);
}

tl::unexpected<base::Diagnostics> nothing_kept(store::Executions& stored, std::string_view agent) {
  VIBE_TRY(const auto agents, stored.agents());
  std::vector<std::string_view> names(agents.begin(), agents.end());
  std::erase(names, "");  // unknown agents
  const std::string name = fitness::agent_version(agent).agent;
  std::string hint = base::did_you_mean(base::nearest(name, names, 1));
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    std::string versions;
    if (const auto known = stored.versions(name))
      for (const auto& one : *known)
        versions += fmt::format("{}`{}@{}`", versions.empty() ? "" : ", ", base::printable(name),
                                base::printable(one));
    hint = fmt::format("there are executions for {}", versions);
  } else if (hint.empty()) {
    hint = "`vibe get executions` lists the stored executions";
  }
  return base::fail(Code::not_found, {},
                    fmt::format("no executions of `{}` are stored", base::printable(agent)), hint);
}

}  // namespace

std::vector<double> ExecutionScores::values() const {
  std::vector<double> out;
  for (const auto& one : all) out.push_back(one.score);
  return out;
}

LogScores scores_of_logs(const ScoreExecutionsRequest& request) {
  LogScores out;
  std::vector<fitness::TrendEntry> entries;
  std::vector<bool> little_known;
  out.logs = score_executions(request, [&](fitness::Scored scored, const fitness::Rubric& rubric) {
    auto& [execution, fitness] = scored;
    if (!fitness.score) {
      ++out.scores.unscored;
      return;
    }
    little_known.push_back(is_little_known(notes_of(fitness, rubric)));
    entries.push_back({std::move(execution.id),
                       std::move(execution.file),
                       {},
                       {},
                       execution.ended,
                       *fitness.score,
                       std::move(fitness.grade)});
  });
  std::vector<std::optional<std::int64_t>> ended;
  for (const auto& one : entries) ended.push_back(one.ended);
  for (const std::size_t place : fitness::newest_first(ended)) {
    out.scores.all.push_back(std::move(entries[place]));
    out.scores.little_known.push_back(little_known[place]);
  }
  if (!out.scores.all.empty()) note_rubric(out.scores.rubrics, name_of(*out.logs.rubric));
  return out;
}

base::Result<ExecutionScores> scores_of_agent(store::Executions& stored, std::string_view agent,
                                              const fitness::Rubric* rubric) {
  const auto [name, version] = fitness::agent_query(agent);
  store::ExecutionQuery query{.limit = 1000, .agent = name, .version = version};
  const RubricName by = rubric ? name_of(*rubric) : RubricName();
  ExecutionScores out;
  do {
    VIBE_TRY(const auto page, stored.list(query));
    for (const auto& kept : page.items) add_kept(out, kept, rubric, by);
    query.after = page.next;
  } while (!query.after.empty());
  if (out.all.empty() && out.unscored == 0) return nothing_kept(stored, agent);
  return out;
}

void check_scored(const ExecutionScores& scores, std::string_view what, base::Diagnostics& out) {
  constexpr std::string_view kHint = "`vibe fitness score` shows why";
  const std::size_t all = scores.unscored + scores.all.size();
  if (scores.all.empty()) {
    out.add(Code::no_fitness, {},
            all == 1 ? fmt::format("the only execution of {} has no score", what)
                     : fmt::format("none of the {} executions of {} has a score", all, what),
            std::string(kHint));
  } else if (scores.unscored > 0) {
    out.add(Code::unscored_execution, {},
            fmt::format("{}: {} of {} executions {} no score and {} left out", what,
                        scores.unscored, all, scores.unscored == 1 ? "has" : "have",
                        scores.unscored == 1 ? "is" : "are"),
            std::string(kHint));
  }
}

void warn_of_little(const ExecutionScores& scores, const fitness::Aggregate& aggregate,
                    std::string_view what, base::Diagnostics& out) {
  std::size_t all = 0, little = 0;
  for (std::size_t i = 0; i < scores.all.size(); ++i) {
    if (aggregate.weights[i] == 0) continue;
    ++all;
    little += scores.little_known[i] ? 1 : 0;
  }
  if (little == 0) return;
  out.add(Code::little_known, {},
          fmt::format("{}: {} of {} scores {} less than half the rubric's weights", what, little,
                      all, little == 1 ? "uses" : "use"),
          "`vibe fitness score --explain` shows which signals are unknown");
}

void warn_of_mixed(const std::vector<const ExecutionScores*>& scores, const fitness::Rubric& rubric,
                   base::Diagnostics& out) {
  Rubrics rubrics;
  std::size_t all = 0, other_signals = 0;
  for (const ExecutionScores* some : scores) {
    for (const auto& one : some->rubrics) note_rubric(rubrics, one);
    all += some->all.size();
    other_signals += some->other_signals;
  }
  constexpr const char* kHint =
      "`--rubric FILE` scores them all again with its formula, from the stored signals";
  if (rubrics.size() > 1) {
    out.add(Code::mixed_rubrics, {},
            fmt::format("the scores come from different rubrics: {}",
                        fmt::join(names_of(rubrics), ", ")),
            kHint);
  } else if (!rubrics.empty()) {
    note_rubric(rubrics, name_of(rubric));
    const auto names = names_of(rubrics);
    if (names.size() > 1)
      out.add(Code::mixed_rubrics, {},
              fmt::format("the scores come from rubric {}, but {} is in use", names[0], names[1]),
              kHint);
  }
  if (other_signals > 0)
    out.add(Code::mixed_rubrics, {},
            fmt::format("the signals of {} of {} executions come from a rubric other than `{}`",
                        other_signals, all, base::printable(rubric.name)),
            "only its formula was used, not its words, patterns and expected times; score the logs "
            "again to use those");
}

}  // namespace vibe::app
