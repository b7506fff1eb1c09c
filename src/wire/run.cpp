#include "wire/run.h"

#include <algorithm>

#include "base/shape_json.h"
#include "base/text.h"
#include "formula/names.h"
#include "score/run_shape.h"
#include "wire/certainty.h"
#include "wire/csv.h"
#include "wire/json.h"

namespace vibe::base {

using score::NamedValue;
using wire::kErrorType;

// ---- members with a special form

// `failed` is written only if the call has a result.
template <>
struct Own<WireJson, Row<&score::ToolCall::failed>> {
  static void write(JsonWriter& json, const score::ToolCall& call) {
    if (call.result) json.key("failed").boolean(call.failed);
  }
  static bool read(const JsonValue& from, score::ToolCall& out) {
    const JsonValue* failed = from.find("failed");
    out.failed = failed && failed->boolean() == true;
    return true;
  }
};

// Clients that show only checks look there for why there is no answer.
template <>
struct Own<WireJson, Row<&score::Turn::checks>> {
  static constexpr std::string_view kKey = "check_results";

  static void write(JsonWriter& json, const score::Turn& turn) {
    json.key(kKey);
    if (!turn.checks.empty() || turn.error.empty()) return write_value<WireJson>(json, turn.checks);
    const std::vector<score::Finding> why{{.type = std::string(kErrorType),
                                           .verdict = score::Verdict::error,
                                           .message = turn.error,
                                           .children = {}}};
    write_value<WireJson>(json, why);
  }
  static bool read(const JsonValue& from, score::Turn& out) {
    const JsonValue* list = from.find(kKey);
    if (list && !read_value<WireJson>(*list, out.checks)) return false;
    std::erase_if(out.checks, [](const auto& one) { return one.type == kErrorType; });
    return true;
  }
};

// Clients identify a result without an eval name by its prompt; `label` is its name here.
template <>
struct Own<WireJson, Row<&score::Result::eval_name>> {
  static void write(JsonWriter& json, const score::Result& result) {
    json.key("eval_name").string(wire::client_name(result));
    if (result.eval.empty()) json.key("label").string(result.eval_name);
  }
  static bool read(const JsonValue& from, score::Result& out) {
    out.eval_name = from.text_of("label");
    if (out.eval_name.empty()) out.eval_name = from.text_of("eval_name");
    return true;
  }
};

// By name: the values, the formulas, and why there is no value.
template <>
struct Own<WireJson, Row<&score::Run::score_metrics>> {
  static void write(JsonWriter& json, const score::Run& run) {
    json.key("score_metrics").begin_object();
    for (const auto& metric : run.score_metrics) json.key(metric.name).known(metric.value);
    json.end_object().key("score_metric_formulas").begin_object();
    for (const auto& metric : run.score_metrics) json.key(metric.name).string(metric.formula);
    json.end_object().key("score_metric_errors").begin_object();
    for (const auto& metric : run.score_metrics)
      if (!metric.error.empty()) json.key(metric.name).string(metric.error);
    json.end_object();
  }
  static bool read(const JsonValue& from, score::Run& out) {
    const JsonValue *values = from.find("score_metrics"),
                    *formulas = from.find("score_metric_formulas"),
                    *errors = from.find("score_metric_errors");
    if (!values || !values->object()) return true;
    for (const auto& [name, value] : *values->object())
      out.score_metrics.push_back({name, std::string(formulas ? formulas->text_of(name) : ""),
                                   value.number(),
                                   std::string(errors ? errors->text_of(name) : "")});
    return true;
  }
};

// Left out if there are none.
template <>
struct Own<WireJson, Row<&score::Run::kept_scores>> {
  static void write(JsonWriter& json, const score::Run& run) {
    if (run.kept_scores.empty()) return;
    json.key("kept_scores").begin_array();
    for (const auto& kept : run.kept_scores) {
      json.begin_object().key("name").string(kept.name).key("formula").string(kept.formula);
      json.key("score").known(kept.value).key("error").known(kept.error).end_object();
    }
    json.end_array();
  }
  static bool read(const JsonValue& from, score::Run& out) {
    const JsonValue* all = from.find("kept_scores");
    if (!all || !all->array()) return true;
    for (const auto& kept : *all->array())
      out.kept_scores.push_back({std::string(kept.text_of("name")),
                                 std::string(kept.text_of("formula")), kept.number_of("score"),
                                 std::string(kept.text_of("error"))});
    return true;
  }
};

template <>
struct Own<WireJson, Row<&score::Run::certainty>> {
  static void write(JsonWriter& json, const score::Run& run) {
    wire::write_certainty(json, run.certainty);
  }
  static bool read(const JsonValue& from, score::Run& out) {
    out.certainty = wire::read_certainty(from);
    return true;
  }
};

// For a run that is not finished, all of them are unknown.
template <>
struct Own<WireJson, Row<&score::Run::metrics>> {
  static void write(JsonWriter& json, const score::Run& run) {
    json.key("metrics").begin_object();
    for (const auto& metric : run.metrics) json.key(metric.name).known(metric.value);
    if (run.metrics.empty())
      for (const auto& metric : formula::kRunMetrics) json.key(metric.name).null();
    json.end_object();
  }
  static bool read(const JsonValue& from, score::Run& out) {
    const JsonValue* metrics = from.find("metrics");
    if (metrics && metrics->object())
      for (const auto& [name, value] : *metrics->object())
        out.metrics.push_back({name, "", value.number(), ""});
    return true;
  }
};

}  // namespace vibe::base

