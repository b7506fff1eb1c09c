#include "app/runs/run_suite.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <span>

#include <fmt/format.h>

#include "app/runs/certainty.h"
#include "app/team/close_run.h"
#include "base/crypto.h"
#include "base/text.h"
#include "base/time.h"
#include "run/answer_figures.h"
#include "run/finish.h"
#include "score/measured.h"
#include "score/numbers.h"

namespace vibe::app {

namespace {

// Answers were paid for: they must not be lost because a disk is full for a while.
template <class Keep>
base::Result<void> try_until_kept(Watcher& watcher, const Keep& keep) {
  while (true) {
    auto kept = keep();
    if (kept || !watcher.wants_retry(kept.error())) return kept;
  }
}

class StoredAnswers final : public run::AnswerCache {
 public:
  StoredAnswers(store::Cache& cache, Watcher& watcher) : cache_(cache), watcher_(watcher) {}

  std::optional<model::Outcome> find(const std::string& key) override {
    const auto kept = cache_.answer(key);
    return kept && *kept ? model::outcome_from_json(**kept) : std::nullopt;
  }
  base::Result<void> keep(const std::string& key, const model::Outcome& outcome) override {
    const std::string text = model::to_json(outcome);
    return try_until_kept(watcher_, [&] { return cache_.keep_answer(key, text); });
  }

 private:
  store::Cache& cache_;
  Watcher& watcher_;
};

class StoredEmbeddings final : public run::EmbeddingCache {
 public:
  StoredEmbeddings(store::Cache& cache, Watcher& watcher) : cache_(cache), watcher_(watcher) {}

  std::optional<model::Embedding> find(const std::string& key) override {
    const auto kept = cache_.embedding(key);
    if (!kept || !*kept) return std::nullopt;
    return model::Embedding{(*kept)->vector, (*kept)->tokens, (*kept)->cost};
  }
  base::Result<void> keep(const std::string& key, const model::Embedding& embedding) override {
    const store::Embedding kept{embedding.vector, embedding.tokens, embedding.cost};
    return try_until_kept(watcher_, [&] { return cache_.keep_embedding(key, kept); });
  }

 private:
  store::Cache& cache_;
  Watcher& watcher_;
};

// A run, and the suite that it runs.
struct Task {
  Prepared* suite;
  PreparedModel* run;
};

class ResultWriter final : public run::Observer {
 public:
  ResultWriter(std::span<const Task> tasks, store::Journal& journal, Watcher& watcher)
      : journal_(journal), watcher_(watcher) {
    for (const Task& task : tasks) {
      holds_.push_back(task.run->hold);
      auto& kept = results_.emplace_back();
      for (auto& result : task.run->earlier)
        kept.insert_or_assign(result.sample, std::move(result));
    }
  }

  base::Result<void> on_result(std::size_t job, score::Result result) override {
    const auto add = [&] { return journal_.add(holds_[job], result); };
    VIBE_TRY(try_until_kept(watcher_, add));
    watcher_.on_result(job, result);
    results_[job].insert_or_assign(result.sample, std::move(result));
    return {};
  }
  void on_tick() override { watcher_.on_tick(); }
  bool stop_all() override { return watcher_.wants_to_stop(); }
  bool drain() override { return watcher_.hands_over(); }
  bool stop(std::size_t job) override {
    return journal_.stop_requested(holds_[job].run).value_or(false);
  }

  // In the order of the plan.
  std::vector<score::Result> take_results(std::size_t job) {
    std::vector<score::Result> out;
    for (auto& [sample, result] : results_[job]) out.push_back(std::move(result));
    return out;
  }

