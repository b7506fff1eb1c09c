// `equals`: the response, trimmed, is the text.
#include "check/check.h"

namespace vibe::check {

std::optional<Arguments> read_equals(const CheckKind& kind, const base::YamlNode& value,
                                     Reading& reading) {
  if (!fits(Field{kind.name, Type::text_or_empty, true, {}, "", "", "", ""}, value, reading))
    return std::nullopt;
  return Text{reading.text(value)};
}

}  // namespace vibe::check
