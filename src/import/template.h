// Templates of promptfoo (Nunjucks) as templates of ours. Pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::import {

using Vars = std::map<std::string, std::string>;  // of one test, by name

struct Converted {
  std::string text;                 // with `{{name}}` only
  std::vector<std::string> names;   // that it uses, each once
  std::vector<std::string> losses;  // what is not carried over, in words
};

void add_once(std::vector<std::string>& to, std::string text);  // unless it is there already

Converted convert_template(std::string_view text);

// An RE2 expression for the text as it is; what is put in for `{{name}}` counts as it is, too.
std::string quote_regex(std::string_view text);

// Can the text, with these values put in, be a part of a glob and mean itself?
bool fits_glob(std::string_view text, const Vars& vars);

}  // namespace vibe::import
