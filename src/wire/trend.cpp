#include "wire/trend.h"

#include <fmt/format.h>

#include "base/time.h"
#include "wire/csv.h"
#include "wire/json.h"

namespace vibe::wire {

using fitness::Trend;
using fitness::TrendEntry;

namespace {

void write_entry(base::JsonWriter& json, const Trend& trend, std::size_t i) {
  const TrendEntry& entry = trend.entries[i];
  json.begin_object();
  json.key("id").known(entry.id);
  json.key("file").known(entry.file);
  json.key("execution").known(entry.kept_id);
  json.key("version").known(entry.version);
  json.key("ended").known(entry.ended ? base::iso_micros(*entry.ended) : "");
  json.key("score").number(entry.score);
  json.key("grade").string(entry.grade);
  json.key("weight").number(trend.aggregate.weights[i]);
  json.key("trimmed").boolean(trend.aggregate.trimmed[i]);
  json.end_object();
}

}  // namespace

std::string trend_json(const Trend& trend) {
  auto json = indented_json();
  json.begin_object();
  json.key("aggregate").number(trend.aggregate.value);
  write_interval(json, trend.aggregate.interval);
  json.key("grade").string(trend.grade);
  json.key("count").integer(static_cast<std::int64_t>(trend.entries.size()));
  json.key("unscored").integer(static_cast<std::int64_t>(trend.unscored));
  json.key("rubric").string(trend.rubric);
  json.key("executions").begin_array();
  for (std::size_t i = 0; i < trend.entries.size(); ++i) write_entry(json, trend, i);
  json.end_array();
  json.key("versions").begin_array();
  for (const auto& one : trend.versions) {
    json.begin_object();
    json.key("version").known(one.version);
    json.key("count").integer(static_cast<std::int64_t>(one.scores));
    json.key("aggregate").number(one.value);
    write_interval(json, one.interval);
    json.key("delta").known(one.delta);
    json.key("probability_better").known(one.probability_better);
    json.end_object();
  }
  json.end_array().end_object();
  return json_document(json);
}

std::string trend_csv(const Trend& trend) {
  std::string out =
      csv_row({"session", "file", "version", "ended", "score", "grade", "weight", "trimmed"});
  for (std::size_t i = 0; i < trend.entries.size(); ++i) {
    const TrendEntry& entry = trend.entries[i];
    out += csv_row(
        {entry.id, entry.file, entry.version, entry.ended ? base::iso_micros(*entry.ended) : "",
         fmt::format("{}", entry.score), entry.grade, fmt::format("{}", trend.aggregate.weights[i]),
         trend.aggregate.trimmed[i] ? "true" : "false"});
  }
  return out;
}

}  // namespace vibe::wire
