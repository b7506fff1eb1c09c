#include "wire/calibration.h"

#include "wire/json.h"

namespace vibe::wire {

using fitness::Calibration;
using fitness::Separation;

namespace {

void write_fit(base::JsonWriter& json, const Calibration& found) {
  json.key("terms").begin_array();
  for (const auto& term : found.terms) {
    json.begin_object().key("expr").string(term.expr);
    json.key("before").number(term.before).key("after").number(term.after);
    json.key("fitted").boolean(term.fitted).end_object();
  }
  json.end_array();
  json.key("fitted_on").integer(static_cast<std::int64_t>(found.fitted_on));
  json.key("with_gaps").integer(static_cast<std::int64_t>(found.with_gaps));
  json.key("auc_before").known(found.auc_before);
  json.key("auc_after").known(found.auc_after);
  json.key("gain");
  if (found.gain) {
    json.begin_object().key("value").number(found.gain->value);
    write_interval(json, found.gain->interval);
    json.key("within_noise").boolean(found.gain_within_noise()).end_object();
  } else {
    json.null();
  }
  json.key("formula").known(found.formula);
  json.key("why_not").known(found.why_not);
}

}  // namespace

std::string calibration_json(const ReportedCalibration& reported) {
  const Calibration& found = reported.found;
  auto json = indented_json();
  json.begin_object();
  json.key("good").integer(static_cast<std::int64_t>(found.good));
  json.key("bad").integer(static_cast<std::int64_t>(found.bad));
  json.key("unlabelled").integer(static_cast<std::int64_t>(reported.unlabelled));
  json.key("unmatched").begin_array();
  for (const auto& name : reported.unmatched) json.string(name);
  json.end_array();
  json.key("signals").begin_array();
  for (const Separation& one : found.separations) {
    json.begin_object().key("name").string(one.name);
    json.key("count").integer(static_cast<std::int64_t>(one.count));
    json.key("auc").known(one.auc ? std::optional(one.auc->value) : std::nullopt);
    write_interval(json, one.auc ? std::optional(one.auc->interval) : std::nullopt);
    json.key("rank_correlation").known(one.rank_correlation);
    json.key("verdict").known(to_string(separates(one)));
    json.end_object();
  }
  json.end_array();
  write_fit(json, found);
  json.key("rubric").known(reported.proposal);
  json.key("output").known(reported.output);
  json.end_object();
  return json_document(json);
}

}  // namespace vibe::wire