 private:
  store::Journal& journal_;
  Watcher& watcher_;
  std::vector<store::Hold> holds_;
  std::vector<std::map<std::uint32_t, score::Result>> results_;  // by sample
};

run::Job make_job(PreparedModel& run, const Prepared& prepared, run::AnswerCache* cache,
                  run::EmbeddingCache& embeddings) {
  const bool is_replay = run.opened.recording != nullptr;
  const auto channel = [&](const model::Opened& opened, bool is_judge) {
    run::Channel out;
    out.model = opened.model.get();
    out.name = opened.name;
    out.is_judge = is_judge;
    out.is_replay = is_replay;
    out.secrets = &prepared.plan->redactor();
    out.redactor = &run.redactor;
    out.cache = prepared.cache && !is_replay ? cache : nullptr;
    out.recorder = run.recorder ? &*run.recorder : nullptr;
    out.price = opened.price;
    return out;
  };
  run::Job job;
  job.plan = &*prepared.plan;
  job.model = channel(run.opened, false);
  job.model.tools = run.tools;
  if (run.opened.may_log) job.model.rubric = base::hash(prepared.rubric->text);
  for (const auto& [name, judge] : run.judges.models)
    job.outside.judges.emplace(name, channel(judge, true));
  if (auto& embedder = run.judges.embedder) {
    job.outside.embedder = embedder->embedder.get();
    job.outside.embedder_name = embedder->name;
  }
  job.outside.is_replay = is_replay;
  job.outside.embeddings = &embeddings;
  job.outside.recorder = job.model.recorder;
  job.outside.redactor = job.model.redactor;
  if (!is_replay) {
    job.budget = prepared.budget;
    job.spending_limit = prepared.spending_limit.get();
  }
  if (prepared.run_timeout) job.timeout = std::max(0.0, *prepared.run_timeout - run.worked);
  job.pending = run.pending;
  if (run::uses_answers(prepared.suite->program)) job.rubric = prepared.rubric.get();
  for (const auto& result : run.earlier) job.spent += result.paid;
  return job;
}

// Includes the first error, for readers who see only the run.
std::string why_samples_failed(const score::Run& run, std::span<const score::Result> results) {
  constexpr std::size_t kMost = 200;
  std::string out = fmt::format("{} of {} samples had an error", run.errors, run.results);
  const auto first = std::find_if(results.begin(), results.end(), [](const score::Result& one) {
    return one.status == score::ResultStatus::error && !one.error.empty();
  });
  if (first == results.end()) return out;
  return fmt::format("{}{} {}", out, run.errors > 1 ? ", the first:" : ":",
                     base::shorten(base::fold_white_space(base::trim(first->error)), kMost));
}

// `needed`: US dollars, for the next sample.
std::string why(run::Ending ending, double needed, const score::Run& run, const Prepared& prepared,
                std::span<const score::Result> results) {
  // Rounded up, so that the shown amount is enough.
  const auto needs = [&] {
    return fmt::format("the first sample, which may cost up to {}", score::show_enough(needed));
  };
  switch (ending) {
    case run::Ending::finished: break;
    case run::Ending::stopped: return stopped_after(run.results, run.planned);
    case run::Ending::timed_out:
      return fmt::format("took longer than {}: {} of {} samples",
                         base::show_duration(*prepared.run_timeout), run.results, run.planned);
    case run::Ending::over_budget:
      if (run.results == 0)
        return fmt::format("the budget of {} is not enough for {}",
                           score::show_cost(*prepared.budget), needs());
      return fmt::format("the budget of {} was used up after {} of {} samples",
                         score::show_cost(*prepared.budget), run.results, run.planned);
    case run::Ending::no_credit:
      if (run.results == 0) return fmt::format("out of credits before {}", needs());
      return fmt::format("out of credits after {} of {} samples", run.results, run.planned);
    case run::Ending::broken: return "the results could not be stored";
    case run::Ending::interrupted: return {};
  }
  if (run.errors > 0) return why_samples_failed(run, results);
  return {};
}

// An earlier score is invalid while results are added.
void forget_score(score::Run& run) {
  run.completed_at.reset();
  run.error.clear();
  run.score.reset();
  run.score_error.clear();
  run.score_metrics.clear();
  run.metrics.clear();
  run.explanation.clear();
  run.certainty.reset();
}

// Stores the run, which this process then holds.
base::Result<void> begin(PreparedModel& prepared, const Prepared& all, score::Millis now,
                         store::Store& store) {
  score::Run& run = prepared.run;
  run.status = score::RunStatus::running;
  run.version = all.version;
  if (!run.id.empty()) {
    // An interrupted run from the queue is still the same run: it keeps its first start time.
    if (!prepared.is_claimed || !run.started_at) run.started_at = now;
    forget_score(run);
    score::count_results(run, prepared.earlier);
    return store.journal().write(prepared.hold, run, {});
  }
  run.started_at = now;
  const auto evals = static_cast<std::uint32_t>(all.suite->evals.size());
  if (all.saves_suite) {
    VIBE_TRY(store.archive().suites().save({.name = run.suite_name,
                                            .text = run.suite_text,
                                            .path = run.suite_path,
                                            .evals = evals,
                                            .last_run_at = {}},
                                           now));
  }
  run.id = base::uuid7(base::now_millis());
  run.created_at = now;
  VIBE_TRY(auto held, store.journal().begin(run));
  prepared.hold = std::move(held.hold);
  prepared.lock = std::move(held.lock);
  return {};
}

}  // namespace

bool start_suite(Prepared& prepared, store::Store& store, base::Diagnostics& out) {
  const auto now = base::now_millis();
  for (auto& run : prepared.runs) {
    const auto kept = begin(run, prepared, now, store);
    if (kept) continue;
    out.append(kept.error());
    return false;
  }
  return true;
}

std::vector<FinishedRun> run_suite(Prepared& prepared, store::Store& store, Watcher& watcher) {
  return run_suites({&prepared, 1}, store, watcher);
}

std::vector<FinishedRun> run_suites(std::span<Prepared> suites, store::Store& store,
                                    Watcher& watcher) {
  const auto started = std::chrono::steady_clock::now();  // the wall clock may be set meanwhile
  StoredAnswers answers(store.cache(), watcher);
  StoredEmbeddings embeddings(store.cache(), watcher);
  std::vector<Task> tasks;
  std::vector<run::Job> jobs;
  for (Prepared& suite : suites) {
    for (auto& run : suite.runs) {
      tasks.push_back({&suite, &run});
      jobs.push_back(make_job(run, suite, &answers, embeddings));
    }
    watcher.on_start(suite.runs);
  }
  ResultWriter writer(tasks, store.journal(), watcher);
  auto ended = run::run_all(jobs, writer);
  // Hundreds of connections take a while to close: the score is computed meanwhile.
  const auto closing = std::async(std::launch::async | std::launch::deferred, [&tasks] {
    for (const Task& task : tasks) task.run->opened.model.reset();
  });

  std::vector<FinishedRun> finished;
  for (std::size_t i = 0; i < ended.size(); ++i) {
    const Prepared& prepared = *tasks[i].suite;
    FinishedRun& done = finished.emplace_back();
    done.run = std::move(tasks[i].run->run);
    done.problems = std::move(ended[i].problems);
    done.results = writer.take_results(i);
    // The worker that takes over the run sends the samples again that could not be stored in time.
    auto ending = ended[i].ending;
    if (ending == run::Ending::broken && watcher.hands_over()) ending = run::Ending::interrupted;
    const auto now = base::now_millis();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    done.run.duration = done.run.duration.value_or(0) + took.count();
    score::Measured measured;
    if (ending == run::Ending::interrupted) {
      score::count_results(done.run, done.results);
    } else {
      const auto samples = run::samples_of(*prepared.suite, done.results);
      done.score = run::finish(done.run, *prepared.suite, done.results, samples);
      done.run.status = run::status_of(ending, done.run.results, done.run.errors);
      done.run.error = why(ending, ended[i].needed, done.run, prepared, done.results);
      done.run.completed_at = now;
      measured = score::measure(prepared.suite->program, samples);
      done.run.certainty = certainty_of(prepared.suite->program, samples, done.score,
                                        settings_of(prepared.suite->score));
    }
    const auto update = [&]() -> base::Result<void> {
      VIBE_TRY(watcher.before_end());
      return store.journal().write(tasks[i].run->hold, done.run, measured);
    };
    const auto updated = try_until_kept(watcher, update);
    if (!updated) done.problems.append(updated.error());
    done.is_kept = updated.has_value();
  }
  closing.wait();
  return finished;
}

}  // namespace vibe::app
