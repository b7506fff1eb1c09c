// `match`, `not_match`, `glob`: patterns for the whole response. And `regex`, which shares
// the examination of regular expressions.
#include <fmt/format.h>

#include "check/check.h"
#include "check/pattern.h"

namespace vibe::check {

using base::Code;
using base::YamlNode;

namespace {

void report(const RegexProblem& problem, const YamlNode& value, bool guessed, Reading& reading) {
  const auto where = base::at(reading.document().passage(value), problem.span);
  reading.add(Code::bad_pattern, where, problem.message,
              guessed ? "this is read as a regular expression; write `glob:` if it is a glob"
                      : problem.hint);
}

std::optional<Pattern> read_one(const CheckKind& kind, const YamlNode& value, Reading& reading) {
  if (!fits(Field{.name = kind.name, .type = Type::text_or_empty}, value, reading))
    return std::nullopt;

  Pattern out{reading.copy(value), Pattern::Kind::glob, reading.on_text && reading.on_text(value)};
  const bool guessed =
      kind.type != CheckType::glob && kind.type != CheckType::regex && reads_as_regex(out.text);
  if (!guessed && kind.type != CheckType::regex) return out;

  out.kind = Pattern::Kind::regex;
  if (guessed && reading.verbose)
    reading.add(Code::pattern_reading, value,
                fmt::format("{} is read as a regular expression", quoted(out.text)),
                "`regex:` and `glob:` say which one it is");
  if (out.has_template) return out;
  if (const auto problem = reading.regexes.examine(out.text)) {
    report(*problem, value, guessed, reading);
    return std::nullopt;
  }
  return out;
}

}  // namespace

std::optional<Arguments> read_pattern(const CheckKind& kind, const YamlNode& value,
                                      Reading& reading) {
  auto pattern = read_one(kind, value, reading);
  if (!pattern) return std::nullopt;
  Patterns out;
  out.all.push_back(*std::move(pattern));
  return out;
}

std::optional<Arguments> read_patterns(const CheckKind& kind, const YamlNode& value,
                                       Reading& reading) {
  if (value.kind != YamlNode::Kind::list) return read_pattern(kind, value, reading);
  if (value.items.empty()) {
    reading.add(Code::empty_list, value, fmt::format("`{}` has no pattern", kind.name));
    return std::nullopt;
  }
  Patterns out;
  for (const YamlNode* item : value.items)
    if (auto pattern = read_one(kind, *item, reading)) out.all.push_back(*std::move(pattern));
  return out;
}

}  // namespace vibe::check
