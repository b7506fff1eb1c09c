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

std::string in_braces(std::string_view content) {
  return fmt::format("`{{{{{}}}}}`", base::shorten(base::printable(content), 60));
}

// The first fault counts.
void set_once(std::string& fault, std::string text) {
  if (fault.empty()) fault = std::move(text);
}

// The content of `{{ }}` or `{% %}`, without the marks that trim white space.
std::string_view inside(std::string_view content) {
  if (content.starts_with('-')) content.remove_prefix(1);
  if (content.ends_with('-')) content.remove_suffix(1);
  return base::trim(content);
}

// The expression between the braces: a name, or a fault.
std::string convert_expression(std::string_view content, Filters filters, Converted& out) {
  content = inside(content);
  const std::string_view name = base::trim(content.substr(0, content.find('|')));
  const std::string_view filter =
      name.size() == content.size() ? "" : base::trim(content.substr(content.find('|') + 1));
  const bool changes = !filter.empty() && filter != "safe" && filter != "string";
  const bool quoted = name.size() >= 2 && (name[0] == '"' || name[0] == '\'') &&
                      name.find(name[0], 1) == name.size() - 1;
  if (changes && filters == Filters::refused) {
    set_once(out.fault, fmt::format("a suite has no filters, as in {}", in_braces(content)));
  } else if (quoted && !changes && name.find('\\') == kNone) {
    return std::string(name.substr(1, name.size() - 2));
  } else if (name.starts_with("env.") && is_name(name)) {
    add_once(out.losses, fmt::format("`{{{{{}}}}}` is a variable now: `vibe set var {}`", name,
                                     name.substr(4)));
    return fmt::format("{{{{var('{}')}}}}", name.substr(4));
  } else if (!is_name(name)) {
    set_once(out.fault, fmt::format("a suite has no expressions, as in {}", in_braces(content)));
  } else {
    if (changes)
      add_once(out.losses, fmt::format("the filter in {}: it is not applied", in_braces(content)));
    add_once(out.names, std::string(name));
  }
  return fmt::format("{{{{{}}}}}", name);
}

// Removes comments and keeps raw blocks unchanged. Other blocks are a fault.
std::string without_blocks(std::string_view text, std::string& fault) {
  std::string out;
  while (true) {
    std::size_t open = text.find('{');
    while (open != kNone && !text.substr(open).starts_with("{#") &&
           !text.substr(open).starts_with("{%"))
      open = text.find('{', open + 1);
    const bool is_comment = open != kNone && text[open + 1] == '#';
    const std::size_t close = open == kNone ? kNone : text.find(is_comment ? "#}" : "%}", open + 2);
    if (close == kNone) return out.append(text);
    out += text.substr(0, open);
    const std::string_view tag = inside(text.substr(open + 2, close - open - 2));
    text.remove_prefix(close + 2);
    if (is_comment || tag == "endraw") continue;
    if (tag != "raw") {
      set_once(fault, fmt::format("a suite has no blocks, as in `{{% {} %}}`",
                                  base::shorten(base::printable(tag), 60)));
      continue;
    }
    const std::size_t end = std::min(text.find("{%"), text.size());
    if (text.substr(0, end).find("{{") != kNone)
      set_once(fault, "a suite cannot have text in double braces");
    out += text.substr(0, end);
    text.remove_prefix(end);
  }
}

// Calls `plain` for the text between templates, `name` for the name in a template.
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

// Limits for inserted values: levels, variables and bytes.
constexpr std::size_t kMostNested = 5, kMostSteps = 10'000, kMostResolved = 1u << 20;

void resolve_into(std::string_view value, const Vars& vars, std::size_t depth, std::size_t& steps,
                  Resolved& out) {
  if (value.find("{%") != kNone)
    out.fault = "a suite has no blocks (`{% … %}`)";
  else if (depth > kMostNested)
    out.fault = fmt::format("it has variables nested more than {} levels deep", kMostNested);
  else if (++steps > kMostSteps || out.text.size() + value.size() > kMostResolved)
    out.fault = "it is too long after its variables are filled in";
  if (!out.fault.empty()) return;
  walk(
      value, [&](std::string_view plain) { out.text += plain; },
      [&](std::string_view content) {
        if (!out.fault.empty()) return;
        const auto found = vars.find(inside(content));
        if (found == vars.end())
          out.fault = fmt::format("{} in it has no value", in_braces(inside(content)));
        else
          resolve_into(found->second, vars, depth + 1, steps, out);
      });
}

}  // namespace

void add_once(std::vector<std::string>& to, std::string text) {
  if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(std::move(text));
}

Converted convert_template(std::string_view text, Filters filters) {
  Converted out;
  walk(
      without_blocks(text, out.fault), [&](std::string_view plain) { out.text += plain; },
      [&](std::string_view content) { out.text += convert_expression(content, filters, out); });
  return out;
}

Resolved resolve(std::string_view value, const Vars& vars) {
  Resolved out;
  std::size_t steps = 0;
  resolve_into(value, vars, 0, steps, out);
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
        const auto found = vars.find(name);
        fits = fits && found != vars.end() && found->second.find_first_of("*?") == kNone;
      });
  return fits;
}

}  // namespace vibe::import
