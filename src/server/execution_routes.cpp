// Agent executions: posted logs are scored and stored; lists, trends, decisions.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "app/agents/decide_fitness.h"
#include "app/agents/executions.h"
#include "app/agents/fitness_trend.h"
#include "app/agents/score_executions.h"
#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "server/body_schema.h"
#include "server/handlers.h"
#include "server/listing.h"
#include "wire/scored.h"
#include "wire/trend.h"

namespace vibe::server {

namespace {

using base::Code;

// Messages that name the spool file are about the posted log: they must not show its path.
base::Diagnostics without_path(const base::Diagnostics& found, const std::string& path) {
  const auto replaced = [&](std::string text) {
    constexpr std::string_view kName = "the log";
    for (std::size_t at = text.find(path); at != text.npos; at = text.find(path, at + kName.size()))
      text.replace(at, path.size(), kName);
    return text;
  };
  base::Diagnostics out;
  for (const auto& one : found.all()) {
    base::Where where{one.source, one.span};
    if (one.source && one.source->name() == path)
      where.source =
          base::make_source("log", std::string(one.source->text()), one.source->position(0).line);
    out.add(one.code, where, replaced(one.message), replaced(one.hint));
  }
  return out;
}

// The agent given in the query; none: the log says it.
std::optional<fitness::AgentVersion> agent_of(const Call& call) {
  const auto name = call.query("agent");
  if (!name || name->empty()) return std::nullopt;
  fitness::AgentVersion agent = fitness::agent_version(*name);
  if (const auto version = call.query("version")) agent = {*name, *version};
  return agent;
}

struct Scoring {
  app::ScoreExecutionsRequest request;
  std::string place;  // the path of the log on the client
};

base::Result<Scoring> scoring_of(const Call& call) {
  Scoring out;
  out.request.read.logs = {call.request.body_file};
  out.request.read.format = call.query("format");
  out.request.read.threads = 1;
  const auto& limits = call.service.config.serve;
  out.request.read.most_unpacked = limits.most_unpacked_bytes;
  out.request.read.most_sessions = limits.most_upload_sessions;
  out.request.read.may_read_files = false;
  if (const auto task = call.query("task")) {
    out.request.given.type = fitness::task_type(*task);
    if (!out.request.given.type)
      return base::fail(Code::bad_usage, {},
                        fmt::format("unknown task `{}`", base::printable(*task)));
  }
  if (const auto complexity = call.query("complexity")) {
    out.request.given.complexity = fitness::complexity(*complexity);
    if (!out.request.given.complexity)
      return base::fail(Code::bad_usage, {},
                        fmt::format("unknown complexity `{}`", base::printable(*complexity)));
  }
  out.place = call.query("file").value_or("");
  if (!out.place.empty() && !out.place.starts_with('/'))
    return base::fail(Code::bad_usage, {}, "`file` must be an absolute path");
  return out;
}

Response add_to(const Call& call, app::Local& local) {
  if (call.request.body_file.empty()) return error(400, "the body is empty, expected a log");
  const auto scoring = scoring_of(call);
  if (!scoring) return error(call, scoring.error());
  const auto is_gone = std::make_shared<std::atomic<bool>>(false);
  call.reply->on_end([is_gone] { *is_gone = true; });
  app::ScoreExecutionsRequest request = scoring->request;
  request.read.is_unwanted = is_gone.get();
  app::ExecutionRecords records(agent_of(call), base::now_millis());
  const auto scored =
      app::score_executions(request, [&](fitness::Scored one, const fitness::Rubric& rubric) {
        one.execution.file = scoring->place;
        records.add(one, rubric);
      });
  if (*is_gone) return error(503, "the client is gone");  // nobody reads this
  const auto found = without_path(scored.diagnostics, call.request.body_file);
  for (const auto& one : found.all())
    if (one.code == Code::too_large || one.code == Code::too_many) return error(413, one.message);
  if (found.failed()) return error(call, found);
  const auto ids = local.store->journal().keep_executions(records.all());
  if (!ids) return error(call, ids.error());
  base::JsonWriter out;
  out.begin_object().key("executions").begin_array();
  for (const auto& id : *ids) {
    const auto kept = local.executions().find(id);
    if (!kept) return error(call, kept.error());
    if (*kept) out.raw(base::trim(wire::scored_jsonl({&**kept, 1})));
  }
  out.end_array().key("diagnostics").begin_array();
  for (const auto& one : found.all()) base::write_json(out, one);
  return json(out.end_array().end_object().text());
}

Response execution_list(const Call& call, app::Local& local) {
  const auto query = read_execution_query(call.request.target);
  if (!query) return error(400, query.error());
  const auto page = local.executions().list(*query);
  return page ? json(wire::scored_page_json(*page)) : list_error(call, page.error());
}

Response one_execution(const Call& call, app::Local& local) {
  const auto found = app::find_execution(local.executions(), call.parameters[0]);
  return found ? json(wire::scored_json(*found)) : error(call, found.error());
}

Response trend_of(const Call& call, app::Local& local) {
  std::string agent = call.parameters[0];
  if (const auto version = call.query("version")) agent += "@" + *version;
  const auto found = app::agent_trend(local.executions(), agent);
  return found.trend ? json(wire::trend_json(*found.trend)) : error(call, found.diagnostics);
}

// A side: a score, or `NAME@VERSION`; empty: neither.
std::string side_of(const Body& body, std::string_view key) {
  const base::JsonValue* side = body.find(key);
  if (!side) return {};
  if (side->text()) return *side->text();
  return side->number() ? base::to_text(*side) : std::string();
}

void check_sides(const Body& body, base::Diagnostics& out) {
  for (const std::string_view key : {"old", "new"})
    if (body.find(key) && side_of(body, key).empty()) body.refuse(key, out);
}

Response decided(const Call& call, app::Local& local, const Body& body) {
  app::DecideRequest request;
  request.before = side_of(body, "old");
  request.after = side_of(body, "new");
  if (const auto seed = body.integer("seed")) request.seed = static_cast<std::uint64_t>(*seed);
  const auto found = app::decide_fitness(request, local.executions(), local.store->journal());
  if (!found.record) return error(call, found.diagnostics);
  if (!found.not_kept.empty()) return error(call, found.not_kept);
  return json(wire::decision_json(*found.record));
}

Response decisions_of(const Call& call, app::Local& local) {
  const auto query = read_decision_query(call.request.target);
  if (!query) return error(400, query.error());
  const auto page = local.executions().decisions(*query);
  return page ? json(wire::decision_page_json(*page)) : list_error(call, page.error());
}

}  // namespace

void add_executions(Call&& call) { with_store<add_to>(std::move(call)); }
void get_executions(Call&& call) { with_store<execution_list>(std::move(call)); }
void get_execution(Call&& call) { with_store<one_execution>(std::move(call)); }
void get_agent_fitness(Call&& call) { with_store<trend_of>(std::move(call)); }
void get_decisions(Call&& call) { with_store<decisions_of>(std::move(call)); }

void add_decision(Call&& call) { with_body<decided, check_sides>(std::move(call)); }

}  // namespace vibe::server
