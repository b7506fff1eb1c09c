#include "report/calibration.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "report/table.h"
#include "report/trend.h"

namespace vibe::report {

using fitness::Calibration;
using fitness::Separation;

namespace {

std::string session_count(std::size_t count) {
  return fmt::format("{} session{}", count, count == 1 ? "" : "s");
}

std::string verdict_in_full(const Separation& one) {
  std::string word(verdict(one));
  if (word.empty() || word == "nothing") return word;
  return one.auc->value < 0.5 ? word + ", less is better" : word;
}

std::string separation_table(const Calibration& found, const TextStyle& style) {
  Table table({{"Signal", Align::left, 10},
               {"Sessions", Align::right, 0},
               {"AUC", Align::right, 0},
               {"95 % interval", Align::left, 0},
               {"Rank correlation", Align::right, 0},
               {"Tells good from bad?", Align::left, 0}});
  for (const Separation& one : found.separations)
    table.add({one.name, fmt::format("{}", one.count),
               one.auc ? fmt::format("{:.3f}", one.auc->value) : "N/A",
               show_interval(one.auc ? std::optional(one.auc->interval) : std::nullopt, 3),
               one.rank_correlation ? fmt::format("{:+.2f}", *one.rank_correlation) : "N/A",
               verdict_in_full(one)});
  return table.to_text(style.width);
}

std::string term_table(const Calibration& found, const TextStyle& style) {
  Table table({{"Term", Align::left, 10},
               {"Weight", Align::right, 0},
               {"Fitted", Align::right, 0},
               {"", Align::left, 0}});
  for (const auto& term : found.terms)
    table.add({base::printable(term.expr), base::to_decimal(term.before, 4),
               base::to_decimal(term.after, 4),
               !term.fitted      ? "kept: nothing here tells about it"
               : term.after == 0 ? "left out"
                                 : ""});
  return table.to_text(style.width);
}

std::string gain_text(const Calibration& found) {
  if (!found.gain) return {};
  std::string out = fmt::format(
      "The score's AUC: {:.3f} by the weights so far, {:.3f} by fitted ones, each session scored "
      "by\n"
      "weights that were fitted without it. The gain is {:+.3f}, 95 % interval {:+.3f} to {:+.3f}",
      *found.auc_before, *found.auc_after, found.gain->value, found.gain->interval.low,
      found.gain->interval.high);
  return out +
         (found.gain_within_noise()
              ? ":\nwithin noise. These outcomes do not show that the new weights are better.\n"
              : ".\n");
}

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

std::string_view verdict(const Separation& separation) {
  if (!separation.auc) return {};
  const auto& [value, interval] = *separation.auc;
  if (interval.low <= 0.5 && interval.high >= 0.5) return "nothing";
  return value >= 0.7 || value <= 0.3 ? "tells" : "weak";
}

std::string calibration_text(const ReportedCalibration& reported, const TextStyle& style) {
  const Calibration& found = reported.found;
  std::string out = fmt::format("{} with an outcome: {} good, {} bad",
                                session_count(found.good + found.bad), found.good, found.bad);
  if (reported.unlabelled > 0) out += fmt::format("; {} without one", reported.unlabelled);
  out += "\n\n" + separation_table(found, style);
  out +=
      "\nAUC: the probability that a good session has more of it than a bad one; 0.5 tells "
      "nothing.\n\n";
  if (found.terms.empty())
    return out + fmt::format("No weights are proposed: {}.\n", found.why_not);
  out += term_table(found, style) + "\n" + gain_text(found);
  if (found.with_gaps > 0)
    out += fmt::format("Of {}, {} lacked a term; the mean of the others stood in for it.\n",
                       session_count(found.fitted_on), found.with_gaps);
  out +=
      "Weights fitted to the past need not hold for other tasks, and an outcome is what its labels "
      "say.\n";
  if (reported.output)
    return out + fmt::format("\nwrote {}; use it with `--rubric {}`\n",
                             base::printable(*reported.output), base::printable(*reported.output));
  if (reported.proposal)
    return out + "\nProposed rubric (`--output FILE` writes it):\n\n" + *reported.proposal;
  return out + fmt::format("\nProposed formula: {}\n", base::printable(found.formula));
}

std::string calibration_json(const ReportedCalibration& reported) {
  const Calibration& found = reported.found;
  base::JsonWriter json(base::JsonWriter::Layout::indented);
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
    json.key("verdict").known(verdict(one));
    json.end_object();
  }
  json.end_array();
  write_fit(json, found);
  json.key("rubric").known(reported.proposal);
  json.key("output").known(reported.output);
  return json.end_object().text() + "\n";
}

}  // namespace vibe::report
