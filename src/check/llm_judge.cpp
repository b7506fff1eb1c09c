// `llm_judge`: a judge model says whether the response meets the criteria.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "check/judging.h"

namespace vibe::check {

std::optional<Arguments> read_llm_judge(const CheckKind& kind, const base::YamlNode& value,
                                        Reading& reading) {
  const auto fields = read_table(kind, kLlmJudgeSection, value, reading);
  if (!fields) return std::nullopt;
  auto criteria = fields->text("criteria");
  if (!criteria) return std::nullopt;
  Judgement out;
  out.criteria = *std::move(criteria);
  out.model = fields->text("model").value_or("");
  out.threshold = fields->number("threshold");
  out.repeat = fields->integer("repeat").value_or(out.repeat);
  return out;
}

// More than half of all requested answers decide, so an answer that cannot be understood matters
// only if it could have changed the result.
Finding judge_llm_judge(const Check& check, Judging& judging) {
  const auto& judgement = std::get<Judgement>(check.arguments);
  const auto& heard = judging.evidence<Opinions>(check);
  if (!heard) return finding(Verdict::error, heard.error());
  const auto asked = static_cast<std::size_t>(judgement.repeat);
  const auto for_it = static_cast<std::size_t>(std::count_if(
      heard->all.begin(), heard->all.end(), [](const Opinion& one) { return one.meets; }));
  const std::size_t against = heard->all.size() - for_it;
  const std::size_t missing = asked - heard->all.size();

  Finding out;
  out.judged = heard->judged;
  const bool meets = for_it * 2 > asked;
  if (!meets && (for_it + missing) * 2 > asked) {  // the missing answers could have decided
    out.verdict = Verdict::error;
    out.message = heard->problem;
    return out;
  }
  out.verdict = pass_if(meets);
  out.judged->agreed = static_cast<std::uint32_t>(meets ? for_it : against);
  constexpr std::size_t kMostReason = 500;  // code points
  const auto spokesman = std::find_if(heard->all.begin(), heard->all.end(),
                                      [&](const Opinion& one) { return one.meets == meets; });
  out.message = meets ? "Criteria met" : "Criteria not met";
  if (judgement.threshold) {
    double sum = 0;
    for (const Opinion& one : heard->all) sum += one.grade.value_or(0);
    out.message +=
        fmt::format(", grade {} (min: {})",
                    share(sum / static_cast<double>(heard->all.size()), *judgement.threshold),
                    *judgement.threshold);
  }
  if (asked > 1) out.message += fmt::format(", {} of {} agree", out.judged->agreed, asked);
  if (spokesman != heard->all.end() && !spokesman->reason.empty())
    out.message +=
        ": " + base::shorten(base::printable(judging.masked(spokesman->reason)), kMostReason);
  return out;
}

}  // namespace vibe::check
