#include "wire/score.h"

#include "wire/certainty.h"
#include "wire/json.h"

namespace vibe::wire {

std::string score_json(const score::Score& score,
                       const std::optional<score::Certainty>& certainty) {
  auto json = indented_json();
  json.begin_object().key("score").known(score.value);
  json.key("score_formula").string(score.formula);
  json.key("score_error").known(score.error);
  json.key("success_pct").number(score.run_metric("success_pct"));
  json.key("metrics").begin_object();
  for (std::size_t i = 0; i < formula::kRunMetrics.size(); ++i)
    json.key(formula::kRunMetrics[i].name).number(score.run_metrics[i]);
  json.end_object().key("score_metrics").begin_object();
  for (const auto& metric : score.metrics) json.key(metric.name).known(metric.value);
  json.end_object().key("score_metric_errors").begin_object();
  for (const auto& metric : score.metrics)
    if (!metric.error.empty()) json.key(metric.name).string(metric.error);
  json.end_object();
  write_certainty(json, certainty);
  json.key("explanation");
  write_json(json, score.explanation);
  json.end_object();
  return json_document(json);
}

}  // namespace vibe::wire
