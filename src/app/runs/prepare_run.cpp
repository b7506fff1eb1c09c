#include "app/runs/prepare_run.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "app/agents/rubric.h"
#include "app/agents/score_log.h"
#include "app/runs/model_names.h"
#include "app/runs/run_parameters.h"
#include "app/runs/run_values.h"
#include "app/suites/suite_text.h"
#include "base/crypto.h"
#include "base/text.h"
#include "run/answer_figures.h"
#include "run/run.h"

namespace vibe::app {

using base::Code;

namespace {

class Preparation {
 public:
  Preparation(const RunRequest& request, Local& local, base::Diagnostics& out)
      : request_(request), local_(local), out_(out) {}

  std::optional<Prepared> run() {
    const bool is_ready = (request_.earlier.empty() ? read_suite() : read_earlier()) &&
                          load_suite() && make_plan() && open_models() && select_samples() &&
                          open_tools();
    if (is_ready) look_at_budget();
    redact_problems();
    if (!is_ready) return std::nullopt;
    if (request_.strict) out_.make_warnings_errors();
    // Last, because it overwrites the file.
    if (out_.failed() || !open_recorder()) return std::nullopt;
    return std::move(prepared_);
  }

 private:
  // Problems quote filled-in names and addresses, and answers of others. Those quotes are already
  // masked; this is the safety net.
  void redact_problems() {
    if (redactor_.empty()) return;
    base::Diagnostics redacted;
    for (base::Diagnostic one : out_.all()) {
      redactor_.apply_to_message(one.message);
      redactor_.apply_to_message(one.hint);
      redacted.add(one.code, {one.source, one.span}, std::move(one.message), std::move(one.hint));
    }
    out_ = std::move(redacted);
  }

  // ---- the suite

  bool read_suite() {
    parameters_.plan = request_.plan;
    parameters_.tools = request_.tools;
    if (request_.loaded) {
      suite_ = {std::string(request_.loaded->source->text()), "", request_.suite};
      return true;
    }
    auto found = find_suite_text(request_.suite, request_.is_file, local_.suites());
    if (failed(found, out_)) return false;
    suite_ = *std::move(found);
    return true;
  }

  bool read_earlier() {
    auto run = local_.runs().find(request_.earlier);
    if (failed(run, out_)) return false;
    if (!*run) {
      out_.add(Code::not_found, {},
               fmt::format("there is no run `{}`", base::printable(request_.earlier)),
               "`vibe get runs` lists them");
      return false;
    }
    earlier_ = **std::move(run);
    if (!is_again()) {
      if (!request_.dry_run && !request_.claim && !hold_earlier()) return false;
      auto results = local_.runs().results(earlier_->id);
      if (failed(results, out_)) return false;
      results_ = *std::move(results);
    }
    const std::string& path = earlier_->suite_path;
    suite_ = {earlier_->suite_text, path, path.empty() ? earlier_->suite_name : path};
    auto parameters = read_parameters(earlier_->parameters);
    if (!parameters) {
      out_.add(Code::plan_changed, {},
               fmt::format("run `{}` has no record of how it was started", earlier_->id));
      return false;
    }
    parameters_ = *std::move(parameters);
    if (request_.plan.threads) parameters_.plan.threads = request_.plan.threads;
    parameters_.tools.token = request_.tools.token;
    return true;
  }

  // From here on no other process changes the run.
  bool hold_earlier() {
    auto held = local_.store->journal().take_up(earlier_->id);
    if (failed(held, out_)) return false;
    held_ = *std::move(held);
    auto run = local_.runs().find(earlier_->id);
    if (failed(run, out_)) return false;
    earlier_ = **std::move(run);
    return true;
  }

  // ---- the plan

  std::optional<LoadedSuite> loaded() {
    if (request_.loaded) return request_.loaded;
    const auto source = base::make_source(suite_.shown_path, suite_.text);
    Validated validated = validate(source, {.files = local_.permissions.files});
    validated.diagnostics.remove_notes();
    out_.append(validated.diagnostics);
    if (!validated.suite) return std::nullopt;
    return LoadedSuite{source, std::make_shared<const suite::Suite>(*std::move(validated.suite)),
                       std::move(validated.rubric)};
  }

  bool load_suite() {
    auto found = loaded();
    if (!found) return false;
    prepared_.source = std::move(found->source);
    prepared_.suite = std::move(found->suite);
    prepared_.rubric = found->rubric ? std::move(found->rubric) : default_rubric();
    prepared_.gates = {request_.min_score ? request_.min_score : prepared_.suite->score.min,
                       request_.min_success};
    prepared_.budget = request_.budget ? request_.budget : local_.config.budget;
    prepared_.run_timeout = request_.run_timeout ? request_.run_timeout : local_.config.run_timeout;
    prepared_.cache = request_.cache;
    prepared_.saves_suite = !is_again();  // it may be an old version
    prepared_.version = request_.version;
    return true;
  }

