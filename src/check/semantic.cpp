// `semantic`: the meaning of the response is close to a text.
#include "check/check.h"

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

}  // namespace vibe::check
