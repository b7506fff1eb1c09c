#include "app/runs/run_values.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace vibe::app {

namespace {

run::Values& of(RunValues& values, suite::Placeholder::Kind kind) {
  return kind == suite::Placeholder::Kind::secret ? values.secrets : values.variables;
}

}  // namespace

ReadValues values_of(store::Variables& variables, store::Vault& secrets) {
  return [&](const NamedUses& uses) -> base::Result<RunValues> {
    RunValues out;
    for (const auto& use : uses) {
      const bool is_secret = use.kind == suite::Placeholder::Kind::secret;
      VIBE_TRY(auto value, is_secret ? secrets.open(use.name) : variables.find(use.name));
      if (value) of(out, use.kind).emplace(use.name, *std::move(value));
    }
    return out;
  };
}

ReadValues values_on_server(store::Variables& variables) {
  // All at once, no matter how many are used.
  return [&](const NamedUses&) -> base::Result<RunValues> {
    VIBE_TRY(auto values, variables.list());
    VIBE_TRY(const auto secrets, variables.secret_names());
    RunValues out;
    for (auto& one : values) out.variables.emplace(std::move(one.name), std::move(one.value));
    for (const auto& name : secrets)
      out.secrets.emplace(name, fmt::format("{{{{secret('{}')}}}}", name));
    return out;
  };
}

base::Result<run::Filler> find_values(const suite::Suite& suite, const base::SourcePtr& source,
                                      const run::PlanOptions& plan, const ToolsRequest& tools,
                                      const ReadValues& read) {
  const auto uses = run::used_names(
      suite, fmt::format("{}\n{}\n{}\n{}", plan.system_prompt.value_or(""), tools.url.value_or(""),
                         tools.name.value_or(""), tools.token.value_or("")));
  if (uses.empty()) return run::Filler();
  VIBE_TRY(auto values, read(uses));
  NamedUses missing;
  for (const auto& use : uses)
    if (!of(values, use.kind).contains(use.name)) missing.push_back(use);
  base::Diagnostics problems;
  run::report_unknown_names(missing, source, problems);
  if (!missing.empty()) return tl::unexpected(problems);
  return run::Filler(std::move(values.variables), std::move(values.secrets));
}

run::FillLimits fill_limits(const config::Config& config) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  run::FillLimits out;
  if (config.max_prompt_mib) out.prompt = static_cast<std::size_t>(*config.max_prompt_mib) * kMiB;
  if (config.max_plan_mib) out.plan = static_cast<std::size_t>(*config.max_plan_mib) * kMiB;
  return out;
}

}  // namespace vibe::app
