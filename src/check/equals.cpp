// `equals`: the trimmed response equals the text.
#include <fmt/format.h>

#include "base/text.h"
#include "check/check.h"
#include "check/judging.h"

namespace vibe::check {

std::optional<Arguments> read_equals(const CheckKind& kind, const base::YamlNode& value,
                                     Reading& reading) {
  if (!fits(Field{.name = kind.name, .type = Type::text_or_empty}, value, reading))
    return std::nullopt;
  return Text{reading.text(value)};
}

// A YAML text block ends with a line break, which no trimmed response has; so the text is trimmed
// as well.
Finding judge_equals(const Check& check, Judging& judging) {
  const std::string_view wanted = base::trim(std::get<Text>(check.arguments).text);
  const std::string_view response = base::trim(judging.response().text);
  if (response == wanted)
    return finding(Verdict::pass, fmt::format("Response is {}", judging.in_quotes(wanted)));
  return finding(Verdict::fail, fmt::format("Response is {}, not {}", judging.in_quotes(response),
                                            judging.in_quotes(wanted)));
}

}  // namespace vibe::check
