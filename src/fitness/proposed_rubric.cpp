#include "fitness/proposed_rubric.h"

#include <fmt/format.h>

#include "base/lines.h"
#include "base/yaml.h"
#include "base/yaml_text.h"

namespace vibe::fitness {

namespace {

constexpr std::string_view kSuffix = "-calibrated";

std::string commented(std::string_view text) {
  std::string out;
  while (!text.empty()) out += fmt::format("# {}\n", base::next_line(text));
  return out;
}

// The text with the value of a key replaced, or a line added if the key is missing. None: the text
// is not a mapping.
std::optional<std::string> with_value(const std::string& text, std::string_view key,
                                      const std::string& value) {
  const auto document = base::parse_yaml(base::make_source("rubric", text));
  if (!document || document->root().kind != base::YamlNode::Kind::map) return std::nullopt;
  const base::YamlNode* old = document->root().find(key);
  std::string out = text;
  if (old) {
    const std::string_view was = base::slice(text, old->span);
    // A block scalar includes its last line break.
    const std::string end = was.ends_with('\n') ? "\n" : "";
    out.replace(old->span.begin, old->span.end - old->span.begin, value + end);
    return out;
  }
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  return out + fmt::format("{}: {}\n", key, value);
}

}  // namespace

std::optional<std::string> proposed_rubric(const Rubric& rubric, std::string_view formula,
                                           std::string_view comment) {
  const bool is_default = rubric.text == default_rubric_text();
  const std::string name = is_default ? "calibrated"
                           : std::string_view(rubric.name).ends_with(kSuffix)
                               ? rubric.name
                               : fmt::format("{}{}", rubric.name, kSuffix);
  const std::string head = commented(comment);
  if (is_default)
    return fmt::format("{}name: {}\nformula: {}\n", head, name, base::yaml_text(formula));
  const auto named = with_value(rubric.text, "name", base::yaml_text(name));
  if (!named) return std::nullopt;
  auto out = with_value(*named, "formula", base::yaml_text(formula));
  if (!out) return std::nullopt;
  *out = head + *out;
  base::Diagnostics found;
  const auto read = read_rubric(base::make_source("proposal", *out), found);
  if (!read || read->name != name || read->program.score().text != formula) return std::nullopt;
  return out;
}

}  // namespace vibe::fitness