  bool make_plan() {
    auto& options = parameters_.plan;
    auto filler = find_values(*prepared_.suite, prepared_.source, options, parameters_.tools,
                              values_of(local_.variables(), local_.store->vault()));
    if (failed(filler, out_)) return false;
    for (const auto& [name, value] : filler->secrets()) redactor_.add(value, name);
    options.default_threads = local_.config.threads.value_or(options.default_threads);
    options.limits = fill_limits(local_.config);
    prepared_.plan = run::Plan::make(prepared_.suite, *std::move(filler), options, out_);
    if (!prepared_.plan) return false;
    look_at_repeats();
    name_ = prepared_.plan->filler().fill(prepared_.suite->metadata.name);
    model_ = beside_suite(prepared_.plan->filler().fill(prepared_.suite->metadata.model));
    if (is_new()) return true;
    if (prepared_.plan->hash() != parameters_.plan_hash) {
      out_.add(Code::plan_changed, {},
               fmt::format("run `{}` sent different prompts: its cases or variables have changed",
                           earlier_->id),
               "start a new run with `vibe check`");
      return false;
    }
    if (rubric_hash() != parameters_.rubric_hash) {
      out_.add(Code::plan_changed, {},
               fmt::format("run `{}` was judged with a different rubric than the suite has now",
                           earlier_->id),
               "start a new run with `vibe check`");
      return false;
    }
    return true;
  }

  // A chance of k answers is undefined if there are fewer.
  void look_at_repeats() {
    std::vector<std::uint32_t> answers(prepared_.suite->evals.size(), 0);
    for (const auto& sample : prepared_.plan->samples())
      answers[sample.eval] = std::max(answers[sample.eval], sample.repeat + 1);
    for (const auto& input : prepared_.suite->program.inputs) {
      if (!formula::is_by_question(input.statistic)) continue;
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const auto& eval = prepared_.suite->evals[i];
        if (answers[i] == 0 || answers[i] >= input.constant ||
            !formula::selects(input.over, eval.name, eval.tags))
          continue;
        out_.add(Code::few_repeats, {},
                 fmt::format("`{}` is undefined with {} to each eval", input.name,
                             base::counted(answers[i], "answer")),
                 fmt::format("use `--repeat {}`, or set `repeat` in the suite", input.constant));
        break;
      }
    }
  }

  // A new run like the earlier one.
  bool is_again() const { return earlier_ && request_.how == Continue::again; }

  // No request was sent yet that the plan would have to match.
  bool is_new() const { return !earlier_ || (request_.claim && results_.empty()); }

  // The hash of the rubric that results are judged by; empty if no formula uses it.
  std::string rubric_hash() const {
    const auto& program = prepared_.suite->program;
    const bool is_used = run::uses_answers(program) || run::uses(program, formula::Column::fitness);
    return is_used ? base::hash(prepared_.rubric->text) : std::string();
  }

  // ---- the models

  // The path of a recording in a suite is relative to the suite, like its cases.
  std::string beside_suite(const std::string& model) const {
    if (!model.starts_with(score::kReplay)) return model;
    const std::filesystem::path folder = std::filesystem::path(suite_.shown_path).parent_path();
    return std::string(score::kReplay) + (folder / model.substr(score::kReplay.size())).string();
  }

  base::Result<std::vector<std::string>> named_models() const {
    if (earlier_) return std::vector{earlier_->source.empty() ? earlier_->model : earlier_->source};
    if (request_.models.empty()) return std::vector{model_};
    return model_names(request_.models, models_here(local_.config));
  }

  bool open_models() {
    const auto names = named_models();
    if (failed(names, out_)) return false;
    model::Settings settings = local_.config.models;
    // With any formula: results show the fitness, and recordings keep it for later formulas.
    settings.score_log = log_scorer(prepared_.rubric);
    settings.needs_logs = run::uses(prepared_.suite->program, formula::Column::fitness);
    prepared_.models = std::make_unique<model::Models>(std::move(settings));
    for (const auto& name : *names) {
      if (failed(permit_model(name, local_.permissions), out_)) continue;
      auto opened = prepared_.models->open(name);
      if (failed(opened, out_)) continue;  // report all that cannot be opened
      const auto& program = prepared_.suite->program;
      if (run::uses(program, formula::Column::cost) && !opened->price && !opened->is_free &&
          !opened->states_cost && opened->source.empty())
        out_.add(Code::unpriced_model, {},
                 fmt::format("the price of `{}` is unknown, and so is the cost", opened->name),
                 "add it to `prices` in `~/.vibecheck/config.yaml`");
      if (run::uses(program, formula::Column::fitness) && !opened->may_log)
        out_.add(
            Code::unlogged_model, {},
            fmt::format("`{}` does not log what it does, so `fitness` is undefined", opened->name),
            opened->recording
                ? "none of the recorded answers has a `fitness`"
                : "an `exec:` program can write a log to the file named by `VIBECHECK_TRACE`");
      PreparedModel& out = prepared_.runs.emplace_back();
      out.run = earlier_ && !is_again() ? *earlier_ : new_run(*opened);
      if (earlier_ && is_new()) set_plan(out.run);
      hold(out);
      out.opened = *std::move(opened);
      // All runs have the same judges: problems are reported once.
      if (out_.failed()) continue;
      auto judges = open_judges(*prepared_.plan, *prepared_.models, local_, out.opened.recording,
                                prepared_.source, out_);
      if (!judges) continue;
      out.judges = *std::move(judges);
      redact_keys(out);
    }
    return !out_.failed();
  }

