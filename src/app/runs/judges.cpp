#include "app/runs/judges.h"

#include <set>
#include <span>

#include <fmt/format.h>

#include "base/process.h"
#include "base/text.h"
#include "check/checks.h"
#include "check/evidence.h"

namespace vibe::app {

using base::Code;

namespace {

// Calls `visit` for each check in the plan that needs evidence, once per eval that has it, with the
// first sample of that eval.
template <class Visit>
void for_each_need(const run::Plan& plan, const Visit& visit) {
  std::uint32_t last = static_cast<std::uint32_t>(-1);
  for (const auto& sample : plan.samples()) {
    if (sample.eval == std::exchange(last, sample.eval)) continue;
    for (const auto* check : check::needing_evidence(plan.suite().default_checks))
      visit(*check, sample);
    check::for_each_level(plan.suite().evals[sample.eval].checks, [&](const check::Checks& level) {
      for (const auto* check : check::needing_evidence(level.all)) visit(*check, sample);
    });
  }
}

bool is_template(std::string_view text) { return text.find("{{") != std::string_view::npos; }

// The names of judges in checks, with templates filled in.
std::set<std::string> judge_names(const run::Plan& plan) {
  std::set<std::string> out;
  for_each_need(plan, [&](const check::Check& check, const run::PlannedSample& first) {
    const auto* judgement = std::get_if<check::Judgement>(&check.arguments);
    if (!judgement) return;
    if (!is_template(judgement->model)) {
      out.insert(judgement->model);
      return;
    }
    const auto* const end = plan.samples().data() + plan.samples().size();
    for (const auto* sample = &first; sample != end && sample->eval == first.eval; ++sample)
      if (sample->repeat == 0) out.insert(plan.fill(*sample, judgement->model));
  });
  return out;
}

void refuse_program(const check::Check& check, const base::SourcePtr& source,
                    base::Diagnostics& out) {
  out.add(Code::not_permitted, {source, check.span}, "checks may not start programs on this server",
          "the operator can allow it with `serve: exec_checks`");
}

void look_for_programs(const run::Plan& plan, const Permissions& permissions,
                       const base::SourcePtr& source, base::Diagnostics& out) {
  std::set<std::string> known;
  for_each_need(plan, [&](const check::Check& check, const run::PlannedSample&) {
    const auto* command = std::get_if<check::Command>(&check.arguments);
    if (command && !permissions.exec_checks) refuse_program(check, source, out);
    if (!command || !permissions.exec_checks || is_template(command->argv.front())) return;
    const std::string& name = command->argv.front();
    if (!known.insert(name).second || base::find_program(name)) return;
    out.add(Code::missing_program, {source, check.span}, base::no_program(name),
            std::string(base::where_programs_are(name)));
  });
}

class Opening {
 public:
  Opening(const model::Models& models, const std::shared_ptr<const model::Recording>& recording,
          base::Diagnostics& out)
      : models_(models), recording_(recording), out_(out) {}

  std::optional<model::Opened> judge(const std::string& name) {
    if (recording_) {
      model::Opened opened;
      opened.name = name;
      opened.model = model::make_replay_model(recording_, name);
      return opened;
    }
    if (name.starts_with("replay:")) {
      out_.add(Code::bad_usage, {}, fmt::format("`{}` cannot be a judge", base::printable(name)),
               "a recording also has its judges' answers: replay the whole run");
      return std::nullopt;
    }
    return kept(models_.open(name), "judge");
  }

  std::optional<model::OpenedEmbedder> embedder(const std::string& name) {
    if (recording_ && name != model::kLocalEmbedder)
      return model::OpenedEmbedder{model::make_replay_embedder(recording_, name), name, {}};
    return kept(models_.open_embedder(name), "embedder");
  }

 private:
  template <class T>
  std::optional<T> kept(base::Result<T> opened, std::string_view what) {
    if (opened) return *std::move(opened);
    for (const auto& problem : opened.error().all())
      out_.add(problem.code, {problem.source, problem.span},
               fmt::format("{}: {}", what, problem.message), problem.hint);
    return std::nullopt;
  }

  const model::Models& models_;
  const std::shared_ptr<const model::Recording>& recording_;
  base::Diagnostics& out_;
};

}  // namespace

std::optional<Judges> open_judges(const run::Plan& plan, const model::Models& models,
                                  const Local& local,
                                  const std::shared_ptr<const model::Recording>& recording,
                                  const base::SourcePtr& source, base::Diagnostics& out) {
  const auto& metadata = plan.suite().metadata;
  const auto permitted = [&](const std::string& name) {
    const auto permit = permit_model(name, local.permissions);
    if (!permit) out.append(permit.error());
    return permit.has_value();
  };
  // Models that the user or the server's operator configured need no permission.
  const auto chosen = [&](const std::string& of_suite,
                          const std::string& of_user) -> std::optional<std::string> {
    if (of_suite.empty()) return of_user;
    std::string name = plan.filler().fill(of_suite);
    return permitted(name) ? std::optional(std::move(name)) : std::nullopt;
  };
  Opening opening(models, recording, out);
  Judges judges;
  for (const auto& name : judge_names(plan)) {
    const auto model = chosen(name.empty() ? metadata.judge_model : name, local.config.judge_model);
    auto opened = model ? opening.judge(*model) : std::nullopt;
    if (opened) judges.models.emplace(name, *std::move(opened));
  }
  bool needs_embeddings = false;
  for_each_need(plan, [&](const check::Check& check, const run::PlannedSample&) {
    needs_embeddings =
        needs_embeddings || check::kind_of(check.type).needs == check::Needs::embeddings;
  });
  if (needs_embeddings)
    if (const auto model = chosen(metadata.embedding_model, local.config.embedding_model))
      judges.embedder = opening.embedder(*model);
  look_for_programs(plan, local.permissions, source, out);
  if (out.failed()) return std::nullopt;
  return judges;
}

void permit_suite(const suite::Suite& suite, const std::string& model,
                  const Permissions& permissions, const base::SourcePtr& source,
                  base::Diagnostics& out) {
  const auto& metadata = suite.metadata;
  std::set<std::string> names{model};
  const auto look_at = [&](std::span<const check::Check> checks) {
    for (const auto* check : check::needing_evidence(checks)) {
      if (const auto* judgement = std::get_if<check::Judgement>(&check->arguments))
        names.insert(judgement->model.empty() ? metadata.judge_model : judgement->model);
      else if (std::holds_alternative<check::Command>(check->arguments) && !permissions.exec_checks)
        refuse_program(*check, source, out);
      else if (check::kind_of(check->type).needs == check::Needs::embeddings)
        names.insert(metadata.embedding_model);
    }
  };
  look_at(suite.default_checks);
  for (const auto& eval : suite.evals)
    check::for_each_level(eval.checks, [&](const check::Checks& level) { look_at(level.all); });
  for (const auto& name : names)
    if (const auto permitted = permit_model(name, permissions); !permitted)
      out.append(permitted.error());
}

std::map<std::string, std::int64_t> judge_calls(const run::Plan& plan,
                                                const run::PlannedSample& sample) {
  std::map<std::string, std::int64_t> out;
  const auto& level = plan.suite().evals[sample.eval].checks;
  const auto checks = plan.checks(sample, level);
  for (const auto* check : check::needing_evidence(checks))
    if (const auto* judgement = std::get_if<check::Judgement>(&check->arguments))
      out[judgement->model] += judgement->repeat;
  return out;
}

}  // namespace vibe::app
