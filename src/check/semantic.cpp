// `semantic`: the response means about the same as a text.
#include <fmt/format.h>

#include "check/judging.h"

namespace vibe::check {

std::optional<Arguments> read_semantic(const CheckKind& kind, const base::YamlNode& value,
                                       Reading& reading) {
  const auto fields = read_table(kind, kSemanticSection, value, reading);
  if (!fields) return std::nullopt;
  auto expected = fields->text("expected");
  const auto threshold = fields->number("threshold");
  if (!expected || !threshold) return std::nullopt;
  return Similarity{*std::move(expected), *threshold};
}

Finding judge_semantic(const Check& check, Judging& judging) {
  const auto& [expected, threshold] = std::get<Similarity>(check.arguments);
  const auto& closeness = judging.evidence<Closeness>(check);
  if (!closeness) return finding(Verdict::error, closeness.error());
  const double similarity = closeness->similarity;
  return finding(pass_if(similarity >= threshold),
                 fmt::format("similarity: {} (min: {}) to {}", share(similarity, threshold),
                             threshold, judging.in_quotes(expected)));
}

}  // namespace vibe::check
