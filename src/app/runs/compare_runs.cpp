#include "app/runs/compare_runs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/runs/pair_questions.h"
#include "base/sort.h"
#include "base/text.h"
#include "score/score.h"
#include "statistics/distributions.h"

namespace vibe::app {

using base::Code;
using base::Result;
using statistics::ComparedSide;
using statistics::Comparison;
using statistics::EvalChange;
using statistics::GuardResult;
using statistics::PairedQuestion;
using statistics::Pairs;

namespace {

constexpr score::Millis kFarApart = 60 * 60 * 1000;  // runs, for latencies

std::optional<double> known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

formula::Names names_of(const score::Samples& samples) {
  formula::Names names;
  for (const auto& eval : samples.evals())
    if (!eval.name.empty()) names.add_eval(eval.name, eval.tags);
  return names;
}

// The metrics of a stored run's suite, so that another formula can use them.
std::vector<formula::Definition> metrics_of(const Contender& contender, formula::Names& names) {
  std::vector<formula::Definition> out;
  if (!contender.run) return out;
  for (const auto& metric : contender.run->score_metrics) {
    names.add_metric(metric.name);
    out.push_back({metric.name, {}, base::whole(base::make_source(metric.name, metric.formula))});
  }
  return out;
}

Result<formula::Program> compiled(const Contender& contender, std::string_view what,
                                  const std::string& text) {
  auto names = names_of(contender.samples);
  const auto metrics = metrics_of(contender, names);
  base::Diagnostics found;
  const auto source = base::make_source(std::string(what), text);
  auto program = formula::compile(names, metrics, base::whole(source), found);
  if (!program) return tl::unexpected(std::move(found));
  return *std::move(program);
}

Result<formula::Program> program_for(const Contender& candidate, const CompareRequest& request) {
  if (request.formula) return compiled(candidate, "formula", *request.formula);
  if (candidate.program) return *candidate.program;
  return compiled(candidate, "formula", "success_pct");
}

// A formula without its metrics' names, to see whether two are the same.
std::string formula_text(const formula::Program& program) {
  return base::fold_white_space(program.score().text);
}

// The samples of one side that are compared, with the evals of the candidate.
score::Samples common_samples(const Contender& of, const Contender& candidate,
                              const std::vector<PairedQuestion>& questions, bool is_base) {
  score::Samples out;
  std::uint32_t number = score::Samples::kNoEval, before = score::Samples::kNoEval;
  for (const auto& question : questions) {
    const std::uint32_t eval = question.candidate.eval;
    if (eval != before) {
      const auto& known = candidate.samples.evals()[eval];
      number = known.name.empty() ? out.add_unnamed() : out.eval(known.name);
      for (const auto& tag : known.tags) out.tag(number, tag);
      before = eval;
    }
    for (const std::uint32_t row : (is_base ? question.base : question.candidate).answers)
      out.add(number, of.samples.sample(row));
  }
  return out;
}

ComparedSide side_of(const Contender& contender, const score::Score& score) {
  ComparedSide out;
  out.label = contender.label;
  if (contender.run) {
    out.model = contender.run->model;
    out.suite = contender.run->suite_name;
    out.run = contender.run;
  }
  out.success = known(score.run_metric("success_pct"));
  out.cost = known(score.run_metric("total_cost"));
  out.latency = known(score.run_metric("avg_latency"));
  return out;
}

// Names, as formulas use them, whose lower values are better.
bool is_better_if_lower(std::string_view name) {
  constexpr std::array<std::string_view, 3> kParts{"latency", "cost", "tokens"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return name.find(part) != name.npos; });
}

struct Guard {
  std::string name;
  bool lower_is_better = false;
  formula::Program program;  // higher is better
};

Result<Guard> read_guard(const Contender& candidate, const std::string& text) {
  Guard out{text, is_better_if_lower(text), {}};
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos) {
    const std::string_view direction = std::string_view(text).substr(colon + 1);
    if (direction != "lower" && direction != "higher")
      return base::fail(Code::bad_usage, {},
                        fmt::format("`--guard {}` has an unknown direction", base::printable(text)),
                        "write `NAME`, `NAME:lower` or `NAME:higher`, whichever is better");
    out.name = text.substr(0, colon);
    out.lower_is_better = direction == "lower";
  }
  const std::string formula = out.lower_is_better ? fmt::format("-({})", out.name) : out.name;
  VIBE_TRY(out.program, compiled(candidate, "guard", formula));
  return out;
}

// The evals of the candidate that a formula names.
std::vector<std::string> named_evals(const formula::Program& program) {
  std::vector<std::string> out;
  std::vector<std::size_t> formulas{program.formulas.size() - 1};
  for (std::size_t next = 0; next < formulas.size(); ++next)
    for (const auto& node : program.formulas[formulas[next]].tree.nodes) {
      if (node.op == formula::Op::metric &&
          std::find(formulas.begin(), formulas.end(), node.index) == formulas.end())
        formulas.push_back(node.index);
      if (node.op != formula::Op::input) continue;
      const auto& over = program.inputs[node.index].over;
      if (over.kind == formula::Selector::Kind::eval) out.push_back(over.text);
    }
  return out;
}

