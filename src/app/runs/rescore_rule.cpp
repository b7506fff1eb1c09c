#include "app/runs/rescore_rule.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace vibe::app {

using base::Code;
using formula::EvalName;

namespace {

constexpr std::size_t kMostRuleNotes = 5;
constexpr std::string_view kTagSelector = "\"tag:";  // begins the text of a selector

std::string_view pointed_at(const base::Diagnostic& one) {
  return one.source ? base::slice(one.source->text(), one.span) : std::string_view();
}

// The tags that no eval has, if that is all there is to report.
std::vector<std::string> missing_tags(const base::Diagnostics& found) {
  std::vector<std::string> out;
  for (const auto& one : found.all()) {
    if (one.severity != base::Severity::error) continue;
    std::string_view text = pointed_at(one);
    if (one.code != Code::matches_nothing || !text.starts_with(kTagSelector)) return {};
    text.remove_prefix(kTagSelector.size());
    if (text.ends_with('"')) text.remove_suffix(1);
    out.emplace_back(text);
  }
  return out;
}

std::vector<EvalName> named_evals_of(const score::InputLayout& layout) {
  std::vector<EvalName> out;
  for (const auto& name : layout.evals()) out.push_back({name, {}});
  return out;
}

std::vector<EvalName> named_evals_of(const score::Samples& samples) {
  std::vector<EvalName> out;
  for (const auto& eval : samples.evals())
    if (!eval.name.empty()) out.push_back(eval);
  return out;
}

}  // namespace

RescoreRule::RescoreRule(score::Rule rule)
    : rule_(std::move(rule)), formula_(base::whole(base::make_source("formula", rule_.formula))) {
  for (const auto& metric : rule_.metrics)
    metrics_.push_back(
        {metric.name, {}, base::whole(base::make_source(metric.name, metric.formula))});
}

std::string RescoreRule::formula() const {
  return base::fold_white_space(base::trim(rule_.formula));
}

std::string RescoreRule::definition() const {
  base::JsonWriter json;
  json.begin_object().key("formula").string(formula()).key("metrics").begin_object();
  for (const auto& metric : rule_.metrics)
    json.key(metric.name).string(base::fold_white_space(base::trim(metric.formula)));
  json.end_object().key("on_undefined").known(rule_.on_undefined);
  return json.end_object().text();
}

std::optional<formula::Program> RescoreRule::compile(const std::vector<EvalName>& evals,
                                                     base::Diagnostics& found) const {
  formula::Names names;
  // First, so that a metric means the same for all runs, whatever their evals are called.
  for (const auto& metric : rule_.metrics) names.add_metric(metric.name);
  for (const auto& eval : evals) names.add_eval(eval.name, eval.tags);
  return formula::compile(names, metrics_, formula_, found);
}

std::string RescoreRule::reason(const base::Diagnostics& found) const {
  const auto error =
      std::ranges::find(found.all(), base::Severity::error, &base::Diagnostic::severity);
  if (error == found.all().end()) return "the formula cannot be used";
  if (error->code != Code::unknown_variable) return base::printable(error->message);
  std::string_view name = pointed_at(*error);
  for (const auto& figure : formula::kDerivedFigures)
    if (name.ends_with(figure.suffix) && name.size() > figure.suffix.size())
      name.remove_suffix(figure.suffix.size());
  return fmt::format("no eval `{}`", base::printable(name));
}

void RescoreRule::remember(const std::vector<EvalName>& evals) {
  has_runs_ = true;
  for (const auto& eval : evals) {
    const auto [known, is_new] = seen_places_.try_emplace(eval.name, seen_.size());
    if (is_new) seen_.push_back({eval.name, {}});
    auto& tags = seen_[known->second].tags;
    for (const auto& tag : eval.tags)
      if (std::ranges::find(tags, tag) == tags.end()) tags.push_back(tag);
  }
}

LayoutProgram RescoreRule::compile(const score::InputLayout& layout) {
  auto evals = named_evals_of(layout);
  remember(evals);
  LayoutProgram out;
  base::Diagnostics found;
  out.program = compile(evals, found);
  if (const auto tags = missing_tags(found); !out.program && !tags.empty()) {
    // Layouts have no tags. If the values are stored, it does not matter which evals have them.
    for (auto& eval : evals) eval.tags = tags;
    found = {};
    out.program = compile(evals, found);
    out.needs_figures = true;
  }
  if (!out.program) {
    out.why = reason(found);
    return out;
  }
  bool is_stored = true;
  for (const auto& input : out.program->inputs) {
    const auto place = layout.find(input);
    is_stored = is_stored && place;
    out.places.push_back(place.value_or(0));
  }
  out.needs_figures = !is_stored;
  found.remove_notes();
  for (const auto& one : found.all())
    if (notes_.size() < kMostRuleNotes && std::ranges::find(notes_, one.message) == notes_.end())
      notes_.push_back(one.message);
  return out;
}

RuleProgram RescoreRule::compile(const score::Samples& samples) {
  const auto evals = named_evals_of(samples);
  remember(evals);
  base::Diagnostics found;
  RuleProgram out{compile(evals, found), {}};
  if (!out.program) out.why = reason(found);
  return out;
}

base::Diagnostics RescoreRule::problems() const {
  base::Diagnostics found;
  if (has_runs_) {
    static_cast<void>(compile(seen_, found));
  } else {
    formula::Names names;
    for (const auto& metric : rule_.metrics) names.add_metric(metric.name);
    names.assume_unknown_words_are_evals();
    static_cast<void>(formula::compile(names, metrics_, formula_, found));
  }
  found.remove_notes();
  return found.failed() ? found : base::Diagnostics();
}

std::vector<std::string> RescoreRule::notes() const { return notes_; }

}  // namespace vibe::app
