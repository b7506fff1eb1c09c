// `equals`: the response, trimmed, is the text.
#include "check/check.h"

namespace vibe::check {

std::optional<Arguments> read_equals(const CheckKind& kind, const base::YamlNode& value,
                                     Reading& reading) {
  if (!fits(Field{.name = kind.name, .type = Type::text_or_empty}, value, reading))
    return std::nullopt;
  return Text{reading.text(value)};
}

}  // namespace vibe::check
