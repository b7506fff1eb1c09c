// Computes intervals for the comparison with the independent reference: JSON lines in and out, as
// tests/reference/statistics_reference.py describes them.
#include <cmath>
#include <iostream>
#include <string>

#include "base/json.h"
#include "base/json_value.h"
#include "score/score.h"
#include "statistics/compare.h"
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

// ---- comparisons

std::vector<statistics::PairedQuestion> paired(const JsonValue& request, const score::Samples& base,
                                               const score::Samples& candidate) {
  // By name; evals without one by their number among these.
  const auto keys = [](const JsonValue& evals) {
    std::vector<std::string> out;
    std::size_t unnamed = 0;
    for (const JsonValue& eval : *evals.array()) {
      const std::string name(eval.text_of("name"));
      out.push_back(name.empty() ? "#" + std::to_string(unnamed++) : name);
    }
    return out;
  };
  const auto base_keys = keys(*request.find("base"));
  const auto candidate_keys = keys(*request.find("candidate"));
  std::vector<statistics::PairedQuestion> out;
  const auto others = statistics::questions_of(candidate);
  for (const auto& question : statistics::questions_of(base))
    for (const auto& other : others)
      if (other.row == question.row &&
          base_keys[question.eval - 1] == candidate_keys[other.eval - 1])
        out.push_back({question, other});
  return out;
}

void write(base::JsonWriter& json, const statistics::Test& test) {
  json.begin_object().key("p").number(test.p).key("p_up").number(test.p_up);
  json.key("p_down")
      .number(test.p_down)
      .key("count")
      .integer(static_cast<std::int64_t>(test.count));
  json.key("exact").boolean(test.is_complete).end_object();
}

void write(base::JsonWriter& json, const std::vector<statistics::Contribution>& all,
           bool with_parts) {
  json.begin_object().key("contributions").begin_array();
  for (const auto& one : all) json.number(one.value);
  json.end_array().key("standard_errors").begin_array();
  for (const auto& one : all) json.number(one.error);
  json.end_array();
  if (with_parts) {
    json.key("evals").begin_array();
    for (const auto& one : all) json.integer(one.part);
    json.end_array();
  }
  json.end_object();
}

void write(base::JsonWriter& json, const std::optional<statistics::Power>& power) {
  if (!power) {
    json.null();
    return;
  }
  json.begin_object().key("mde_other").number(power->other_evals);
  json.key("mde_these").number(power->these_evals).key("floor").known(power->repeats_alone);
  if (power->needed) {
    json.key("evals_low").integer(static_cast<std::int64_t>(power->needed->least));
    json.key("evals").integer(static_cast<std::int64_t>(power->needed->most));
  }
  json.end_object();
}

std::string compare(const JsonValue& request) {
  const JsonValue& evals = *request.find("candidate");
  base::Diagnostics problems;
  const auto program = program_of(request, evals, problems);
  if (!program) return "{\"error\":\"formula\"}";
  const auto base = samples_of(*request.find("base"));
  const auto candidate = samples_of(evals);
  statistics::CompareSettings settings;
  settings.draws = settings_of(request);
  if (const auto shuffles = request.integer_of("shuffles"))
    settings.shuffles = static_cast<std::size_t>(*shuffles);
  settings.thresholds = {request.number_of("margin"), request.number_of("min_effect"),
                         request.number_of("superior_by"), request.number_of("not_worse_than")};
  const statistics::Pairs pairs(base, candidate, paired(request, base, candidate),
                                settings.draws.unit, settings.draws.seed);
  const auto seen =
      statistics::compare(*program, pairs, request.number_of("on_undefined"), settings);
  base::JsonWriter json;
  json.begin_object().key("base").known(seen.scores[0]).key("candidate").known(seen.scores[1]);
  json.key("difference").known(seen.difference);
  for (const auto& [name, claim] :
       {std::pair("these", &seen.these_evals), std::pair("other", &seen.other_evals)}) {
    json.key(name);
    if (!*claim) {
      json.null();
      continue;
    }
    json.begin_object().key("interval");
    write(json, (*claim)->interval);
    json.key("test");
    write(json, (*claim)->test);
    json.end_object();
  }
  json.key("verdict");
  if (seen.judgement)
    json.string(statistics::to_string(seen.judgement->verdict));
  else
    json.null();
  json.key("not_worse");
  if (seen.judgement && seen.judgement->not_worse)
    json.boolean(*seen.judgement->not_worse);
  else
    json.null();
  json.key("power");
  write(json, seen.power);
  json.key("mcnemar");
  if (seen.passes) {
    json.begin_object().key("wins").integer(static_cast<std::int64_t>(seen.passes->won));
    json.key("losses").integer(static_cast<std::int64_t>(seen.passes->lost));
    json.key("p").number(seen.passes->test.exact).key("mid_p").number(seen.passes->test.mid);
    json.end_object();
  } else {
    json.null();
  }
  json.key("shapley");
  write(json, seen.evals, true);
  json.key("terms");
  write(json, seen.terms, false);
  json.end_object();
  return json.text();
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
    std::cout << (request->find("base") ? compare(*request) : interval(*request)) << '\n'
              << std::flush;
  }
}
