#include "app/run_values.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace vibe::app {

namespace {

struct Values {
  run::Values variables, secrets;
  run::Values& of(suite::Placeholder::Kind kind) {
    return kind == suite::Placeholder::Kind::secret ? secrets : variables;
  }
};
using Uses = std::vector<run::NamedUse>;

base::Result<Values> values_of_store(const Uses& uses, store::Store& store) {
  Values out;
  for (const auto& use : uses) {
    const bool is_secret = use.kind == suite::Placeholder::Kind::secret;
    auto value = is_secret ? store.secret(use.name) : store.variable(use.name);
    if (!value) return tl::unexpected(value.error());
    if (*value) out.of(use.kind).emplace(use.name, **std::move(value));
  }
  return out;
}

// All at once, however many are used.
base::Result<Values> values_of_server(store::Store& store) {
  auto variables = store.variables();
  if (!variables) return tl::unexpected(variables.error());
  const auto secrets = store.secrets();
  if (!secrets) return tl::unexpected(secrets.error());
  Values out;
  for (auto& one : *variables) out.variables.emplace(std::move(one.name), std::move(one.value));
  for (const auto& name : *secrets)
    out.secrets.emplace(name, fmt::format("{{{{secret('{}')}}}}", name));
  return out;
}

}  // namespace

base::Result<run::Filler> find_values(const suite::Suite& suite, const base::SourcePtr& source,
                                      const run::PlanOptions& plan, const ToolsRequest& tools,
                                      Local& local) {
  const auto uses = run::used_names(
      suite, fmt::format("{}\n{}\n{}\n{}", plan.system_prompt.value_or(""), tools.url.value_or(""),
                         tools.name.value_or(""), tools.token.value_or("")));
  if (uses.empty()) return run::Filler();
  auto values = local.server ? values_of_server(*local.store) : values_of_store(uses, *local.store);
  if (!values) return tl::unexpected(values.error());
  Uses missing;
  for (const auto& use : uses)
    if (!values->of(use.kind).contains(use.name)) missing.push_back(use);
  base::Diagnostics problems;
  run::report_unknown_names(missing, source, problems);
  if (!missing.empty()) return tl::unexpected(problems);
  return run::Filler(std::move(values->variables), std::move(values->secrets));
}

run::FillLimits fill_limits(const config::Config& config) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  run::FillLimits out;
  if (config.max_prompt_mib) out.prompt = static_cast<std::size_t>(*config.max_prompt_mib) * kMiB;
  if (config.max_plan_mib) out.plan = static_cast<std::size_t>(*config.max_plan_mib) * kMiB;
  return out;
}

}  // namespace vibe::app