class Comparer {
 public:
  Comparer(const Contender& base, const Contender& candidate, const CompareRequest& request)
      : base_(base), candidate_(candidate), request_(request) {}

  Result<Comparison> compare() {
    VIBE_TRY(const auto program, program_for(candidate_, request_));
    pairing_ = pair_questions(base_, candidate_);
    if (pairing_.questions.empty())
      return base::fail(
          Code::conflict, {},
          fmt::format("`{}` and `{}` have no eval in common", base_.label, candidate_.label),
          "evals are paired by their names, or else by their prompts");
    VIBE_TRY(check_names(program));
    auto settings = request_.settings;
    if (!settings.draws.unit) settings.draws.unit = candidate_.settings.unit;
    const Pairs pairs(base_.samples, candidate_.samples, pairing_.questions, settings.draws.unit,
                      settings.draws.seed);
    out_.compared = statistics::compare(program, pairs, candidate_.settings.on_undefined, settings);
    out_.formula = formula_text(program);
    for (const bool is_base : {true, false}) {
      const Contender& one = is_base ? base_ : candidate_;
      const auto score =
          score::compute(program, common_samples(one, candidate_, pairing_.questions, is_base));
      (is_base ? out_.base : out_.candidate) = side_of(one, score);
      if (!score.error.empty())
        out_.notes.push_back(fmt::format("`{}` has no score: {}", one.label, score.error));
    }
    out_.paired_by = pairing_.by;
    out_.questions = pairing_.questions.size();
    count_answers();
    add_evals();
    add_terms(program);
    add_cost_of_more(pairs);
    VIBE_TRY(add_guards(pairs, settings));
    add_notes(program);
    out_.only_base = std::move(pairing_.only_base);
    out_.only_candidate = std::move(pairing_.only_candidate);
    out_.changed = std::move(pairing_.changed);
    return std::move(out_);
  }

 private:
  void count_answers() {
    for (const auto& [a, b] : pairing_.questions) {
      const std::size_t count = std::min(a.answers.size(), b.answers.size());
      out_.least_answers = out_.least_answers == 0 ? count : std::min(out_.least_answers, count);
      out_.most_answers = std::max(out_.most_answers, count);
    }
  }

  // An eval that the formula names has to be in both.
  Result<void> check_names(const formula::Program& program) const {
    for (const auto& name : named_evals(program)) {
      const auto has = [&](const PairedQuestion& question) {
        return candidate_.samples.evals()[question.candidate.eval].name == name;
      };
      if (std::any_of(pairing_.questions.begin(), pairing_.questions.end(), has)) continue;
      const auto& evals = base_.samples.evals();
      const bool in_base = std::any_of(evals.begin(), evals.end(),
                                       [&](const auto& eval) { return eval.name == name; });
      return base::fail(Code::conflict, {},
                        fmt::format("the formula names `{}`, which `{}` has not answered", name,
                                    in_base ? candidate_.label : base_.label),
                        "compare by another formula: `--formula success_pct`");
    }
    return {};
  }

  void add_evals() {
    for (std::size_t i = 0; i < pairing_.questions.size(); ++i) {
      const Question& a = base_.questions[pairing_.of_base[i]];
      const Question& b = candidate_.questions[pairing_.of_candidate[i]];
      const std::uint32_t eval = b.asked.eval;
      const bool is_new = i == 0 || eval == score::Samples::kNoEval ||
                          eval != pairing_.questions[i - 1].candidate.eval;
      if (is_new) {
        out_.evals.push_back({.name = eval == score::Samples::kNoEval
                                          ? fmt::format("sample {}", i + 1)
                                          : candidate_.eval_name(eval)});
        counts_.push_back(0);
      }
      EvalChange& change = out_.evals.back();
      change.base += a.passed;
      change.candidate += b.passed;
      counts_.back() += 1;
      // Shows the first case that changed most.
      const double moved = std::abs(b.passed - a.passed);
      if (is_new || moved > shown_move_) {
        shown_move_ = moved;
        change.prompt = b.prompt;
        change.base_answer = a.answer;
        change.candidate_answer = b.answer;
      }
    }
    for (std::size_t i = 0; i < out_.evals.size(); ++i) {
      out_.evals[i].base /= counts_[i];
      out_.evals[i].candidate /= counts_[i];
    }
    for (const auto& part : out_.compared.evals) out_.evals[part.part].contribution = part.value;
    for (const auto& eval : out_.evals) {
      if (eval.candidate > eval.base) out_.flips.won.push_back(eval.name);
      if (eval.candidate < eval.base) out_.flips.lost.push_back(eval.name);
      if (eval.candidate == eval.base) ++(eval.base > 0 ? out_.flips.both : out_.flips.neither);
    }
    base::stable_sort(out_.evals, [](const auto& a, const auto& b) {
      return std::abs(a.contribution.value_or(0)) > std::abs(b.contribution.value_or(0));
    });
  }

