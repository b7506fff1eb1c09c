#include "wire/certainty.h"

#include <string>

namespace vibe::wire {

using base::JsonValue;
using base::JsonWriter;
using score::Certainty;
using score::FormulaCertainty;
using score::Interval;

namespace {

constexpr std::string_view kOtherEvals = "other_evals", kRerun = "rerun";

void write(JsonWriter& json, const std::optional<Interval>& interval, double level,
           std::string_view about) {
  if (!interval) {
    json.null();
    return;
  }
  json.begin_object().key("low").number(interval->low).key("high").number(interval->high);
  json.key("level").number(level).key("about").string(about).end_object();
}

// `interval` speaks of other evals if it can.
void write_intervals(JsonWriter& json, const FormulaCertainty& formula, double level) {
  json.key("interval");
  const bool has_others = formula.other_evals.has_value();
  write(json, has_others ? formula.other_evals : formula.rerun, level,
        has_others ? kOtherEvals : kRerun);
  json.key("rerun_interval");
  write(json, formula.rerun, level, kRerun);
}

void write_notes(JsonWriter& json, const FormulaCertainty& formula) {
  json.begin_array();
  if (!formula.no_other_evals.empty()) json.string(formula.no_other_evals);
  if (!formula.no_rerun.empty() && formula.no_rerun != formula.no_other_evals)
    json.string(formula.no_rerun);
  for (const auto& note : formula.notes) json.string(note);
  json.end_array();
}

std::optional<Interval> read_interval(const JsonValue* from) {
  const auto low = from ? from->number_of("low") : std::nullopt;
  const auto high = from ? from->number_of("high") : std::nullopt;
  return low && high ? std::optional(Interval{*low, *high}) : std::nullopt;
}

FormulaCertainty read_formula(const JsonValue& from, std::string_view notes) {
  FormulaCertainty out;
  const JsonValue* interval = from.find("interval");
  if (interval && interval->text_of("about") == kOtherEvals)
    out.other_evals = read_interval(interval);
  out.rerun = read_interval(from.find("rerun_interval"));
  const JsonValue* list = from.find(notes);
  if (!list || !list->array()) return out;
  std::vector<std::string> texts;
  for (const JsonValue& note : *list->array())
    if (note.text()) texts.push_back(*note.text());
  // As written: first why there is no interval. The same reason is written once.
  std::size_t next = 0;
  if (!out.other_evals && next < texts.size()) out.no_other_evals = texts[next++];
  if (!out.rerun && !texts.empty())
    out.no_rerun = next < texts.size() ? texts[next++] : texts.front();
  out.notes.assign(texts.begin() + static_cast<std::ptrdiff_t>(next), texts.end());
  return out;
}

}  // namespace

void write_certainty(JsonWriter& json, const std::optional<Certainty>& certainty) {
  const Certainty known = certainty.value_or(Certainty());
  write_intervals(json, known.score, known.level);
  json.key("interval_notes");
  write_notes(json, known.score);
  json.key("score_metric_intervals").begin_object();
  for (const auto& metric : known.metrics) {
    json.key(metric.name).begin_object();
    write_intervals(json, metric, known.level);
    json.key("notes");
    write_notes(json, metric);
    json.end_object();
  }
  json.end_object().key("draws");
  if (!certainty) {
    json.null();
    return;
  }
  json.begin_object().key("seed").integer(known.seed).key("count").integer(known.draws);
  json.key("method").string(known.method).end_object();
}

std::optional<Certainty> read_certainty(const JsonValue& from) {
  const JsonValue* draws = from.find("draws");
  if (!draws || !draws->object()) return std::nullopt;
  Certainty out;
  out.seed = draws->integer_of("seed").value_or(out.seed);
  out.draws = draws->integer_of("count").value_or(0);
  out.method = draws->text_of("method");
  out.score = read_formula(from, "interval_notes");
  for (const char* key : {"interval", "rerun_interval"})
    if (const JsonValue* interval = from.find(key))
      out.level = interval->number_of("level").value_or(out.level);
  const JsonValue* metrics = from.find("score_metric_intervals");
  if (metrics && metrics->object())
    for (const auto& [name, value] : *metrics->object()) {
      out.metrics.push_back(read_formula(value, "notes"));
      out.metrics.back().name = name;
    }
  return out;
}

}  // namespace vibe::wire