  void hold(PreparedModel& run) {
    run.hold = std::move(held_.hold);
    run.lock = std::move(held_.lock);
    const store::Claim* claim = request_.claim;
    run.is_claimed = claim != nullptr;
    if (!claim) return;
    run.hold = claim->held.hold;
    run.worked = std::max(0.0, run.run.duration.value_or(0) - request_.worked_before);
  }

  void redact_keys(PreparedModel& run) const {
    run.redactor = prepared_.plan->redactor();
    const auto add = [&](const std::vector<std::string>& keys) {
      for (const auto& key : keys) run.redactor.add(key, "key");
    };
    add(run.opened.keys);
    for (const auto& [name, judge] : run.judges.models) add(judge.keys);
    if (run.judges.embedder) add(run.judges.embedder->keys);
  }

  score::Run new_run(const model::Opened& opened) const {
    score::Run out;
    out.suite_name = name_;
    out.model = opened.name;
    out.source = opened.source;
    out.suite_path = suite_.path;
    out.suite_text = suite_.text;
    out.suite_hash = base::hash(suite_.text);
    for (const auto& eval : prepared_.suite->evals)
      for (const auto& tag : eval.tags)
        if (std::find(out.tags.begin(), out.tags.end(), tag) == out.tags.end())
          out.tags.push_back(tag);
    set_plan(out);
    return out;
  }

  void set_plan(score::Run& run) const {
    run.system_prompt = prepared_.plan->redactor().apply(prepared_.plan->system_prompt());
    RunParameters parameters = parameters_;
    parameters.plan.threads = static_cast<std::int64_t>(prepared_.plan->threads());
    parameters.plan_hash = prepared_.plan->hash();
    parameters.rubric_hash = rubric_hash();
    run.parameters = to_json(parameters, prepared_.suite->metadata);
    run.planned = static_cast<std::uint32_t>(prepared_.plan->samples().size());
    run.score_formula = base::fold_white_space(base::trim(prepared_.suite->program.score().text));
  }

  // ---- the samples and the recording

  bool select_samples() {
    const auto count = static_cast<std::uint32_t>(prepared_.plan->samples().size());
    for (auto& run : prepared_.runs) {
      if (earlier_ && !is_again()) {
        if (!select_unfinished(run, count)) return false;
      } else {
        run.pending.resize(count);
        std::iota(run.pending.begin(), run.pending.end(), 0U);
      }
      if (!look_for_answers(run)) return false;
    }
    return true;
  }

  bool select_unfinished(PreparedModel& run, std::uint32_t count) {
    const auto retried = samples_of_order();
    if (!retried) return false;
    run.pending = unfinished(results_, count, request_.how);
    std::erase_if(run.pending, [&](std::uint32_t sample) { return retried->contains(sample); });
    std::erase_if(results_, [&](const score::Result& one) { return one.sample >= count; });
    run.earlier = std::move(results_);
    // A run that was interrupted between its last result and its end is scored now.
    const bool lacks_end =
        request_.claim || (request_.how == Continue::missing && score::lacks_score(*earlier_));
    if (!run.pending.empty() || lacks_end) return true;
    out_.append(nothing_left(*earlier_, request_.how));
    return false;
  }

  // Samples that were sent since the run was queued, and may have failed again.
  std::optional<std::set<std::uint32_t>> samples_of_order() {
    std::set<std::uint32_t> out;
    if (!request_.claim || request_.how != Continue::failed) return out;
    constexpr std::size_t kAtATime = 1000;
    for (std::int64_t after = request_.claim->queued_after;;) {
      const auto arrivals = local_.store->feed().arrivals(earlier_->id, after, kAtATime);
      if (failed(arrivals, out_)) return std::nullopt;
      if (arrivals->empty()) return out;
      for (const auto& arrival : *arrivals) out.insert(arrival.result.sample);
      after = arrivals->back().number;
    }
  }

