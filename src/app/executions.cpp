#include "app/executions.h"

#include <algorithm>
#include <filesystem>
#include <map>

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

base::Result<std::vector<std::string>> keep_executions(
    store::Store& store, std::span<const fitness::Scored> executions, const fitness::Rubric& rubric,
    const std::optional<fitness::AgentVersion>& agent, store::Millis now) {
  const std::string hash = base::hash(rubric.text);
  std::vector<fitness::ScoredExecution> records;
  records.reserve(executions.size());
  for (const auto& scored : executions) {
    auto& record = records.emplace_back(record_of(scored, rubric));
    record.id = base::uuid7(now);
    record.scored_at = now;
    record.rubric_hash = hash;
    record.execution.file = place_of(record.execution.file);
    if (agent) record.agent = *agent;
  }
  return store.keep_executions(records);
}

base::Result<void> send_executions(remote::Server& server,
                                   std::span<const fitness::Scored> executions,
                                   const std::optional<fitness::AgentVersion>& agent) {
  std::map<std::string, std::string> by_file;  // lines of JSON
  for (const auto& [execution, fitness] : executions) {
    base::JsonWriter json;
    trace::write_json(json, execution, false);
    by_file[place_of(execution.file)].append(json.text()).append("\n");
  }
  for (const auto& [file, lines] : by_file) {
    std::vector<std::pair<std::string_view, std::string>> query;
    if (!file.empty()) query.emplace_back("file", file);
    if (agent) query.insert(query.end(), {{"agent", agent->agent}, {"version", agent->version}});
    const auto sent = server.ask({.method = "POST",
                                  .path = "/api/executions" + remote::query(query),
                                  .body = lines,
                                  .type = "application/x-ndjson"});
    if (!sent) return tl::unexpected(sent.error());
  }
  return {};
}

base::Result<void> keep_executions(Local& local, std::span<const fitness::Scored> executions,
                                   const fitness::Rubric& rubric, bool is_rubric_given,
                                   const std::optional<fitness::AgentVersion>& agent,
                                   store::Millis now) {
  if (local.server && is_rubric_given)
    return base::fail(Code::bad_usage, {},
                      "a server scores by its own rubric, and keeps no other scores",
                      "with `--no-keep`, `--rubric` does its work on this machine alone");
  if (local.server) return send_executions(*local.server, executions, agent);
  const auto kept = keep_executions(*local.store, executions, rubric, agent, now);
  if (!kept) return tl::unexpected(kept.error());
  return {};
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
