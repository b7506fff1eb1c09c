#include "app/runs/history.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "formula/names.h"
#include "formula/program.h"
#include "score/figures.h"

namespace vibe::app {

using base::Code;

base::Result<std::vector<Trend>> trends(store::Runs& stored, const std::vector<score::Run>& runs) {
  std::vector<Trend> out;
  for (const auto& run : runs) {
    const bool is_known = std::any_of(
        out.begin(), out.end(), [&](const Trend& trend) { return trend.name == run.suite_name; });
    if (is_known) continue;
    auto scores = stored.last_scores(run.suite_name, kTrendRuns);
    if (!scores) return tl::unexpected(scores.error());
    out.push_back({run.suite_name, *std::move(scores)});
  }
  return out;
}

base::Result<score::Run> find_run(store::Runs& stored, std::string_view id) {
  auto found = stored.find(id);
  if (!found) return tl::unexpected(found.error());
  if (*found) return **std::move(found);
  if (id == "last")
    return base::fail(Code::not_found, {}, "there is no run yet",
                      "`vibe check suite.yaml` makes one");
  return base::fail(Code::not_found, {}, fmt::format("there is no run `{}`", base::printable(id)),
                    "`vibe get runs` lists them; `last` is the newest");
}

base::Result<score::Score> explain_run(store::Runs& stored, const score::Run& run) {
  const auto bytes = stored.figures(run.id);
  if (!bytes) return tl::unexpected(bytes.error());
  if (bytes->empty())
    return base::fail(Code::not_found, {},
                      fmt::format("the figures of run `{}` were not kept", run.id),
                      is_finished(run.status)
                          ? "the run was interrupted; `vibe check --resume ID` goes on with it"
                          : "they are kept when the run is finished");
  const auto samples = score::decode_figures(*bytes);
  if (!samples) return tl::unexpected(samples.error());
  // By what was kept with the run: the suite's file, and those of its cases, may have changed.
  formula::Names names;
  for (const auto& eval : samples->evals())
    if (!eval.name.empty()) names.add_eval(eval.name, eval.tags);
  std::vector<formula::Definition> metrics;
  for (const auto& metric : run.score_metrics) {
    const auto text = base::make_source(metric.name, metric.formula);
    names.add_metric(metric.name);
    metrics.push_back({metric.name, {}, base::whole(text)});
  }
  base::Diagnostics found;
  const auto score = base::make_source("score", run.score_formula);
  const auto program = formula::compile(names, metrics, base::whole(score), found);
  if (!program) return tl::unexpected(found);
  // a score beside the reason why there is none is the suite's `on_undefined`
  return score::compute(*program, *samples, run.score_error.empty() ? std::nullopt : run.score);
}

base::Result<score::Run> stop_run(store::Runs& stored, std::string_view id) {
  auto run = find_run(stored, id);
  if (!run) return run;
  const auto asked = stored.request_stop(run->id);
  if (!asked) return tl::unexpected(asked.error());
  if (!*asked)
    return base::fail(
        Code::bad_usage, {},
        fmt::format("run `{}` is not running: it is `{}`", run->id, to_string(run->status)),
        "`vibe get runs --status queued,running` lists those that can be stopped");
  return run;
}

base::Result<std::vector<score::Run>> stop_queued(store::Runs& stored) {
  std::vector<score::Run> out;
  store::RunQuery query;
  query.status = {score::RunStatus::queued};
  do {
    auto page = stored.list(query);
    if (!page) return tl::unexpected(page.error());
    for (auto& run : page->runs) {
      const auto asked = stored.request_stop(run.id);
      if (!asked) return tl::unexpected(asked.error());
      if (*asked) out.push_back(std::move(run));
    }
    query.after = std::move(page->next);
  } while (!query.after.empty());
  return out;
}

}  // namespace vibe::app
