#include "run/plan.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/crypto.h"
#include "base/text.h"

namespace vibe::run {

using base::Code;

namespace {

constexpr std::string_view kPromptHint =
    "use shorter values or fewer templates, or raise `max_prompt_mib` in "
    "`~/.vibecheck/config.yaml`";

// `eval 3` if it has no name.
std::string shown_eval(const suite::Suite& suite, std::uint32_t number) {
  const std::string& name = suite.evals[number].name;
  return name.empty() ? fmt::format("eval {}", number + 1) : name;
}

// `capitals[2]`, or by the row's `id`
std::string shown(const suite::Suite& suite, std::uint32_t eval_number, std::size_t row) {
  const auto& eval = suite.evals[eval_number];
  std::string name = shown_eval(suite, eval_number);
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

// Selectors that match nothing, with the names that were perhaps meant.
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
    if (hint.empty()) hint = "`--only` takes eval names, `tag:NAME`, or a case: `capitals[2]`";
    out.add(Code::nothing_selected, {},
            fmt::format("no eval matches `{}`", base::printable(selector)), std::move(hint));
  }
}

// `5.2 GiB`, `4 MiB`, `812 bytes`
std::string show_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  constexpr double kUnit = 1024;
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double size = static_cast<double>(bytes) / kUnit;
  std::size_t unit = 0;
  for (; size >= kUnit && unit + 1 < kUnits.size(); ++unit) size /= kUnit;
  return fmt::format("{} {}", base::to_decimal(size, 1), kUnits[unit]);
}

// Only texts with templates count; the others are not copied for each sample.
void add_checks(const std::vector<check::Check>& checks, FilledSize& out) {
  for_each_text(checks, [&](std::string_view text) {
    if (text.find("{{") != std::string_view::npos) out.add(text);
  });
}

// The size of each sample of an eval, without the checks that all evals share.
FilledSize size_of_sample(const suite::Eval& eval, const Filler& filler) {
  FilledSize out(filler);
  out.add(eval.prompt);
  check::for_each_level(eval.checks, [&](const check::Checks& level) {
    add_checks(level.all, out);
    for (const auto& follow_up : level.follow_up) out.add(follow_up.prompt);
  });
  return out;
}

// Texts that are filled once for the whole run.
bool check_run_texts(const suite::Metadata& metadata, const std::string& system_prompt,
                     const Filler& filler, const FillLimits& limits, base::Diagnostics& out) {
  static const suite::McpServer kNone{};
  const suite::McpServer& server = metadata.mcp_server ? *metadata.mcp_server : kNone;
  const std::array<std::pair<std::string_view, const std::string*>, 8> texts{{
      {"name", &metadata.name},
      {"model", &metadata.model},
      {"system_prompt", &system_prompt},
      {"judge_model", &metadata.judge_model},
      {"embedding_model", &metadata.embedding_model},
      {"mcp_server.url", &server.url},
      {"mcp_server.name", &server.name},
      {"mcp_server.authorization_token", &server.authorization_token},
  }};
  return std::all_of(texts.begin(), texts.end(), [&](const auto& row) {
    return check_filled(row.first, *row.second, filler, limits, out);
  });
}

}  // namespace

bool check_filled(std::string_view name, std::string_view text, const Filler& filler,
                  const FillLimits& limits, base::Diagnostics& out) {
  FilledSize size(filler);
  size.add(text);
  if (size.of() <= limits.prompt) return true;
  out.add(Code::too_large, {},
          fmt::format("`{}` would be {} when its templates are filled, more than the limit of {}",
                      name, show_bytes(size.of()), show_bytes(limits.prompt)),
          std::string(kPromptHint));
  return false;
}

std::optional<Plan> Plan::make(std::shared_ptr<const suite::Suite> suite, Filler filler,
                               const PlanOptions& options, base::Diagnostics& out) {
  Plan plan;
  plan.suite_ = std::move(suite);
  plan.filler_ = std::move(filler);
  plan.limits_ = options.limits;
  for (const auto& [name, value] : plan.filler_.secrets()) plan.redactor_.add(value, name);
  const auto& metadata = plan.suite_->metadata;
  plan.threads_ = static_cast<std::size_t>(
      options.threads.value_or(metadata.threads.value_or(options.default_threads)));

  report_idle_selectors(options.only, *plan.suite_, out);
  if (out.failed()) return std::nullopt;
  if (!plan.add_samples(options)) {
    out.add(Code::too_many, {}, fmt::format("more than {} samples in one run", kMaxSamples),
            "lower `repeat`, or run a part with `--only`");
    return std::nullopt;
  }
  if (!plan.is_small_enough(options, out)) return std::nullopt;
  plan.system_prompt_ = plan.filler_.fill(options.system_prompt.value_or(metadata.system_prompt));
  plan.number_equal_requests();
  return plan;
}

bool Plan::is_small_enough(const PlanOptions& options, base::Diagnostics& out) const {
  const auto& metadata = suite_->metadata;
  if (!check_run_texts(metadata, options.system_prompt.value_or(metadata.system_prompt), filler_,
                       limits_, out))
    return false;
  FilledSize defaults(filler_);
  add_checks(suite_->default_checks, defaults);
  std::optional<FilledSize> sizes;
  std::uint64_t size = 0, of_eval = 0, all = 0, largest = 0;
  std::uint32_t eval = 0, largest_eval = 0;
  for (const auto& sample : samples_) {
    if (!sizes || sample.eval != eval) {
      sizes.emplace(size_of_sample(suite_->evals[sample.eval], filler_));
      of_eval = 0;
    }
    eval = sample.eval;
    if (sample.repeat == 0)
      size = add_sizes(sizes->of(case_row(sample)), defaults.of(case_row(sample)));
    all = add_sizes(all, size);
    of_eval = add_sizes(of_eval, size);
    if (of_eval > largest) largest_eval = eval;
    largest = std::max(largest, of_eval);
    if (size > limits_.prompt) {
      out.add(Code::too_large, {},
              fmt::format("`{}` would be {} when its templates are filled, more than the limit of "
                          "{} for one sample",
                          base::printable(shown_name(sample)), show_bytes(size),
                          show_bytes(limits_.prompt)),
              std::string(kPromptHint));
      return false;
    }
  }
  if (all <= limits_.plan) return true;
  out.add(Code::too_large, {},
          fmt::format(
              "this run, {}, would be {} when its templates are filled, more than the limit "
              "of {}; the largest eval is `{}` with {}",
              base::counted(samples_.size(), "sample"), show_bytes(all), show_bytes(limits_.plan),
              base::printable(shown_eval(*suite_, largest_eval)), show_bytes(largest)),
          "run a part with `--only`, lower `repeat`, or raise `max_plan_mib` in "
          "`~/.vibecheck/config.yaml`");
  return false;
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

// The hash needs no checks: with the same suite text, only variables and cases change them.
void Plan::number_equal_requests() {
  std::string all = redactor_.apply(system_prompt_);
  const auto add = [&](std::string_view text) { all.append(1, '\0').append(text); };
  for (const auto& [name, value] : filler_.variables()) {
    add(name);
    add(value);
  }
  std::unordered_map<std::string, std::uint32_t> seen;  // by hash, as prompts may be long
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
      count = &seen[base::hash(prompt)];
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
  // A name that is written with escapes is not found: the diagnostic then has no position.
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
