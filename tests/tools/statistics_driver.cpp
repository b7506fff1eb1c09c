// Computes intervals for the comparison with the independent reference: JSON lines in and out, as
// tests/reference/statistics_reference.py describes them.
#include <cmath>
#include <iostream>
#include <string>

#include "base/json.h"
#include "base/json_value.h"
#include "score/score.h"
#include "statistics/interval.h"

namespace {

using namespace vibe;
using base::JsonValue;

double figure(const JsonValue& answer, std::string_view key) {
  return answer.number_of(key).value_or(formula::kUndefined);
}

struct Case {
  formula::Names names;
  score::Samples samples;
};

score::Samples samples_of(const JsonValue& evals) {
  score::Samples out;
  std::uint32_t sample = 0;
  for (const JsonValue& eval : *evals.array()) {
    const std::string name(eval.text_of("name"));
    const std::uint32_t number = name.empty() ? out.add_unnamed() : out.eval(name);
    if (const JsonValue* tags = eval.find("tags"))
      for (const JsonValue& tag : *tags->array()) out.tag(number, *tag.text());
    std::uint32_t row = 0;
    for (const JsonValue& answers : *eval.find("cases")->array()) {
      std::uint32_t repeat = 0;
      for (const JsonValue& answer : *answers.array()) {
        score::Sample one{answer.integer_of("passed").value_or(0) != 0, figure(answer, "latency"),
                          figure(answer, "cost"), figure(answer, "prompt_tokens"),
                          figure(answer, "completion_tokens")};
        if (const JsonValue* error = answer.find("error"); error && error->boolean() == true) {
          one.passed = false;
          if (std::isnan(one.latency) && std::isnan(one.cost)) one.cost = 0;
        }
        out.add(number, one, {sample++, row, repeat++});
      }
      ++row;
    }
  }
  return out;
}

std::optional<formula::Program> program_of(const JsonValue& request, const JsonValue& evals,
                                           base::Diagnostics& out) {
  formula::Names names;
  for (const JsonValue& eval : *evals.array()) {
    std::vector<std::string> tags;
    if (const JsonValue* given = eval.find("tags"))
      for (const JsonValue& tag : *given->array()) tags.push_back(*tag.text());
    if (const std::string name(eval.text_of("name")); !name.empty())
      names.add_eval(name, std::move(tags));
  }
  std::vector<formula::Definition> metrics;
  if (const JsonValue* given = request.find("metrics"))
    for (const auto& [name, text] : *given->object()) {
      names.add_metric(name);
      metrics.push_back({name, {}, base::whole(base::make_source(name, *text.text()))});
    }
  const auto source = base::make_source("formula", std::string(request.text_of("formula")));
  return formula::compile(names, metrics, base::whole(source), out);
}

statistics::Settings settings_of(const JsonValue& request) {
  statistics::Settings out;
  if (const auto seed = request.integer_of("seed")) out.seed = static_cast<std::uint64_t>(*seed);
  if (const auto draws = request.integer_of("draws")) out.draws = static_cast<std::size_t>(*draws);
  if (const auto level = request.number_of("level")) out.level = *level;
  const auto unit = request.text_of("unit");
  if (unit == "eval") out.unit = statistics::UnitKind::eval;
  if (unit == "case") out.unit = statistics::UnitKind::cases;
  return out;
}

void write(base::JsonWriter& json, const std::optional<score::Interval>& interval) {
  if (!interval) {
    json.null();
    return;
  }
  json.begin_object().key("low").number(interval->low).key("high").number(interval->high);
  json.end_object();
}

void write(base::JsonWriter& json, const statistics::Spread& spread, double tail,
           const std::vector<double>& values) {
  json.begin_object().key("lambda").number(tail).key("nu").number(spread.freedom);
  json.key("values").begin_array();
  for (const double value : values) json.number(value);
  json.end_array().end_object();
}

std::string interval(const JsonValue& request) {
  const JsonValue& evals = *request.find("evals");
  base::Diagnostics problems;
  const auto program = program_of(request, evals, problems);
  if (!program) return "{\"error\":\"formula\"}";
  const auto samples = samples_of(evals);
  const auto on_undefined = request.number_of("on_undefined");
  const auto score = score::compute(*program, samples);
  std::vector<std::optional<double>> values;
  for (const auto& metric : score.metrics) values.push_back(metric.value);
  values.push_back(score.value);
  std::vector<statistics::Details> details;
  const auto estimates =
      statistics::estimate(*program, samples, values, on_undefined, settings_of(request), &details);
  const auto& last = estimates.back();
  base::JsonWriter json;
  json.begin_object().key("score");
  json.number(score.value.value_or(on_undefined.value_or(formula::kUndefined)));
  json.key("interval");
  write(json, last.other_evals);
  json.key("rerun_interval");
  write(json, last.rerun);
  json.key("other");
  write(json, details.back().other_spread, details.back().other_tail, details.back().other_values);
  json.key("rerun");
  write(json, details.back().rerun_spread, details.back().rerun_tail, details.back().rerun_values);
  json.key("notes").begin_array();
  for (const auto& note : last.notes) json.string(note.text);
  json.end_array().end_object();
  return json.text();
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto request = base::parse_json(line);
    if (!request) return 1;
    std::cout << interval(*request) << '\n' << std::flush;
  }
}
