// Templates of promptfoo (Nunjucks) as templates of ours. Pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::import {

using Vars = std::map<std::string, std::string, std::less<>>;  // of one test, by name

struct Converted {
  std::string text;                 // with `{{name}}` only
  std::vector<std::string> names;   // that it uses, each once
  std::vector<std::string> losses;  // what of it is not carried over, in words
  std::string fault;                // why it cannot be carried over at all; empty: it is
};

void add_once(std::vector<std::string>& to, std::string text);  // unless it is there already

// A prompt without a filter is near to what it was, and the loss of it is said; what a response is
// compared with is not.
enum class Filters { dropped, refused };
Converted convert_template(std::string_view text, Filters filters);

// The value of a variable, with the variables in it put in.
struct Resolved {
  std::string text;
  std::string fault;  // why it has none; empty: it has
};
Resolved resolve(std::string_view value, const Vars& vars);

// An RE2 expression for the text as it is; what is put in for `{{name}}` counts as it is, too.
std::string quote_regex(std::string_view text);

// Can the text, with these values put in, be a part of a glob and mean itself?
bool fits_glob(std::string_view text, const Vars& vars);

}  // namespace vibe::import
