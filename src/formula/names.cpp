#include "formula/names.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "formula/token.h"

namespace vibe::formula {

using base::Code;

namespace {

bool has_name(const auto& rows, std::string_view name) {
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
}

bool is_run_metric(std::string_view name) { return has_name(kRunMetrics, name); }

bool is_well_formed(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_word_character(c) || c == '-'; });
}

}  // namespace

bool is_keyword(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

bool is_number(std::string_view text) {
  return !text.empty() && number_length(text) == text.size();
}

bool is_awkward(std::string_view name) {
  if (name.empty() || name.front() == '-' || name.back() == '-') return true;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t length = number_length(name.substr(begin));
    if (length == 0) return false;
    begin += length;
    if (begin == name.size()) return true;
    if (name[begin] != '-') return false;
    ++begin;
  }
  return false;
}

Names::Names() {
  for (std::uint32_t i = 0; i < kRunMetrics.size(); ++i)
    add(kRunMetrics[i].name, {Meaning::run_metric, i});
  add_keywords();
}

Names::Names(std::span<const Figure> figures) : figures_(figures) {
  for (std::uint32_t i = 0; i < figures.size(); ++i) add(figures[i].name, {Meaning::figure, i});
  add_keywords();
}

void Names::add_keywords() {
  for (std::uint32_t i = 0; i < kKeywords.size(); ++i) add(kKeywords[i], {Meaning::keyword, i});
}

void Names::add(std::string_view name, Reference reference) {
  by_name_.try_emplace(std::string(name), reference);
  const auto hyphens = static_cast<std::size_t>(std::count(name.begin(), name.end(), '-'));
  most_hyphens_ = std::max(most_hyphens_, hyphens);
}

void Names::add_eval(std::string name, std::vector<std::string> tags) {
  add(name, {Meaning::eval, static_cast<std::uint32_t>(evals_.size())});
  evals_.push_back({std::move(name), std::move(tags)});
}

void Names::add_metric(std::string name) {
  add(name, {Meaning::metric, static_cast<std::uint32_t>(metrics_.size())});
  metrics_.push_back(std::move(name));
}

std::optional<Names::Reference> Names::find(std::string_view word) const {
  if (const auto found = by_name_.find(word); found != by_name_.end())
    return is_awkward(word) ? std::nullopt : std::optional(found->second);
  for (const auto& figure : kDerivedFigures) {
    if (!word.ends_with(figure.suffix)) continue;
    const auto found = by_name_.find(word.substr(0, word.size() - figure.suffix.size()));
    if (found != by_name_.end() && found->second.meaning == Meaning::eval)
      return Reference{figure.meaning, found->second.index};
  }
  return std::nullopt;
}

std::optional<Names::Reference> Names::find_braced(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  const bool named =
      found->second.meaning == Meaning::eval || found->second.meaning == Meaning::metric;
  return named ? std::optional(found->second) : std::nullopt;
}

Input Names::input(Reference reference) const {
  if (reference.meaning == Meaning::run_metric) {
    const auto& metric = kRunMetrics[reference.index];
    return {std::string(metric.name), metric.statistic, metric.column, metric.percentile, {}};
  }
  if (reference.meaning == Meaning::figure) {
    const Figure& figure = figures_[reference.index];
    return {.name = std::string(figure.name), .figure = &figure};
  }
  const std::string& eval = evals_[reference.index].name;
  std::string_view suffix;
  auto column = Column::passed;
  for (const auto& figure : kDerivedFigures)
    if (figure.meaning == reference.meaning) suffix = figure.suffix, column = figure.column;
  std::string name = eval + std::string(suffix);
  if (find(name) != reference) name = fmt::format("{{{}}}{}", eval, suffix);
  return {std::move(name), Statistic::mean, column, 0, {Selector::Kind::eval, eval}};
}

bool Names::any_eval_matches(const Selector& selector) const {
  return std::any_of(evals_.begin(), evals_.end(),
                     [&](const EvalName& eval) { return selects(selector, eval.name, eval.tags); });
}

