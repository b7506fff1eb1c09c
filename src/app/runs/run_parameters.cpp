#include "app/runs/run_parameters.h"

#include "base/json.h"
#include "base/json_value.h"

namespace vibe::app {

std::string to_json(const RunParameters& parameters, const suite::Metadata& metadata) {
  const auto& [plan, tools, plan_hash, rubric_hash] = parameters;
  base::JsonWriter json;
  const auto number = [&](std::string_view key, const auto& value) {
    if (value) json.key(key).number(static_cast<double>(*value));
  };
  json.begin_object();
  number("temperature", metadata.temperature);
  number("top_p", metadata.top_p);
  number("max_output_tokens", metadata.max_output_tokens);
  number("seed", metadata.seed);
  number("threads", plan.threads);
  number("repeat", plan.repeat);
  // Unfilled: templates may hold secrets, which are filled in for each run.
  if (plan.system_prompt) json.key("system_prompt").string(*plan.system_prompt);
  if (tools.url) json.key("mcp_url").string(*tools.url);
  if (tools.name) json.key("mcp_name").string(*tools.name);
  json.key("only").begin_array();
  for (const auto& name : plan.only) json.string(name);
  json.end_array();
  json.key("plan").string(plan_hash);
  if (!rubric_hash.empty()) json.key("rubric").string(rubric_hash);
  return json.end_object().text();
}

std::optional<RunParameters> read_parameters(std::string_view json) {
  const auto read = base::parse_json(json);
  if (!read) return std::nullopt;
  RunParameters out;
  if (const auto* system = read->find("system_prompt"); system && system->text())
    out.plan.system_prompt = *system->text();
  out.plan.threads = read->integer_of("threads");
  out.plan.repeat = read->integer_of("repeat");
  if (const auto* only = read->find("only"); only && only->array())
    for (const auto& name : *only->array())
      if (name.text()) out.plan.only.push_back(*name.text());
  if (const auto url = read->text_of("mcp_url"); !url.empty()) out.tools.url = url;
  if (const auto name = read->text_of("mcp_name"); !name.empty()) out.tools.name = name;
  out.plan_hash = read->text_of("plan");
  out.rubric_hash = read->text_of("rubric");
  return out;
}

}  // namespace vibe::app
