// `semantic`: the meaning of the response is close to a text.
#include "check/check.h"

namespace vibe::check {

std::optional<Arguments> read_semantic(const CheckKind& kind, const base::YamlNode& value,
                                       Reading& reading) {
  if (value.kind != base::YamlNode::Kind::map) {
    report_type(quoted(kind.name), value, "a table", reading,
                "write `semantic: {expected: …, threshold: 0.8}`");
    return std::nullopt;
  }
  const Fields fields(kSemanticSection, value, first_key(value), reading);
  auto expected = fields.text("expected");
  const auto threshold = fields.number("threshold");
  if (!expected || !threshold) return std::nullopt;
  return Similarity{*std::move(expected), *threshold};
}

}  // namespace vibe::check
