#include "wire/fitness.h"

#include "trace/own.h"

namespace vibe::wire {

using base::JsonWriter;
using fitness::Fitness;
using fitness::Signal;
using fitness::Term;

namespace {

void write_explanation(JsonWriter& json, const Fitness& fitness) {
  json.key("explanation").begin_object();
  json.key("task_type_from").string(fitness.task.type_from);
  json.key("complexity_from").string(fitness.task.complexity_from);
  json.key("scale").number(fitness.scale);
  json.key("terms").begin_array();
  for (const Term& term : fitness.terms) {
    json.begin_object();
    json.key("expr").string(term.expr);
    json.key("weight").number(term.weight);
    json.key("value").known(term.value);
    json.key("points").number(term.points);
    json.key("most_points").number(term.most_points);
    json.key("signals").begin_array();
    for (const Signal id : term.signals)
      json.string(fitness::kSignals[static_cast<std::size_t>(id)].name);
    json.end_array().end_object();
  }
  json.end_array();
  json.key("formula");
  write_json(json, fitness.explanation);
  json.key("signals").begin_object();
  for (std::size_t i = 0; i < fitness::kSignals.size(); ++i) {
    const auto& signal = fitness.signals[i];
    json.key(fitness::kSignals[i].name).begin_object();
    json.key("value").known(signal.value);
    json.key("why").known(signal.why);
    json.key("evidence").begin_array();
    for (const auto& text : signal.evidence) json.string(text);
    json.end_array().end_object();
  }
  json.end_object().end_object();
}

}  // namespace

void write_fitness(JsonWriter& json, const fitness::Scored& scored, const fitness::Rubric& rubric,
                   base::Detail detail) {
  const Fitness& fitness = scored.fitness;
  json.begin_object();
  trace::write_figures(json, scored.execution);
  json.key("signals").begin_object();
  for (std::size_t i = 0; i < fitness::kSignals.size(); ++i)
    json.key(fitness::kSignals[i].name).known(fitness.signals[i].value);
  json.end_object();
  json.key("score").known(fitness.score);
  json.key("grade").known(fitness.grade);
  json.key("interpretation").known(fitness.meaning);
  json.key("notes").begin_array();
  for (const auto& note : all_notes(scored, rubric)) json.string(note);
  json.end_array();
  if (detail == base::Detail::all) write_explanation(json, fitness);
  json.end_object();
}

}  // namespace vibe::wire
