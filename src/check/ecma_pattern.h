// EcmaPattern: translates the regular expressions of JSON Schema, which are ECMAScript's, to RE2:
// `\u00e9`, `\cA`, `\p{Letter}`, `(?<name>…)`, `\s` with all Unicode white space. Features that RE2
// lacks (lookaround, back-references) are left unchanged, for RE2 to refuse. Pure; safe from any
// thread.
#pragma once

#include <string>
#include <string_view>

namespace vibe::check {

std::string ecma_to_re2(std::string_view pattern);

}  // namespace vibe::check
