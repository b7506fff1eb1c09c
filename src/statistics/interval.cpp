#include "statistics/interval.h"

#include "statistics/estimator.h"

namespace vibe::statistics {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::none: return "none";
    case Method::draws: return "sbb-1";
    case Method::closed_form: return "beta-1";
  }
  return "none";
}

std::vector<Estimate> estimate(const formula::Program& program, const score::Samples& samples,
                               const std::vector<std::optional<double>>& values,
                               std::optional<double> on_undefined, const Settings& settings,
                               std::vector<Details>* details) {
  const auto asked = questions_of(samples);
  const Design design = make_design(samples, asked, settings.unit);
  const Answers answers(samples, rows_of(asked));
  const Redraw redraw(settings.seed, design, {&answers});
  const Setting setting{program, design, {&answers}, redraw, settings};
  std::vector<Estimator> estimators;
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < program.formulas.size(); ++i) {
    const bool is_score = i + 1 == program.formulas.size();
    estimators.emplace_back(setting, i, values[i], is_score ? on_undefined : std::nullopt,
                            details != nullptr);
    for (const Wanted& one : estimators.back().wanted()) wanted.push_back(one);
  }
  const std::size_t count = draw_count(settings, samples.size());
  auto drawn = draw(wanted, count, settings.parallel);
  std::vector<Estimate> out;
  std::span<Drawn> left = drawn;
  for (Estimator& one : estimators) {
    const std::size_t taken = one.wanted().size();
    one.take(left.first(taken));
    left = left.subspan(taken);
    out.push_back(one.result(count));
    if (details) details->push_back(one.details());
  }
  return out;
}

}  // namespace vibe::statistics