  void add_terms(const formula::Program& program) {
    for (const auto& part : out_.compared.terms)
      out_.terms.push_back(
          {program.inputs[part.part].name, known(part.base), known(part.candidate), part.value});
    base::stable_sort(out_.terms, [](const auto& a, const auto& b) {
      return std::abs(a.contribution) > std::abs(b.contribution);
    });
  }

  void add_cost_of_more(const Pairs& pairs) {
    const auto& power = out_.compared.power;
    if (!power || !power->needed || !out_.base.cost || !out_.candidate.cost) return;
    const auto units = static_cast<double>(pairs.design().units.size());
    const double each = (*out_.base.cost + *out_.candidate.cost) / units;
    out_.cost_of_more = {each * static_cast<double>(power->needed->more_least),
                         each * static_cast<double>(power->needed->more_most)};
  }

  Result<void> add_guards(const Pairs& pairs, const statistics::CompareSettings& settings) {
    std::vector<double> p_values;
    for (const auto& text : request_.guards) {
      VIBE_TRY(const auto guard, read_guard(candidate_, text));
      VIBE_TRY(check_names(guard.program));
      const auto seen = statistics::guard(guard.program, pairs, settings);
      const double sign = guard.lower_is_better ? -1 : 1;
      GuardResult result{guard.name, guard.lower_is_better, seen.values[0], seen.values[1]};
      for (auto* value : {&result.base, &result.candidate})
        if (*value) *value = **value * sign;
      p_values.push_back(std::min(1.0, 2 * seen.test.p_down));  // as strict as a verdict
      out_.guards.push_back(std::move(result));
    }
    const auto adjusted = statistics::holm(p_values);
    const double alpha = statistics::rounded(1 - settings.draws.level);
    for (std::size_t i = 0; i < out_.guards.size(); ++i) {
      out_.guards[i].p = adjusted[i];
      out_.guards[i].is_worse = adjusted[i] <= alpha;
    }
    return {};
  }

  void add_notes(const formula::Program& program) {
    if (base_.run && candidate_.run && base_.run->id == candidate_.run->id)
      out_.notes.push_back("both are the same run");
    for (const auto& guard : out_.guards)
      if (!guard.base || !guard.candidate)
        out_.notes.push_back(
            fmt::format("the guard `{}` has no value, so it guards nothing", guard.name));
    for (const bool is_base : {true, false}) {
      const Contender& one = is_base ? base_ : candidate_;
      if (one.samples.errors() > 0)
        out_.notes.push_back(fmt::format("{} of {} answers of `{}` are errors and count as failed",
                                         one.samples.errors(), one.samples.size(), one.label));
      if (one.run && (one.run->status == score::RunStatus::cancelled ||
                      one.run->status == score::RunStatus::timed_out))
        out_.notes.push_back(
            fmt::format("run `{}` did not finish: faster answers came first", one.label));
    }
    // With the scores in sight, one can look for the formula by which a run wins.
    const auto is_own = [&](const Contender& one) {
      return one.program && formula_text(*one.program) == out_.formula;
    };
    if (request_.formula && (base_.run || candidate_.run) && !is_own(base_) && !is_own(candidate_))
      out_.verdict_note = "formula set after these runs";
    if (!request_.formula && base_.program && formula_text(*base_.program) != out_.formula)
      out_.notes.push_back(fmt::format("`{}` was scored by another formula: `{}`", base_.label,
                                       formula_text(*base_.program)));
    const bool uses_latency =
        std::any_of(program.inputs.begin(), program.inputs.end(),
                    [](const auto& input) { return input.column == formula::Column::latency; });
    if (base_.run && candidate_.run && uses_latency &&
        std::abs(base_.run->created_at - candidate_.run->created_at) > kFarApart)
      out_.notes.push_back(
          "the runs are more than an hour apart: latencies may differ for that reason alone");
  }

  const Contender& base_;
  const Contender& candidate_;
  const CompareRequest& request_;
  Pairing pairing_;
  Comparison out_;
  std::vector<double> counts_;  // questions by eval
  double shown_move_ = 0;
};

}  // namespace

Result<std::vector<Comparison>> compare_runs(const Contender& base,
                                             const std::vector<Contender>& candidates,
                                             const CompareRequest& request) {
  std::vector<Comparison> out;
  for (const auto& candidate : candidates) {
    VIBE_TRY(auto compared, Comparer(base, candidate, request).compare());
    out.push_back(std::move(compared));
  }
  if (out.size() < 2) return out;
  std::vector<double> p_values;
  for (const auto& one : out)
    p_values.push_back(one.compared.these_evals ? one.compared.these_evals->test.p : 1);
  const auto adjusted = statistics::holm(p_values);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].p_adjusted = adjusted[i];
    statistics::adjust(out[i].compared, adjusted[i], request.settings);
  }
  return out;
}

}  // namespace vibe::app
