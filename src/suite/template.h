// Template: finds the `{{…}}` in a text: `{{column}}`, `{{var('name')}}`, `{{secret('name')}}`.
// Does not replace them, and does not know which columns, variables and secrets exist. Pure; linear
// in the text's length.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace vibe::suite {

struct Placeholder {
  enum class Kind : std::uint8_t {
    column,  // or just text in double braces, depending on the columns
    variable,
    secret,
  };
  Kind kind;
  std::string_view name;  // a view into the text
  base::Span span;        // with the braces
};

struct TemplateProblem {
  std::string message, hint;
  base::Span span;
};

struct Template {
  std::vector<Placeholder> placeholders;
  std::vector<TemplateProblem> problems;
};

Template scan_template(std::string_view text);

// Only letters, digits, `_`, `-`, `.`: most likely a column.
bool is_word(std::string_view name);
// The same, with spaces between.
bool is_phrase(std::string_view name);

}  // namespace vibe::suite