namespace vibe::wire {

using base::Detail;
using base::JsonValue;
using base::JsonWriter;
using base::WireJson;

std::string client_name(const score::Result& result) {
  constexpr std::size_t kMost = 60;
  if (!result.eval.empty()) return result.eval_name;
  const std::string prompt = base::fold_white_space(base::trim(result.prompt));
  return prompt.empty() ? result.eval_name : base::shorten(prompt, kMost);
}

void write_result(JsonWriter& json, const score::Result& result) {
  json.begin_object();
  base::write_members<WireJson>(json, result);
  json.end_object();
}

void write_run(JsonWriter& json, const score::Run& run) {
  json.begin_object();
  base::write_members<WireJson>(json, run, Detail::none);
  json.end_object();
}

void write_run(JsonWriter& json, const score::Run& run, std::span<const score::Result> results) {
  json.begin_object();
  base::write_members<WireJson>(json, run);
  json.key("results").begin_array();
  for (const auto& result : results) write_result(json, result);
  json.end_array().end_object();
}

std::string page_json(const store::RunPage& page) {
  auto json = indented_json();
  json.begin_object().key("runs").begin_array();
  for (const auto& run : page.runs) write_run(json, run);
  json.end_array();
  write_pagination(json, page.total, page.next);
  json.end_object();
  return json_document(json);
}

std::optional<score::Run> read_run(const JsonValue& from) {
  score::Run out;
  if (!base::read_members<WireJson>(from, out) || out.id.empty()) return std::nullopt;
  return out;
}

std::optional<score::Result> read_result(const JsonValue& from) {
  score::Result out;
  if (!base::read_members<WireJson>(from, out)) return std::nullopt;
  return out;
}

std::optional<std::vector<score::Result>> read_results(const JsonValue& run) {
  std::vector<score::Result> out;
  const JsonValue* list = run.find("results");
  if (list && !base::read_value<WireJson>(*list, out)) return std::nullopt;
  return out;
}

std::optional<store::RunPage> read_run_page(const JsonValue& from) {
  const JsonValue* list = from.find("runs");
  store::RunPage out;
  if (!list || !list->array()) return std::nullopt;
  for (const JsonValue& each : *list->array()) {
    auto run = read_run(each);
    if (!run) return std::nullopt;
    out.runs.push_back(*std::move(run));
  }
  read_pagination(from, out);
  return out;
}

std::string runs_csv(std::span<const score::Run> runs) { return csv_of(runs); }
std::string results_csv(std::span<const score::Result> results) { return csv_of(results); }

}  // namespace vibe::wire
