// Evaluates formulas for the comparison with the independent reference: JSON lines
// {formula, metrics, evals, samples} in, {codes, ok, value, batch, metrics, score_error} out.
#include <iostream>
#include <string>

#include <simdjson.h>

#include "base/diagnostic.h"
#include "formula/batch.h"
#include "score/score.h"

namespace {

using namespace vibe;
using simdjson::dom::element;

double number(const element& object, const char* key) {
  double value = formula::kUndefined;
  if (object[key].get(value)) return formula::kUndefined;
  return value;
}

std::string answer(const element& request) {
  formula::Names names;
  score::Samples samples;
  for (const element eval : request["evals"].get_array()) {
    std::vector<std::string> tags;
    for (const element tag : eval["tags"].get_array()) tags.emplace_back(std::string_view(tag));
    const std::string name{std::string_view(eval["name"])};
    const auto id = samples.eval(name);
    for (const auto& tag : tags) samples.tag(id, tag);
    names.add_eval(name, std::move(tags));
  }
  for (const element sample : request["samples"].get_array()) {
    std::string_view name;
    if (sample["name"].get(name)) name = {};
    samples.add(samples.eval(name),
                {bool(sample["passed"]), number(sample, "latency"), number(sample, "cost"),
                 number(sample, "prompt_tokens"), number(sample, "completion_tokens"),
                 number(sample, "output_quality"), number(sample, "structure_score"),
                 number(sample, "fitness")});
  }
  std::vector<formula::Definition> metrics;
  for (const element metric : request["metrics"].get_array()) {
    const std::string name{std::string_view(metric.at(0))};
    names.add_metric(name);
    metrics.push_back(
        {name,
         {},
         base::whole(base::make_source("metric", std::string(std::string_view(metric.at(1)))))});
  }
  base::Diagnostics diagnostics;
  const auto program = formula::compile(
      names, metrics,
      base::whole(base::make_source("formula", std::string(std::string_view(request["formula"])))),
      diagnostics);

  base::JsonWriter json;
  json.begin_object().key("codes").begin_array();
  for (const auto& diagnostic : diagnostics.all()) json.string(to_string(diagnostic.code));
  json.end_array().key("ok").boolean(program.has_value());
  if (program) {
    const auto score = score::compute(*program, samples);
    std::vector<double> inputs;
    std::vector<const double*> columns;
    for (const auto& input : program->inputs) inputs.push_back(samples.measure(input));
    for (const auto& input : inputs) columns.push_back(&input);
    double batch = 0;
    std::vector<double*> outputs(program->formulas.size(), nullptr);
    outputs.back() = &batch;
    formula::Batch(*program).run(columns, 1, outputs);
    json.key("value").number(score.value.value_or(formula::kUndefined)).key("batch").number(batch);
    json.key("metrics").begin_object();
    for (const auto& metric : score.metrics)
      json.key(metric.name).number(metric.value.value_or(formula::kUndefined));
    json.end_object().key("score_error");
    if (score.error.empty())
      json.null();
    else
      json.string(score.error);
  }
  json.end_object();
  return json.text();
}

}  // namespace

int main() {
  simdjson::dom::parser parser;
  std::string line;
  while (std::getline(std::cin, line)) {
    line.reserve(line.size() + simdjson::SIMDJSON_PADDING);
    std::cout << answer(parser.parse(line)) << std::endl;
  }
}
