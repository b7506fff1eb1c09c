// Fragment: code as shown in answers → code that a parser can read: elisions, placeholders and
// prompts are blanked or replaced. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vibe::fitness {

// Blanks `...` and `…` that stand for omitted code, with the adjacent comma. `steps` counts the
// characters visited: a few per character of code.
std::string without_elisions(std::string_view code, std::size_t* steps = nullptr);
std::string without_diff_marks(std::string_view code);  // the code after the change

std::string repair_bash(std::string_view code);    // `<file>`, and `$` before commands
std::string repair_html(std::string_view code);    // a literal `&`
std::string repair_python(std::string_view code);  // the input after `>>>`
std::string repair_sql(std::string_view code);     // parameters, names in brackets, commands

}  // namespace vibe::fitness
