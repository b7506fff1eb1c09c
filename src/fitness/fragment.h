// Fragment: code as answers show it → code that a parser can read: what stands for something else
// (left-out code, a placeholder, a prompt) is blanked or replaced. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vibe::fitness {

// `...` and `…` where code was left out, with the comma beside them, and the marks of a diff.
// `steps` is raised by the characters that were looked at: some for each of the code.
std::string without_elisions(std::string_view code, std::size_t* steps = nullptr);
std::string without_diff_marks(std::string_view code);  // as it is after the change

std::string repair_bash(std::string_view code);    // `<file>`, and `$` before commands
std::string repair_html(std::string_view code);    // `&` as itself
std::string repair_python(std::string_view code);  // what was typed behind `>>>`
std::string repair_sql(std::string_view code);     // parameters, names in brackets, commands

}  // namespace vibe::fitness