  // A recording must have an answer for every request.
  bool look_for_answers(const PreparedModel& run) {
    if (!run.opened.recording) return true;
    constexpr std::size_t kMostNamed = 5;
    std::size_t missing = 0;
    for (const auto number : run.pending) {
      const auto& sample = prepared_.plan->samples()[number];
      model::Request request = prepared_.plan->request(sample);
      const auto& redactor = prepared_.plan->redactor();
      redactor.apply_to(request.system);
      redactor.apply_to(request.messages.back().text);
      if (run.opened.recording->find(request)) continue;
      if (++missing > kMostNamed) continue;
      constexpr std::size_t kShown = 120;
      const std::string prompt = base::printable(request.messages.back().text);
      out_.add(Code::missing_answer, {},
               fmt::format("`{}` has no answer for `{}`{}: \"{}\"",
                           run.opened.source.substr(score::kReplay.size()),
                           prepared_.plan->shown_name(sample),
                           sample.ordinal > 0 ? fmt::format(", repeat {}", sample.ordinal + 1) : "",
                           base::shorten(prompt, kShown)),
               missing == 1 ? "record the run again with `--record FILE`" : "");
    }
    if (missing > kMostNamed)
      out_.add(Code::missing_answer, {},
               fmt::format("{} more answers are missing", missing - kMostNamed));
    return missing == 0;
  }

  bool open_recorder() {
    if (!request_.record) return true;
    if (prepared_.runs.size() > 1) {
      out_.add(Code::bad_usage, {}, "`--record` takes one model at a time");
      return false;
    }
    auto& run = prepared_.runs.front();
    std::error_code ignored;
    if (!run.opened.source.empty() &&
        std::filesystem::equivalent(run.opened.source.substr(score::kReplay.size()),
                                    *request_.record, ignored)) {
      out_.add(Code::bad_usage, {}, "a recording cannot be recorded into itself");
      return false;
    }
    if (earlier_ && request_.how == Continue::failed) {
      out_.add(Code::bad_usage, {}, "`--record` cannot be combined with `--retry-failed`",
               "a recording has one answer for each request");
      return false;
    }
    if (request_.dry_run) return true;
    auto recorder = earlier_ ? model::Recorder::append(*request_.record, run.opened.name)
                             : model::Recorder::create(*request_.record, run.opened.name);
    if (failed(recorder, out_)) return false;
    run.recorder = *std::move(recorder);
    return true;
  }

  // All runs use the same server.
  bool open_tools() {
    auto settings =
        tool_server(parameters_.tools, *prepared_.plan, local_.config, local_.permissions, out_);
    if (!settings) return !out_.failed();
    redactor_.add(settings->token, "token");
    settings->mask = [redactor = redactor_](std::string& text) { redactor.apply_to_quote(text); };
    settings->is_cancelled = request_.is_cancelled;
    std::shared_ptr<model::ToolServer> server;
    for (auto& run : prepared_.runs) {
      if (run.opened.recording) continue;  // it has the results of calls
      if (failed(model::check_takes_tools(run.opened), out_)) return false;
      if (request_.dry_run) continue;
      if (!server) {
        auto opened = model::ToolServer::open(*settings);
        if (failed(opened, out_)) return false;
        server = *std::move(opened);
      }
      run.tools = settings->url;
      run.redactor.add(settings->token, "token");
      run.opened.model = model::with_tools(std::move(run.opened.model), server);
    }
    return true;
  }

  void look_at_budget() {
    if (!prepared_.budget) return;
    const auto look_at = [&](const model::Opened& opened) {
      if (!opened.price && !opened.is_free)
        out_.add(Code::unknown_price, {},
                 fmt::format("the price of `{}` is unknown, so a budget cannot be enforced",
                             opened.name),
                 "add it to `prices` in `~/.vibecheck/config.yaml`, or leave `--budget` out");
    };
    for (const auto& run : prepared_.runs) {
      if (run.opened.recording) continue;
      look_at(run.opened);
      for (const auto& [name, judge] : run.judges.models) look_at(judge);
    }
  }

  const RunRequest& request_;
  Local& local_;
  base::Diagnostics& out_;
  Prepared prepared_;
  RunParameters parameters_;
  SuiteText suite_;
  std::string name_, model_;
  run::Redactor redactor_;  // for the secrets in use, and the token
  std::optional<score::Run> earlier_;
  std::vector<score::Result> results_;  // of the earlier run
  store::HeldRun held_;                 // the earlier run
};

}  // namespace

std::optional<Prepared> prepare_run(const RunRequest& request, Local& local,
                                    base::Diagnostics& out) {
  base::Diagnostics found;
  auto prepared = Preparation(request, local, found).run();
  out.append(found);
  return prepared;
}

}  // namespace vibe::app
