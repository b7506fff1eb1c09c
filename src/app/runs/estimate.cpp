#include "app/runs/estimate.h"

#include <map>

#include "run/run.h"

namespace vibe::app {

namespace {

std::vector<JudgeEstimate> judge_estimates(const Prepared& prepared, const PreparedModel& run,
                                           const Estimate& estimate) {
  std::map<std::string, std::int64_t> calls;
  if (!run.judges.models.empty())
    for (const auto number : run.pending)
      for (const auto& [name, count] :
           judge_calls(*prepared.plan, prepared.plan->samples()[number]))
        calls[name] += count;
  std::vector<JudgeEstimate> out;
  for (const auto& [name, judge] : run.judges.models) {
    JudgeEstimate& one = out.emplace_back();
    one.model = judge.name;
    one.requests = calls[name];
    if (judge.is_free || run.opened.recording) {
      one.cost = 0;
    } else if (judge.price && estimate.samples > 0) {
      // A judge gets the prompt, the answer and its instructions.
      const auto each = estimate.prompt_tokens / static_cast<std::int64_t>(estimate.samples) +
                        estimate.output_tokens_each + run::kJudgeTokens;
      const auto cost = price::cost(*judge.price, {.prompt = each * one.requests,
                                                   .completion = run::kJudgeTokens * one.requests});
      one.cost = cost.input + cost.output;
    }
  }
  return out;
}

// Repeats of a sample have the same prompt, which is counted once for all of them.
std::int64_t prompt_tokens(const run::Plan& plan, const std::vector<std::uint32_t>& pending) {
  std::int64_t out = 0, each = 0;
  const run::PlannedSample* counted = nullptr;
  for (const auto number : pending) {
    const auto& sample = plan.samples()[number];
    if (!counted || sample.eval != counted->eval || sample.row != counted->row)
      each = run::estimate_prompt_tokens(plan.request(sample));
    counted = &sample;
    out += each;
  }
  return out;
}

}  // namespace

base::Result<std::vector<Estimate>> estimate(const Prepared& prepared, store::Runs& runs) {
  std::vector<Estimate> out;
  for (const auto& run : prepared.runs) {
    Estimate& estimate = out.emplace_back();
    estimate.model = run.opened.name;
    estimate.samples = run.pending.size();
    estimate.prompt_tokens = prompt_tokens(*prepared.plan, run.pending);

    estimate.output_tokens_each = run::kAssumedOutputTokens;
    estimate.assumption = "assumed";
    store::RunQuery query;
    query.limit = 1;
    query.status = {score::RunStatus::completed};
    query.suite = run.run.suite_name;
    query.model = run.opened.name;
    VIBE_TRY(const auto page, runs.list(query));
    if (!page.runs.empty() && page.runs[0].completion_tokens && page.runs[0].results > 0) {
      estimate.output_tokens_each = *page.runs[0].completion_tokens / page.runs[0].results;
      estimate.assumption = "as in the last run";
    } else if (const auto most = prepared.suite->metadata.max_output_tokens) {
      estimate.output_tokens_each = *most;
      estimate.assumption = "at most, by `max_output_tokens`";
    }
    estimate.completion_tokens =
        estimate.output_tokens_each * static_cast<std::int64_t>(estimate.samples);
    if (run.opened.is_free || !run.opened.source.empty())
      estimate.cost = 0;
    else if (run.opened.price) {
      const auto cost = price::cost(*run.opened.price, {.prompt = estimate.prompt_tokens,
                                                        .completion = estimate.completion_tokens});
      estimate.cost = cost.input + cost.output;
    }
    estimate.judges = judge_estimates(prepared, run, estimate);
  }
  return out;
}

}  // namespace vibe::app
