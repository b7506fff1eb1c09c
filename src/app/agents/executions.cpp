#include "app/agents/executions.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/crypto.h"
#include "base/file.h"
#include "base/text.h"

namespace vibe::app {

using base::Code;

std::string place_of(const std::string& file) {
  if (file.empty() || file == base::display_name("-")) return {};
  std::error_code error;
  const auto path = std::filesystem::absolute(file, error);
  return error ? file : path.lexically_normal().string();
}

void ExecutionRecords::add(const fitness::Scored& scored, const fitness::Rubric& rubric) {
  if (rubric_ != &rubric) hash_ = base::hash(rubric.text);
  rubric_ = &rubric;
  auto& record = all_.emplace_back(record_of(scored, rubric));
  record.id = base::uuid7(now_);
  record.scored_at = now_;
  record.rubric_hash = hash_;
  record.execution.file = place_of(record.execution.file);
  if (agent_) record.agent = *agent_;
}

bool ExecutionKeeper::open() {
  if (keeper_ || failed_) return !failed_;
  workspace_ = open_workspace(problems_, overrides_);
  failed_ = !workspace_;
  if (failed_) return false;
  keeper_ = workspace_->keeper(settings_);
  if (!is_rubric_given_ || keeper_->takes_rubrics()) return true;
  note(base::fail(Code::bad_usage, {},
                  "a server uses only its own rubric and does not store scores from another",
                  "add `--no-keep` to use `--rubric` on this machine only"));
  return false;
}

void ExecutionKeeper::note(const base::Result<void>& kept) {
  if (kept) return;
  problems_.append(kept.error());
  failed_ = true;
}

void ExecutionKeeper::add(const fitness::Scored& scored, const fitness::Rubric& rubric) {
  if (open()) note(keeper_->add(scored, rubric));
}

base::Diagnostics ExecutionKeeper::finish() {
  if (!failed_ && keeper_) note(keeper_->finish());
  return std::move(problems_);
}

base::Result<fitness::ScoredExecution> find_execution(store::Executions& kept,
                                                      std::string_view id) {
  VIBE_TRY(auto found, kept.find(id));
  if (found) return *std::move(found);
  if (id == "last")
    return base::fail(Code::not_found, {}, "there are no executions yet",
                      "`vibe fitness score LOG` scores and stores them");
  return base::fail(Code::not_found, {},
                    fmt::format("there is no execution `{}`", base::printable(id)),
                    "`vibe get executions` lists them; `last` is the newest");
}

base::Result<std::vector<Trend>> version_trends(
    store::Executions& kept, std::span<const fitness::ScoredExecution> executions) {
  std::vector<Trend> out;
  std::vector<fitness::AgentVersion> seen;
  for (const auto& scored : executions) {
    if (std::find(seen.begin(), seen.end(), scored.agent) != seen.end()) continue;
    seen.push_back(scored.agent);
    VIBE_TRY(const auto page, kept.list({.limit = kTrendRuns,
                                         .agent = scored.agent.agent,
                                         .version = scored.agent.version}));
    Trend& trend = out.emplace_back();
    trend.name = to_string(scored.agent);
    for (const auto& one : page.items) trend.scores.push_back(one.score);
    std::reverse(trend.scores.begin(), trend.scores.end());
  }
  return out;
}

}  // namespace vibe::app
