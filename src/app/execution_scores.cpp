#include "app/execution_scores.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/crypto.h"
#include "base/text.h"
#include "fitness/record.h"

namespace vibe::app {

namespace {

using base::Code;

void note_rubric(ExecutionScores& scores, const std::string& name, const std::string& hash) {
  auto& hashes = scores.rubric_hashes;
  if (std::find(hashes.begin(), hashes.end(), hash) != hashes.end()) return;
  hashes.push_back(hash);
  scores.rubrics.push_back(name);
}

fitness::Signals signals_of(const fitness::ScoredExecution& kept) {
  fitness::Signals out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].value = kept.signals[i];
    if (!out[i].value) out[i].why = "not known when it was scored";
  }
  return out;
}

void add_kept(ExecutionScores& out, const fitness::ScoredExecution& kept,
              const fitness::Rubric* rubric) {
  std::optional<double> score = kept.score;
  std::string grade = kept.grade;
  if (rubric) {
    const fitness::Fitness anew = fitness::score(signals_of(kept), *rubric);
    score = anew.score;
    grade = anew.grade;
  } else if (score) {
    note_rubric(out, kept.rubric, kept.rubric_hash);
  }
  if (!score) {
    ++out.unscored;
    return;
  }
  const trace::Execution& one = kept.execution;
  out.all.push_back({one.id, one.file, kept.id, kept.agent.version, one.ended, *score, grade});
}

tl::unexpected<base::Diagnostics> nothing_kept(store::Store& store, std::string_view agent) {
  const auto agents = store.agents();
  if (!agents) return tl::unexpected(agents.error());
  const std::vector<std::string_view> names(agents->begin(), agents->end());
  const std::string name = fitness::agent_version(agent).agent;
  std::string hint = base::did_you_mean(base::nearest(name, names, 1));
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    std::string versions;
    if (const auto known = store.agent_versions(name))
      for (const auto& one : *known)
        versions += fmt::format("{}`{}@{}`", versions.empty() ? "" : ", ", base::printable(name),
                                base::printable(one.version));
    hint = fmt::format("there are executions of {}", versions);
  } else if (hint.empty()) {
    hint = "`vibe get executions` lists what is kept";
  }
  return base::fail(Code::not_found, {},
                    fmt::format("no executions of `{}` are kept", base::printable(agent)), hint);
}

}  // namespace

std::vector<double> ExecutionScores::values() const {
  std::vector<double> out;
  for (const auto& one : all) out.push_back(one.score);
  return out;
}

ExecutionScores scores_of(const ScoredExecutions& scored) {
  std::vector<std::optional<std::int64_t>> ended;
  for (const auto& one : scored.all) ended.push_back(one.execution.ended);
  ExecutionScores out;
  for (const std::size_t place : fitness::newest_first(ended)) {
    const auto& [execution, fitness] = scored.all[place];
    if (!fitness.score) {
      ++out.unscored;
      continue;
    }
    out.all.push_back(
        {execution.id, execution.file, {}, {}, execution.ended, *fitness.score, fitness.grade});
  }
  if (!out.all.empty()) note_rubric(out, scored.rubric->name, base::hash(scored.rubric->text));
  return out;
}

base::Result<ExecutionScores> scores_of_agent(store::Store& store, std::string_view agent,
                                              const fitness::Rubric* rubric) {
  const auto [name, version] = fitness::agent_version(agent);
  store::ExecutionQuery query;
  query.limit = 1000;
  query.agent = name;
  if (name.size() != agent.size()) query.version = version;  // there is an `@`
  ExecutionScores out;
  do {
    const auto page = store.executions(query);
    if (!page) return tl::unexpected(page.error());
    for (const auto& kept : page->items) add_kept(out, kept, rubric);
    query.after = page->next;
  } while (!query.after.empty());
  if (out.all.empty() && out.unscored == 0) return nothing_kept(store, agent);
  if (rubric && !out.all.empty()) note_rubric(out, rubric->name, base::hash(rubric->text));
  return out;
}

void check_scored(const ExecutionScores& scores, std::string_view what, base::Diagnostics& out) {
  constexpr std::string_view kHint = "`vibe fitness score` says why";
  const std::size_t all = scores.unscored + scores.all.size();
  if (scores.all.empty()) {
    out.add(Code::no_fitness, {},
            all == 1 ? fmt::format("the only execution of {} has no score", what)
                     : fmt::format("none of the {} executions of {} has a score", all, what),
            std::string(kHint));
  } else if (scores.unscored > 0) {
    out.add(Code::unscored_execution, {},
            fmt::format("{} of {} executions of {} {} no score and {} left out", scores.unscored,
                        all, what, scores.unscored == 1 ? "has" : "have",
                        scores.unscored == 1 ? "is" : "are"),
            std::string(kHint));
  }
}

void warn_of_mixed(const std::vector<const ExecutionScores*>& scores, base::Diagnostics& out) {
  ExecutionScores together;
  for (const ExecutionScores* some : scores)
    for (std::size_t i = 0; i < some->rubrics.size(); ++i)
      note_rubric(together, some->rubrics[i], some->rubric_hashes[i]);
  if (together.rubrics.size() < 2) return;
  std::string names;
  for (const auto& name : together.rubrics)
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", base::printable(name));
  out.add(Code::mixed_rubrics, {}, fmt::format("the scores are by different rubrics: {}", names),
          "`--rubric FILE` scores all of them by its formula, from the signals that are kept");
}

}  // namespace vibe::app
