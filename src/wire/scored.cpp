#include "wire/scored.h"

#include "base/shape_json.h"
#include "fitness/record_shape.h"
#include "wire/csv.h"
#include "wire/json.h"

namespace vibe::base {

// By their names.
template <>
struct Own<WireJson, Row<&fitness::ScoredExecution::signals>> {
  static void write(JsonWriter& json, const fitness::ScoredExecution& scored) {
    json.key("signals").begin_object();
    for (std::size_t i = 0; i < scored.signals.size(); ++i)
      json.key(fitness::kSignals[i].name).known(scored.signals[i]);
    json.end_object();
  }
  static bool read(const JsonValue& from, fitness::ScoredExecution& out) {
    const JsonValue* signals = from.find("signals");
    if (!signals) return false;
    for (std::size_t i = 0; i < out.signals.size(); ++i)
      out.signals[i] = signals->number_of(fitness::kSignals[i].name);
    return true;
  }
};

}  // namespace vibe::base

namespace vibe::wire {

using base::JsonValue;
using base::JsonWriter;
using base::WireJson;
using fitness::DecisionRecord;
using fitness::ScoredExecution;

namespace {

template <class Item, class Read>
std::optional<store::Page<Item>> read_page(const JsonValue& from, std::string_view key, Read read) {
  const JsonValue* list = from.find(key);
  if (!list || !list->array()) return std::nullopt;
  store::Page<Item> out;
  for (const auto& each : *list->array()) {
    std::optional<Item> item = read(each);
    if (!item) return std::nullopt;
    out.items.push_back(*std::move(item));
  }
  read_pagination(from, out);
  return out;
}

template <class Item>
std::string json_lines(std::span<const Item> items) {
  std::string out;
  for (const auto& item : items) {
    JsonWriter json;
    base::write_value<WireJson>(json, item);
    out += json.text() + "\n";
  }
  return out;
}

template <class Item>
std::string one_json(const Item& item) {
  auto json = indented_json();
  base::write_value<WireJson>(json, item);
  return json_document(json);
}

template <class Item>
std::string page_of(std::string_view name, const store::Page<Item>& page) {
  auto json = indented_json();
  json.begin_object().key(name);
  base::write_value<WireJson>(json, page.items);
  write_pagination(json, page.total, page.next);
  json.end_object();
  return json_document(json);
}

}  // namespace

std::string scored_json(const ScoredExecution& scored) { return one_json(scored); }

std::string scored_page_json(const store::ExecutionPage& page) {
  return page_of("executions", page);
}

std::string scored_jsonl(std::span<const ScoredExecution> executions) {
  return json_lines(executions);
}

std::string scored_csv(std::span<const ScoredExecution> executions) { return csv_of(executions); }

std::string decision_json(const DecisionRecord& record) { return one_json(record); }

std::string decision_page_json(const store::DecisionPage& page) {
  return page_of("decisions", page);
}

std::string decision_jsonl(std::span<const DecisionRecord> decisions) {
  return json_lines(decisions);
}

std::string decision_csv(std::span<const DecisionRecord> decisions) { return csv_of(decisions); }

std::optional<ScoredExecution> read_scored(const JsonValue& from) {
  ScoredExecution out;
  if (!base::read_members<WireJson>(from, out) || out.id.empty()) return std::nullopt;
  // What the log says does not cross the API.
  out.execution.agent = out.agent.agent;
  out.execution.task_type = to_string(out.task_type);
  out.execution.complexity = to_string(out.complexity);
  return out;
}

std::optional<DecisionRecord> read_decision(const JsonValue& from) {
  DecisionRecord out;
  if (!base::read_members<WireJson>(from, out)) return std::nullopt;
  return out;
}

std::optional<store::ExecutionPage> read_scored_page(const JsonValue& from) {
  return read_page<ScoredExecution>(from, "executions", read_scored);
}

std::optional<store::DecisionPage> read_decision_page(const JsonValue& from) {
  return read_page<DecisionRecord>(from, "decisions", read_decision);
}

}  // namespace vibe::wire
