#include "wire/rescored.h"

#include <fmt/format.h>

#include "base/shape_json.h"
#include "base/time.h"
#include "score/rescored_shape.h"
#include "wire/certainty.h"
#include "wire/csv.h"

namespace vibe::base {

// Left out if intervals are not wanted.
template <>
struct Own<WireJson, Row<&score::RescoredRun::certainty>> {
  static void write(JsonWriter& json, const score::RescoredRun& run) {
    if (run.certainty) wire::write_certainty(json, run.certainty);
  }
  static bool read(const JsonValue& from, score::RescoredRun& out) {
    out.certainty = wire::read_certainty(from);
    return true;
  }
};

}  // namespace vibe::base

namespace vibe::wire {

using base::JsonValue;
using base::JsonWriter;
using base::WireJson;

namespace {

constexpr std::string_view kRowsKey = "rows";

template <class Value>
std::string keyed_line(std::string_view key, const Value& value) {
  JsonWriter json;
  json.begin_object().key(key);
  base::write_value<WireJson>(json, value);
  return json.end_object().text() + "\n";
}

std::string truth_cell(const std::optional<bool>& value) {
  return !value ? "" : *value ? "true" : "false";
}

}  // namespace

void RescoredDocument::begin(const score::RescoreSummary& summary, std::string& out) {
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object();
  base::write_members<WireJson>(json, summary);
  out += json.text() + fmt::format(",\n  \"{}\": [", kRowsKey);
}

void RescoredDocument::add(const score::RescoredRun& run, std::string& out) {
  JsonWriter json(JsonWriter::Layout::indented);
  base::write_value<WireJson>(json, run);
  out += any_ ? ",\n    " : "\n    ";
  any_ = true;
  for (const char c : json.text()) {  // strings in it have no line breaks
    out += c;
    if (c == '\n') out += "    ";
  }
}

void RescoredDocument::end(std::string& out) const { out += any_ ? "\n  ]\n}\n" : "]\n}\n"; }

std::string progress_line(std::size_t done, std::size_t total) {
  return fmt::format("{{\"progress\":{{\"done\":{},\"total\":{}}}}}\n", done, total);
}

std::string summary_line(const score::RescoreSummary& summary) {
  return keyed_line("summary", summary);
}
std::string run_line(const score::RescoredRun& run) { return keyed_line("run", run); }

std::optional<score::RescoreSummary> read_summary(const JsonValue& from) {
  score::RescoreSummary out;
  if (!from.object() || !base::read_members<WireJson>(from, out)) return std::nullopt;
  return out;
}

std::optional<score::RescoredRun> read_rescored(const JsonValue& from) {
  score::RescoredRun out;
  if (!base::read_members<WireJson>(from, out) || out.id.empty()) return std::nullopt;
  return out;
}

std::string rescored_csv_head() {
  return csv_row({"id", "suite_name", "model", "created_at", "score_before", "score_after",
                  "rank_before", "rank_after", "passed_before", "passes_after", "error",
                  "interval_low", "interval_high"});
}

std::string rescored_csv_row(const score::RescoredRun& run) {
  std::optional<score::Interval> interval;
  if (run.certainty) {
    const auto& sure = run.certainty->score;
    interval = sure.other_evals ? sure.other_evals : sure.rerun;
  }
  const auto bound = [&](double score::Interval::* end) {
    return csv_number(interval ? std::optional((*interval).*end) : std::nullopt);
  };
  return csv_row({run.id, run.suite, run.model, base::iso_time(run.created_at),
                  csv_number(run.before), csv_number(run.after), csv_number(run.rank_before),
                  csv_number(run.rank_after), truth_cell(run.passed_before),
                  truth_cell(run.passes_after), run.error, bound(&score::Interval::low),
                  bound(&score::Interval::high)});
}

}  // namespace vibe::wire