std::vector<std::string> Names::nearest_words(std::string_view word) const {
  std::vector<std::string> derived;
  std::vector<std::string_view> candidates;
  if (has_samples())
    for (const auto& metric : kRunMetrics) candidates.push_back(metric.name);
  for (const auto& figure : figures_) candidates.push_back(figure.name);
  for (const auto& eval : evals_) candidates.push_back(eval.name);
  for (const auto& metric : metrics_) candidates.push_back(metric);
  if (word.find('_') != std::string_view::npos) {
    for (const auto& eval : evals_)
      for (const auto& figure : kDerivedFigures)
        derived.push_back(eval.name + std::string(figure.suffix));
    candidates.insert(candidates.end(), derived.begin(), derived.end());
  }
  std::vector<std::string> near;
  for (const auto name : base::nearest(word, candidates))
    near.push_back(is_awkward(name) ? fmt::format("{{{}}}", name) : std::string(name));
  return near;
}

void check_names(std::span<const Declared> declared, base::Diagnostics& out,
                 std::span<const Figure> figures) {
  std::unordered_map<std::string_view, const Declared*> first;
  for (const auto& d : declared) {
    const std::string_view what = d.metric ? "metric" : "eval";
    if (d.name.empty()) {
      out.add(Code::bad_name, d.where, fmt::format("the {} name is empty", what),
              "give it letters, digits, `_` or `-`");
      continue;
    }
    const auto [found, is_first] = first.try_emplace(d.name, &d);
    if (!is_first) {
      const auto& other = *found->second;
      std::string place;
      if (other.where.source)
        place =
            fmt::format(" on line {}", other.where.source->position(other.where.span.begin).line);
      out.add(Code::duplicate_name, d.where,
              fmt::format("the name `{}` is taken by the {}{}", d.name,
                          other.metric ? "metric" : "eval", place),
              "eval and metric names must be unique in a suite");
      continue;
    }
    if (!is_well_formed(d.name)) {
      out.add(Code::bad_name, d.where,
              fmt::format("the {} name `{}` contains characters that are not allowed in a name",
                          what, d.name),
              "use letters, digits, `_` and `-` only");
    } else if (d.name.size() > kMaxNameBytes) {
      out.add(Code::bad_name, d.where,
              fmt::format("the {} name is {} bytes long; the limit is {}", what, d.name.size(),
                          kMaxNameBytes),
              "shorten it");
    } else if (has_name(figures, d.name)) {
      out.add(Code::reserved_name, d.where,
              fmt::format("`{}` is a built-in figure and cannot be the name of {}", d.name,
                          d.metric ? "a metric" : "an eval"),
              "choose another name");
    } else if (figures.empty() && is_run_metric(d.name)) {
      out.add(Code::reserved_name, d.where,
              fmt::format("`{}` is a run-wide metric and cannot be the name of {}", d.name,
                          d.metric ? "a metric" : "an eval"),
              "choose another name");
    } else if (is_keyword(d.name)) {
      out.add(Code::reserved_name, d.where,
              fmt::format("`{}` is an operator and cannot be the name of {}", d.name,
                          d.metric ? "a metric" : "an eval"),
              "choose another name");
    } else if (is_number(d.name)) {
      out.add(Code::bad_name, d.where, fmt::format("the {} name `{}` is a number", what, d.name),
              "add a letter to make it a name");
    } else if (is_awkward(d.name)) {
      out.add(Code::awkward_name, d.where,
              fmt::format("in a formula, `{}` must be written `{{{}}}`", d.name, d.name),
              "formulas read it as arithmetic; a name with a letter, and no hyphen at either end, "
              "is easier to use");
    }
  }
  for (const auto& d : declared) {
    for (const auto& [suffix, meaning, column] : kDerivedFigures) {
      if (d.name.ends_with(suffix)) {
        const auto owner = first.find(d.name.substr(0, d.name.size() - suffix.size()));
        if (owner != first.end() && !owner->second->metric && !owner->first.empty())
          out.add(Code::derived_name, d.where,
                  fmt::format("formulas use the name `{}` for the {} of eval `{}`", d.name,
                              suffix.substr(1), owner->first),
                  "choose another name");
      }
      const std::string own = std::string(d.name) + std::string(suffix);
      if (!d.metric && is_run_metric(own))
        out.add(Code::shadowed_name, d.where,
                fmt::format("`{}` is the run-wide metric, not the {} of eval `{}`", own,
                            suffix.substr(1), d.name),
                fmt::format("write `{{{}}}{}` for the eval's own", d.name, suffix));
    }
  }
}

}  // namespace vibe::formula
