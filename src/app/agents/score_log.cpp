#include "app/agents/score_log.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "fitness/score.h"
#include "formula/input.h"
#include "price/price.h"
#include "trace/join.h"
#include "trace/read.h"

namespace vibe::app {

namespace {

namespace fs = std::filesystem;

// Why the file cannot be read; empty: it can. The program has ended, so nothing replaces the file
// in the meantime.
std::string problem_of(const std::string& file) {
  std::error_code error;
  const auto status = fs::symlink_status(file, error);
  if (!fs::is_regular_file(status)) return "the execution log is not a regular file";
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) return "the execution log cannot be read";
  if (size > kMostLogBytes)
    return fmt::format("the execution log is {} MB; the limit is {}", size >> 20,
                       kMostLogBytes >> 20);
  return {};
}

void score_log(const std::string& file, const fitness::Rubric& rubric,
               const model::Request& request, model::Answer& answer) {
  constexpr double kMost = formula::row_of(formula::Column::fitness).most;
  answer.fitness_error = problem_of(file);
  if (!answer.fitness_error.empty()) return;
  const price::PriceTable none{};  // the cost is not needed here
  const trace::Prices prices(none);
  const trace::Options options{.errors = rubric.words.errors(), .prices = prices};
  auto log = trace::read_log({.path = file, .named = true, .sub_agents = {}}, nullptr, options);
  if (log.diagnostics.failed() || log.executions.empty()) {
    for (const auto& problem : log.diagnostics.all())
      if (answer.fitness_error.empty() && problem.severity == base::Severity::error)
        answer.fitness_error = "the execution log: " + problem.message;
    return;
  }
  trace::Execution execution = trace::join(std::move(log.executions));
  if (base::trim(execution.output).empty()) execution.output = base::replace_invalid(answer.text);
  if (execution.prompt.empty() && !request.messages.empty())
    execution.prompt = request.messages.back().text;
  const fitness::Fitness fitness = fitness::score(execution, rubric);
  if (!fitness.score)
    answer.fitness_error = fitness.error;
  else if (*fitness.score < 0 || *fitness.score > kMost)
    answer.fitness_error =
        fmt::format("the rubric's score {} is not between 0 and {}", *fitness.score, kMost);
  else
    answer.fitness = fitness.score;
}

}  // namespace

model::ScoreLog log_scorer(std::shared_ptr<const fitness::Rubric> rubric) {
  return [rubric = std::move(rubric)](const std::string& file, const model::Request& request,
                                      model::Answer& answer) {
    score_log(file, *rubric, request, answer);
  };
}

}  // namespace vibe::app
