// EcmaPattern: regular expressions of JSON Schema, which are ECMAScript's, as RE2 writes them:
// `\u00e9`, `\cA`, `\p{Letter}`, `(?<name>…)`, `\s` with all of Unicode's white space. What RE2
// cannot do (lookaround, back-references) stays as it is, for RE2 to refuse. Pure; safe from any
// thread.
#pragma once

#include <string>
#include <string_view>

namespace vibe::check {

std::string ecma_to_re2(std::string_view pattern);

}  // namespace vibe::check
