#include "app/runs/contender.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include <fmt/format.h>

#include "app/runs/history.h"
#include "app/runs/scorable.h"
#include "base/file.h"
#include "base/text.h"
#include "results/results.h"

namespace vibe::app {

using base::Code;
using base::Result;

namespace {

constexpr std::string_view kLast = "last", kBefore = "last~";

store::RunQuery ended_runs() {
  store::RunQuery query;
  query.status_ne = score::unfinished_statuses();
  query.limit = 1;
  return query;
}

// The run at this place of a list; none: the list is shorter.
Result<std::optional<score::Run>> run_at(store::Runs& stored, store::RunQuery query,
                                         std::size_t place) {
  query.offset = place;
  VIBE_TRY(auto page, stored.list(query));
  if (page.runs.empty()) return std::nullopt;
  return stored.find(page.runs.front().id);  // lists lack texts
}

Result<score::Run> last_ended(store::Runs& stored) {
  VIBE_TRY(auto run, run_at(stored, ended_runs(), 0));
  if (run) return *std::move(run);
  return base::fail(Code::not_found, {}, "no run has ended yet",
                    "`vibe check suite.yaml` starts one");
}

Result<score::Run> before_last(store::Runs& stored, std::string_view number) {
  constexpr std::int64_t kMost = 1'000'000;
  const auto back = base::parse_integer(number);
  if (!back || *back < 0 || *back > kMost)
    return base::fail(Code::bad_usage, {},
                      fmt::format("`last~{}` needs a number after `~`", base::printable(number)),
                      "`last~1` is the run of the same suite before the last");
  VIBE_TRY(const auto last, last_ended(stored));
  auto query = ended_runs();
  query.suite = last.suite_name;
  VIBE_TRY(auto run, run_at(stored, query, static_cast<std::size_t>(*back)));
  if (run) return *std::move(run);
  return base::fail(
      Code::not_found, {},
      fmt::format("there are not {} ended runs of `{}` before the last", *back,
                  base::printable(last.suite_name)),
      fmt::format("`vibe get runs --suite {}` lists them", base::printable(last.suite_name)));
}

Result<score::Run> last_of_model(store::Runs& stored, std::string_view suite,
                                 std::string_view model) {
  auto query = ended_runs();
  query.suite = suite;
  query.model = model;
  VIBE_TRY(auto run, run_at(stored, query, 0));
  if (run) return *std::move(run);
  return base::fail(Code::not_found, {},
                    fmt::format("no run of suite `{}` with model `{}` has ended",
                                base::printable(suite), base::printable(model)),
                    "`vibe get runs` lists suites and models");
}

bool is_file(const std::string& text) {
  std::error_code ignored;
  return text == "-" || std::filesystem::is_regular_file(text, ignored);
}

// What the first result of a question says about all.
void describe(const score::Result& result, Question& out) {
  out.prompt = result.prompt;
  for (const auto& check : result.checks) out.checks += check.type + " ";
  const std::size_t open = result.eval.empty() ? result.eval_name.find('[') : result.eval.size();
  if (open < result.eval_name.size() && result.eval_name.ends_with(']'))
    out.label = result.eval_name.substr(open + 1, result.eval_name.size() - open - 2);
}

std::vector<Question> questions_of(const score::Samples& samples,
                                   std::span<const score::Result> results) {
  std::unordered_map<std::uint32_t, const score::Result*> by_sample;
  for (const auto& result : results) by_sample.emplace(result.sample, &result);
  const auto places = samples.places();
  std::vector<Question> out;
  for (auto& asked : statistics::questions_of(samples)) {
    Question question;
    double passed = 0;
    const score::Result *first = nullptr, *not_passed = nullptr;
    for (const std::uint32_t row : asked.answers) {
      passed += samples.sample(row).passed ? 1 : 0;
      const auto found = by_sample.find(places[row].sample);
      if (found == by_sample.end()) continue;
      if (!first) first = found->second;
      if (!not_passed && !found->second->passed()) not_passed = found->second;
    }
    if (first) {
      describe(*first, question);
      const auto& shown = not_passed ? *not_passed : *first;
      question.answer = shown.error.empty() ? shown.response : shown.error;
    }
    question.passed = passed / static_cast<double>(asked.answers.size());
    question.asked = std::move(asked);
    out.push_back(std::move(question));
  }
  return out;
}

Result<score::Run> find_ended_run(store::Runs& stored, std::string_view text) {
  if (text == kLast) return last_ended(stored);
  if (text.starts_with(kBefore)) return before_last(stored, text.substr(kBefore.size()));
  if (const std::size_t at = text.find('@'); at != std::string_view::npos)
    return last_of_model(stored, text.substr(0, at), text.substr(at + 1));
  VIBE_TRY(auto run, find_run(stored, text));
  if (!is_finished(run.status))
    return base::fail(
        Code::conflict, {},
        fmt::format("run `{}` has not ended: it is `{}`", run.id, to_string(run.status)),
        "wait for its end, or stop it with `vibe stop`");
  return run;
}

Result<Contender> contender_of(store::Runs& stored, score::Run run) {
  VIBE_TRY(auto scorable, app::scorable(stored, run));
  VIBE_TRY(const auto results, stored.results(run.id));
  Contender out{.label = run.id};
  out.questions = questions_of(scorable.samples, results);
  out.samples = std::move(scorable.samples);
  out.program = std::move(scorable.program);
  out.settings = settings_of(run);
  std::size_t errors = 0;
  for (const auto& result : results) errors += result.status == score::ResultStatus::error ? 1 : 0;
  if (!results.empty() && errors == results.size())
    return base::fail(
        Code::conflict, {},
        fmt::format("run `{}` has no answers: every sample ended in an error", run.id),
        "`vibe check --retry-failed ID` asks them again");
  out.run = std::move(run);
  return out;
}

Result<Contender> read_results(const std::string& path) {
  Contender out{.label = base::display_name(path)};
  base::Diagnostics found;
  if (!results::read(path, {}, out.samples, found)) return tl::unexpected(std::move(found));
  out.questions = questions_of(out.samples, {});
  return out;
}

}  // namespace

std::string Contender::eval_name(std::uint32_t eval) const {
  const auto& name = samples.evals()[eval].name;
  return name.empty() ? fmt::format("eval {}", eval) : name;
}

Result<Contender> find_contender(store::Runs& stored, const std::string& text) {
  return is_file(text) ? read_results(text) : find_stored_contender(stored, text);
}

Result<Contender> find_stored_contender(store::Runs& stored, std::string_view text) {
  VIBE_TRY(auto run, find_ended_run(stored, text));
  return contender_of(stored, std::move(run));
}

}  // namespace vibe::app
