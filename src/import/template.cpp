#include "import/template.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::import {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), in_name);
}

// The expression between the braces: a name, or what is left of it.
std::string convert_expression(std::string_view content, Converted& out) {
  content = base::trim(content);
  if (content.starts_with('-')) content = base::trim(content.substr(1));
  if (content.ends_with('-')) content = base::trim(content.substr(0, content.size() - 1));
  const std::string_view name = base::trim(content.substr(0, content.find('|')));
  if (name.starts_with("env.") && is_name(name)) {
    add_once(out.losses, fmt::format("`{{{{{}}}}}` is a variable now: `vibe set var {}`", name,
                                     name.substr(4)));
    return fmt::format("{{{{var('{}')}}}}", name.substr(4));
  }
  if (!is_name(name)) {
    add_once(out.losses, fmt::format("the expression `{}` stands as it is",
                                     base::shorten(base::printable(content), 60)));
    // without its double braces, which would be a template
    return fmt::format("{{ {} }}", content);
  }
  if (name.size() != content.size())
    add_once(out.losses, fmt::format("the filter in `{{{{{}}}}}` is not applied",
                                     base::shorten(base::printable(content), 60)));
  add_once(out.names, std::string(name));
  return fmt::format("{{{{{}}}}}", name);
}

// Calls `plain` for the text between templates, `name` for what a template names.
template <class Plain, class Name>
void walk(std::string_view text, const Plain& plain, const Name& name) {
  while (!text.empty()) {
    const std::size_t open = text.find("{{");
    const std::size_t close = open == kNone ? kNone : text.find("}}", open);
    if (close == kNone) return plain(text);
    plain(text.substr(0, open));
    name(text.substr(open + 2, close - open - 2));
    text.remove_prefix(close + 2);
  }
}

}  // namespace

void add_once(std::vector<std::string>& to, std::string text) {
  if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(std::move(text));
}

Converted convert_template(std::string_view text) {
  Converted out;
  if (text.find("{%") != kNone) add_once(out.losses, "blocks (`{% … %}`) stand as they are");
  walk(
      text, [&](std::string_view plain) { out.text += plain; },
      [&](std::string_view content) { out.text += convert_expression(content, out); });
  return out;
}

std::string quote_regex(std::string_view text) {
  std::string out;
  walk(
      text,
      [&](std::string_view plain) {
        for (const char c : plain) {
          if (std::string_view("\\^$.|?*+()[]{}").find(c) != kNone) out += '\\';
          if (c == '\n')
            out += "\\n";
          else
            out += c;
        }
      },
      [&](std::string_view name) { out += fmt::format("\\Q{{{{{}}}}}\\E", name); });
  return out;
}

bool fits_glob(std::string_view text, const Vars& vars) {
  bool fits = true;
  walk(
      text, [&](std::string_view plain) { fits = fits && plain.find_first_of("*?") == kNone; },
      [&](std::string_view name) {
        const auto found = vars.find(std::string(name));
        fits = fits && found != vars.end() && found->second.find_first_of("*?") == kNone;
      });
  return fits;
}

}  // namespace vibe::import
