// promptfoo templates (Nunjucks) as vibe templates. Pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::import {

using Vars = std::map<std::string, std::string, std::less<>>;  // of one test, by name

struct Converted {
  std::string text;                 // with `{{name}}` only
  std::vector<std::string> names;   // names it uses, each once
  std::vector<std::string> losses;  // messages about what is not carried over
  std::string fault;                // why it cannot be carried over at all; empty: it can
};

void add_once(std::vector<std::string>& to, std::string text);  // unless it is already there

// A prompt that loses a filter is still close to the original, so the loss is only reported; for a
// text that responses are compared with, it is a fault.
enum class Filters { dropped, refused };
Converted convert_template(std::string_view text, Filters filters);

// The value of a variable, with the variables in it filled in.
struct Resolved {
  std::string text;
  std::string fault;  // why it has no value; empty: it has one
};
Resolved resolve(std::string_view value, const Vars& vars);

// An RE2 expression that matches the text literally, including the values of `{{name}}`.
std::string quote_regex(std::string_view text);

// Whether the text, with these values filled in, matches only itself as a part of a glob.
bool fits_glob(std::string_view text, const Vars& vars);

}  // namespace vibe::import
