#include "run/plan.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "base/crypto.h"
#include "base/text.h"

namespace vibe::run {

using base::Code;

namespace {

// `capitals[2]`, or by the row's `id`; `eval 3` where it has no name.
std::string shown(const suite::Suite& suite, std::uint32_t eval_number, std::size_t row) {
  const auto& eval = suite.evals[eval_number];
  std::string name = eval.name.empty() ? fmt::format("eval {}", eval_number + 1) : eval.name;
  if (!eval.cases) return name;
  if (const auto id = eval.cases->find("id"))
    return fmt::format("{}[{}]", name, eval.cases->cell(row, *id));
  return fmt::format("{}[{}]", name, row + 1);
}

bool selects(std::string_view selector, const suite::Eval& eval) {
  if (selector.starts_with("tag:"))
    return std::any_of(eval.tags.begin(), eval.tags.end(), [&](const std::string& tag) {
      return base::glob_match(selector.substr(4), tag);
    });
  return !eval.name.empty() && base::glob_match(selector, eval.name);
}

bool is_selected(const std::vector<std::string>& only, const suite::Suite& suite,
                 std::uint32_t number, std::size_t row) {
  if (only.empty()) return true;
  return std::any_of(only.begin(), only.end(), [&](const std::string& selector) {
    return selects(selector, suite.evals[number]) || shown(suite, number, row) == selector;
  });
}

// Selectors that nothing fits, with the names that were perhaps meant.
void report_idle_selectors(const std::vector<std::string>& only, const suite::Suite& suite,
                           base::Diagnostics& out) {
  std::vector<std::string_view> names;
  for (const auto& eval : suite.evals)
    if (!eval.name.empty()) names.push_back(eval.name);
  for (const auto& selector : only) {
    bool fits = false;
    for (std::uint32_t i = 0; i < suite.evals.size() && !fits; ++i) {
      const auto& cases = suite.evals[i].cases;
      for (std::size_t row = 0; row < (cases ? cases->rows() : 1) && !fits; ++row)
        fits = is_selected({selector}, suite, i, row);
    }
    if (fits) continue;
    std::string hint = base::did_you_mean(base::nearest(selector, names));
    if (hint.empty()) hint = "`--only` takes names of evals, `tag:NAME`, or a case: `capitals[2]`";
    out.add(Code::nothing_selected, {}, fmt::format("no eval fits `{}`", base::printable(selector)),
            std::move(hint));
  }
}

}  // namespace

std::optional<Plan> Plan::make(std::shared_ptr<const suite::Suite> suite, Filler filler,
                               const PlanOptions& options, base::Diagnostics& out) {
  Plan plan;
  plan.suite_ = std::move(suite);
  plan.filler_ = std::move(filler);
  for (const auto& [name, value] : plan.filler_.secrets()) plan.redactor_.add(value, name);
  const auto& metadata = plan.suite_->metadata;
  plan.system_prompt_ = plan.filler_.fill(options.system_prompt.value_or(metadata.system_prompt));
  plan.threads_ = static_cast<std::size_t>(
      options.threads.value_or(metadata.threads.value_or(options.default_threads)));

  report_idle_selectors(options.only, *plan.suite_, out);
  if (out.failed()) return std::nullopt;
  if (!plan.add_samples(options)) {
    out.add(Code::too_many, {}, fmt::format("more than {} samples in one run", kMaxSamples),
            "lower `repeat`, or run a part with `--only`");
    return std::nullopt;
  }
  plan.number_equal_requests();
  return plan;
}

// False if there are too many.
bool Plan::add_samples(const PlanOptions& options) {
  for (std::uint32_t i = 0; i < suite_->evals.size(); ++i) {
    const auto& eval = suite_->evals[i];
    const auto rows = static_cast<std::uint32_t>(eval.cases ? eval.cases->rows() : 1);
    const auto repeat = static_cast<std::uint32_t>(options.repeat.value_or(eval.repeat));
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (!is_selected(options.only, *suite_, i, row)) continue;
      if (samples_.size() + repeat > kMaxSamples) return false;
      for (std::uint32_t k = 0; k < repeat; ++k) samples_.push_back({i, row, k, 0});
    }
  }
  return true;
}

// Of the checks, only variables and cases can change while the suite's text does not.
void Plan::number_equal_requests() {
  std::string all = redactor_.apply(system_prompt_);
  const auto add = [&](std::string_view text) { all.append(1, '\0').append(text); };
  for (const auto& [name, value] : filler_.variables()) {
    add(name);
    add(value);
  }
  std::unordered_map<std::string, std::uint32_t> seen;
  std::uint32_t* count = nullptr;
  for (auto& sample : samples_) {
    if (sample.repeat == 0) {
      const CaseRow row = case_row(sample);
      const std::string prompt =
          redactor_.apply(filler_.fill(suite_->evals[sample.eval].prompt, row));
      add(shown_name(sample));
      add(prompt);
      for (std::size_t i = 0; row.table && i < row.table->columns().size(); ++i)
        add(row.table->cell(row.row, i));
      constexpr std::size_t kMany = 1u << 16;
      if (all.size() > kMany) all = base::hash(all);
      count = &seen[prompt];
    }
    sample.ordinal = (*count)++;
  }
  add(std::to_string(samples_.size()));
  hash_ = base::hash(all);
}

CaseRow Plan::case_row(const PlannedSample& sample) const {
  return {suite_->evals[sample.eval].cases.get(), sample.row};
}

model::Request Plan::request(const PlannedSample& sample) const {
  const auto& eval = suite_->evals[sample.eval];
  const auto& metadata = suite_->metadata;
  model::Request out;
  out.system = system_prompt_;
  out.messages.push_back({model::Message::Role::user, filler_.fill(eval.prompt, case_row(sample))});
  out.parameters = {metadata.temperature, metadata.top_p, metadata.max_output_tokens,
                    metadata.seed};
  out.timeout = eval.timeout;
  out.ordinal = sample.ordinal;
  return out;
}

std::vector<check::Check> Plan::checks(const PlannedSample& sample,
                                       const check::Checks& level) const {
  auto own = filler_.fill(level.all, case_row(sample));
  if (&level != &suite_->evals[sample.eval].checks) return own;
  auto out = filler_.fill(suite_->default_checks, case_row(sample));
  out.insert(out.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  return out;
}

std::string Plan::fill(const PlannedSample& sample, std::string_view text) const {
  return filler_.fill(text, case_row(sample));
}

std::string Plan::shown_name(const PlannedSample& sample) const {
  return shown(*suite_, sample.eval, sample.row);
}

void report_unknown_names(const std::vector<NamedUse>& missing, const base::SourcePtr& source,
                          base::Diagnostics& out) {
  // A text may be written with escapes, so that a name is not found as it is: then no place.
  const auto found = suite::scan_template(source->text()).placeholders;
  for (const auto& use : missing) {
    const bool is_secret = use.kind == suite::Placeholder::Kind::secret;
    const std::string_view what = is_secret ? "secret" : "variable";
    const auto place = std::find_if(found.begin(), found.end(), [&](const auto& placeholder) {
      return placeholder.kind == use.kind && placeholder.name == use.name;
    });
    base::Where where{source, {}};
    if (place != found.end()) where.span = place->span;
    out.add(
        Code::unknown_name, where, fmt::format("there is no {} `{}`", what, use.name),
        fmt::format("set it with `vibe set {} {} VALUE`", is_secret ? "secret" : "var", use.name));
  }
}

}  // namespace vibe::run
