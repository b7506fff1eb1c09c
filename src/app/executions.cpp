#include "app/executions.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/crypto.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "remote/server.h"
#include "trace/own.h"

namespace vibe::app {

using base::Code;

namespace {

// The same whatever folder it is read from; what came from standard input has no name.
std::string place_of(const std::string& file) {
  if (file.empty() || file == base::display_name("-")) return {};
  std::error_code error;
  const auto path = std::filesystem::absolute(file, error);
  return error ? file : path.lexically_normal().string();
}

}  // namespace

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

ExecutionKeeper::ExecutionKeeper(bool is_rubric_given, std::optional<fitness::AgentVersion> agent,
                                 store::Millis now)
    : is_rubric_given_(is_rubric_given), agent_(agent), records_(std::move(agent), now) {}

ExecutionKeeper::~ExecutionKeeper() = default;

bool ExecutionKeeper::open() {
  if (local_ || failed_) return !failed_;
  local_ = open_local(problems_);
  failed_ = !local_;
  if (!local_ || !local_->server || !is_rubric_given_) return !failed_;
  problems_.add(Code::bad_usage, {}, "a server scores by its own rubric, and keeps no other scores",
                "with `--no-keep`, `--rubric` does its work on this machine alone");
  failed_ = true;
  return false;
}

void ExecutionKeeper::add(const fitness::Scored& scored, const fitness::Rubric& rubric) {
  if (!open()) return;
  if (local_->server) {
    add_line(scored.execution);
  } else {
    records_.add(scored, rubric);
    if (records_.all().size() == kMostTogether) keep();
  }
}

void ExecutionKeeper::add_line(const trace::Execution& execution) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // servers take 256 MiB by default
  const std::string file = place_of(execution.file);
  // A server tells executions without an id apart by their order in one log, so they stay together.
  const bool may_send = file != unnamed_in_;
  if (may_send && (line_count_ >= kMostTogether || byte_count_ > kMostBytes)) send();
  if (execution.id.empty()) unnamed_in_ = file;
  base::JsonWriter json;
  trace::write_json(json, execution, false);
  lines_[file].append(json.text()).append("\n");
  byte_count_ += json.text().size() + 1;
  ++line_count_;
}

void ExecutionKeeper::keep() {
  const auto kept = local_->store->keep_some(records_.all(), places_);
  records_.clear();
  if (kept) return;
  problems_.append(kept.error());
  failed_ = true;
}

void ExecutionKeeper::send() {
  for (const auto& [file, lines] : std::exchange(lines_, {})) {
    std::vector<std::pair<std::string_view, std::string>> query;
    if (!file.empty()) query.emplace_back("file", file);
    if (agent_) query.insert(query.end(), {{"agent", agent_->agent}, {"version", agent_->version}});
    const auto sent = local_->server->ask({.method = "POST",
                                           .path = "/api/executions" + remote::query(query),
                                           .body = lines,
                                           .type = "application/x-ndjson"});
    if (sent) continue;
    problems_.append(sent.error());
    failed_ = true;
    return;
  }
  line_count_ = byte_count_ = 0;
}

base::Diagnostics ExecutionKeeper::finish() {
  if (!failed_ && !records_.all().empty()) keep();
  if (!failed_ && !lines_.empty()) send();
  return std::move(problems_);
}

base::Result<fitness::ScoredExecution> find_execution(store::Store& store, std::string_view id) {
  auto found = store.execution(id);
  if (!found) return tl::unexpected(found.error());
  if (*found) return **std::move(found);
  if (id == "last")
    return base::fail(Code::not_found, {}, "there is no execution yet",
                      "`vibe fitness score LOG` scores and keeps them");
  return base::fail(Code::not_found, {},
                    fmt::format("there is no execution `{}`", base::printable(id)),
                    "`vibe get executions` lists them; `last` is the newest");
}

base::Result<std::vector<Trend>> version_trends(
    store::Store& store, std::span<const fitness::ScoredExecution> executions) {
  std::vector<Trend> out;
  std::vector<fitness::AgentVersion> seen;
  for (const auto& scored : executions) {
    if (std::find(seen.begin(), seen.end(), scored.agent) != seen.end()) continue;
    seen.push_back(scored.agent);
    const auto page = store.executions(
        {.limit = kTrendRuns, .agent = scored.agent.agent, .version = scored.agent.version});
    if (!page) return tl::unexpected(page.error());
    Trend& trend = out.emplace_back();
    trend.name = to_string(scored.agent);
    for (const auto& one : page->items) trend.scores.push_back(one.score);
    std::reverse(trend.scores.begin(), trend.scores.end());
  }
  return out;
}

}  // namespace vibe::app
