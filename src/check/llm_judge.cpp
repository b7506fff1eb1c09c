// `llm_judge`: a judge model says whether the response meets the criteria.
#include "check/check.h"

namespace vibe::check {

std::optional<Arguments> read_llm_judge(const CheckKind& kind, const base::YamlNode& value,
                                        Reading& reading) {
  const auto fields = read_table(kind, kLlmJudgeSection, value, reading);
  if (!fields) return std::nullopt;
  auto criteria = fields->text("criteria");
  if (!criteria) return std::nullopt;
  return Judgement{*std::move(criteria)};
}

}  // namespace vibe::check
