#include "suite/columns.h"

#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "suite/template.h"

namespace vibe::suite {

using base::Code;

void Columns::enter_eval(const Table* cases, std::string_view name, base::Span span) {
  place_ = Place::eval;
  cases_ = cases;
  if (!cases)
    eval_without_cases_ = true;
  else if (tables_.insert(cases).second)
    owners_.push_back({cases, std::string(name), span});
}

bool Columns::look_at(const base::YamlNode& text) {
  if (text.text.find("{{") == std::string_view::npos) return false;
  const Template found = scan_template(text.text);
  if (found.placeholders.empty() && found.problems.empty()) return false;

  const base::Passage passage = reading_.document().passage(text);
  for (const auto& problem : found.problems)
    reading_.add(Code::bad_template, base::at(passage, problem.span), problem.message,
                 problem.hint);
  bool replaced = false;
  for (const auto& placeholder : found.placeholders)
    if (placeholder.kind != Placeholder::Kind::column ||
        look_at_column(placeholder.name, base::at(passage, placeholder.span)))
      replaced = true;
  return replaced;
}

bool Columns::look_at_column(std::string_view name, const base::Where& where) {
  switch (place_) {
    case Place::metadata:
      if (is_word(name))
        reading_.add(Code::unused_template, where,
                     fmt::format("`{{{{{}}}}}` is not replaced: `metadata` has no cases", name),
                     fmt::format("write `{{{{var('{}')}}}}` for a variable", name));
      return false;
    case Place::defaults:
      if (is_phrase(name) && default_names_.emplace(name).second)
        default_uses_.push_back({std::string(name), where});
      return is_phrase(name);
    case Place::broken: return true;
    case Place::eval: break;
  }
  if (!cases_) {
    if (is_word(name))
      reading_.add(
          Code::unused_template, where,
          fmt::format("`{{{{{}}}}}` is not replaced: the eval has no cases", name),
          fmt::format("add `cases` with a column {}, or write `{{{{var('{}')}}}}` for a variable",
                      check::quoted(name), name));
    return false;
  }
  if (cases_->find(name)) return true;
  if (!is_phrase(name)) return false;
  report_unknown(name, *cases_, where, "the cases");
  return true;
}

void Columns::report_unknown(std::string_view name, const Table& cases, const base::Where& where,
                             std::string_view whose) {
  std::string hint;
  if (reading_.may_suggest()) {
    const std::vector<std::string_view> names(cases.columns().begin(), cases.columns().end());
    hint = base::did_you_mean(base::nearest(name, names));
    constexpr std::size_t kFew = 10;
    if (hint.empty() && names.size() <= kFew)
      hint = fmt::format("the columns are `{}`", fmt::join(names, "`, `"));
  }
  reading_.add(Code::unknown_column, where,
               fmt::format("{} have no column {}", whose, check::quoted(name)), std::move(hint));
}

void Columns::refuse_secrets(const base::YamlNode& text) {
  if (text.text.find("{{") == std::string_view::npos) return;
  std::optional<base::Passage> passage;
  for (const auto& placeholder : scan_template(text.text).placeholders) {
    if (placeholder.kind != Placeholder::Kind::secret) continue;
    if (!passage) passage = reading_.document().passage(text);
    reading_.add(Code::bad_template, base::at(*passage, placeholder.span),
                 "a name cannot contain a secret: names are shown");
  }
}

void Columns::check_defaults() {
  std::size_t reported = 0;
  for (const Use& use : default_uses_) {
    if (eval_without_cases_ && is_word(use.name))
      reading_.add(Code::unused_template, use.where,
                   fmt::format("`{{{{{}}}}}` is not replaced in evals without cases", use.name),
                   "move the check to the evals that have cases");
    for (const Owner& owner : owners_) {
      if (owner.cases->find(use.name)) continue;
      const auto line = reading_.document().source()->position(owner.span.begin).line;
      report_unknown(use.name, *owner.cases, use.where,
                     fmt::format("the cases of {}", owner.name.empty()
                                                        ? fmt::format("the eval on line {}", line)
                                                        : check::quoted(owner.name)));
      // More problems than can be shown: the rest would only cost time.
      if (++reported == base::Diagnostics::kMost) return;
    }
  }
}

}  // namespace vibe::suite
