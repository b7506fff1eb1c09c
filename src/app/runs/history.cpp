#include "app/runs/history.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/runs/scorable.h"
#include "base/text.h"

namespace vibe::app {

using base::Code;

base::Result<std::vector<Trend>> trends(store::Runs& stored, const std::vector<score::Run>& runs) {
  std::vector<Trend> out;
  for (const auto& run : runs) {
    std::string name = fmt::format("{} {}", run.suite_name, run.model);
    const bool is_known =
        std::any_of(out.begin(), out.end(), [&](const Trend& trend) { return trend.name == name; });
    if (is_known) continue;
    VIBE_TRY(auto scores, stored.last_scores(run.suite_name, run.model, kTrendRuns));
    out.push_back({std::move(name), std::move(scores)});
  }
  return out;
}

base::Result<score::Run> find_run(store::Runs& stored, std::string_view id) {
  VIBE_TRY(auto found, stored.find(id));
  if (found) return *std::move(found);
  if (id == "last")
    return base::fail(Code::not_found, {}, "there are no runs yet",
                      "`vibe check suite.yaml` starts one");
  return base::fail(Code::not_found, {}, fmt::format("there is no run `{}`", base::printable(id)),
                    "`vibe get runs` lists them; `last` is the newest");
}

base::Result<score::Score> explain_run(store::Runs& stored, const score::Run& run) {
  VIBE_TRY(const auto found, scorable(stored, run));
  // A score with a reason why there is none comes from the suite's `on_undefined`.
  return score::compute(found.program, found.samples,
                        run.score_error.empty() ? std::nullopt : run.score);
}

base::Result<score::Run> stop_run(store::Runs& stored, std::string_view id) {
  VIBE_TRY(auto run, find_run(stored, id));
  VIBE_TRY(const auto asked, stored.request_stop(run.id));
  if (!asked)
    return base::fail(
        Code::bad_usage, {},
        fmt::format("run `{}` is not running: it is `{}`", run.id, to_string(run.status)),
        "`vibe get runs --status queued,running` lists the runs that can be stopped");
  return run;
}

base::Result<std::vector<score::Run>> stop_queued(store::Runs& stored) {
  std::vector<score::Run> out;
  store::RunQuery query;
  query.status = {score::RunStatus::queued};
  do {
    VIBE_TRY(auto page, stored.list(query));
    for (auto& run : page.runs) {
      VIBE_TRY(const auto asked, stored.request_stop(run.id));
      if (asked) out.push_back(std::move(run));
    }
    query.after = std::move(page.next);
  } while (!query.after.empty());
  return out;
}

}  // namespace vibe::app
