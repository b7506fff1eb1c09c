// `llm_judge`: a judge model says whether the response meets the criteria.
#include "check/check.h"

namespace vibe::check {

std::optional<Arguments> read_llm_judge(const CheckKind& kind, const base::YamlNode& value,
                                        Reading& reading) {
  if (value.kind != base::YamlNode::Kind::map) {
    report_type(quoted(kind.name), value, "a table", reading, "write `llm_judge: {criteria: …}`");
    return std::nullopt;
  }
  const Fields fields(kLlmJudgeSection, value, first_key(value), reading);
  auto criteria = fields.text("criteria");
  if (!criteria) return std::nullopt;
  return Judgement{*std::move(criteria)};
}

}  // namespace vibe::check
