#include "app/agents/keeper.h"

#include <map>
#include <string>
#include <utility>

#include <sys/stat.h>

#include "app/agents/executions.h"
#include "base/json.h"
#include "base/time.h"
#include "remote/server.h"
#include "trace/own.h"

namespace vibe::app {

namespace {

// Stores batches of kMostTogether; each batch is all or nothing.
class LocalKeeper final : public Keeper {
 public:
  LocalKeeper(store::Journal& journal, KeeperSettings settings)
      : journal_(journal), records_(std::move(settings.agent), settings.now) {}

  bool takes_rubrics() const override { return true; }

  base::Result<void> add(const fitness::Scored& scored, const fitness::Rubric& rubric) override {
    records_.add(scored, rubric);
    return records_.all().size() == kMostTogether ? finish() : base::Result<void>();
  }

  base::Result<void> finish() override {
    if (records_.all().empty()) return {};
    auto kept = journal_.keep_some(records_.all(), places_);
    records_.clear();
    if (!kept) return tl::unexpected(std::move(kept.error()));
    return {};
  }

  base::Result<void> add_decision(fitness::DecisionRecord& record) override {
    return journal_.add_decision(record);
  }

 private:
  store::Journal& journal_;
  ExecutionRecords records_;  // not stored yet
  store::ExecutionPlaces places_;
};

// Whether the side of a decision is an agent with stored executions, not a log.
bool is_agent(const fitness::DecisionSide& side) {
  struct stat found{};
  return !side.executions.empty() && side.what != "-" && ::stat(side.what.c_str(), &found) != 0;
}

class RemoteKeeper final : public Keeper {
 public:
  RemoteKeeper(remote::Server& server, KeeperSettings settings)
      : server_(server), agent_(std::move(settings.agent)) {}

  bool takes_rubrics() const override { return false; }

  base::Result<void> add(const fitness::Scored& scored, const fitness::Rubric&) override {
    constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // servers accept 256 MiB by default
    const std::string file = place_of(scored.execution.file);
    // A server distinguishes executions without an id by their order in one log, so they are sent
    // together.
    const bool may_send = file != unnamed_in_;
    if (may_send && (line_count_ >= kMostTogether || byte_count_ > kMostBytes)) {
      VIBE_TRY(finish());
    }
    if (scored.execution.id.empty()) unnamed_in_ = file;
    base::JsonWriter json;
    trace::write_json(json, scored.execution, false);
    lines_[file].append(json.text()).append("\n");
    byte_count_ += json.text().size() + 1;
    ++line_count_;
    return {};
  }

  base::Result<void> finish() override {
    for (const auto& [file, lines] : std::exchange(lines_, {})) {
      std::vector<std::pair<std::string_view, std::string>> query;
      if (!file.empty()) query.emplace_back("file", file);
      if (agent_)
        query.insert(query.end(), {{"agent", agent_->agent}, {"version", agent_->version}});
      VIBE_TRY(server_.ask({.method = "POST",
                            .path = "/api/executions" + remote::query(query),
                            .body = lines,
                            .type = "application/x-ndjson"}));
    }
    line_count_ = byte_count_ = 0;
    return {};
  }

  // For sides that are agents, the server uses its stored executions.
  base::Result<void> add_decision(fitness::DecisionRecord& record) override {
    base::JsonWriter body;
    const auto write = [&](std::string_view key, const fitness::DecisionSide& side, double score) {
      body.key(key);
      is_agent(side) ? body.string(side.what) : body.number(score);
    };
    body.begin_object();
    write("old", record.before, record.decision.old_score);
    write("new", record.after, record.decision.new_score);
    body.key("seed").raw(std::to_string(record.decision.seed)).end_object();
    VIBE_TRY(const auto kept,
             server_.ask({.method = "POST", .path = "/api/decisions", .body = body.text()}));
    record.id = kept.body.text_of("decision_id");
    if (const auto time = base::parse_time(kept.body.text_of("made_at"))) record.made_at = *time;
    return {};
  }

 private:
  remote::Server& server_;
  std::optional<fitness::AgentVersion> agent_;
  std::map<std::string, std::string> lines_;  // JSON lines not sent yet, by file
  std::size_t line_count_ = 0, byte_count_ = 0;
  std::optional<std::string> unnamed_in_;  // the file of the last execution without an id
};

}  // namespace

std::unique_ptr<Keeper> make_local_keeper(store::Journal& journal, KeeperSettings settings) {
  return std::make_unique<LocalKeeper>(journal, std::move(settings));
}

std::unique_ptr<Keeper> make_remote_keeper(remote::Server& server, KeeperSettings settings) {
  return std::make_unique<RemoteKeeper>(server, std::move(settings));
}

}  // namespace vibe::app
