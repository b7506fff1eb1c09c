// `match`, `not_match`, `glob`: patterns for the whole response. And `regex`, which shares the
// validation of regular expressions.
#include <fmt/format.h>

#include "check/check.h"
#include "check/judging.h"
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

// Whether the pattern is found; a problem if filling in its templates made the expression invalid.
tl::expected<bool, RegexProblem> is_found(const Pattern& pattern, CheckType type,
                                          Judging& judging) {
  if (pattern.kind == Pattern::Kind::glob) return Glob(pattern.text).matches(judging.folded());
  const auto mode = type == CheckType::regex ? Regex::Mode::as_written : Regex::Mode::any_case;
  const auto& regex = judging.regexes().find(pattern.text, mode);
  if (!regex) return tl::unexpected(regex.error());
  return regex->found_in(judging.valid_text());
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

// One decisive pattern is enough for `fail`, whether or not the others are valid.
Finding judge_patterns(const Check& check, Judging& judging) {
  const auto& patterns = std::get<Patterns>(check.arguments).all;
  const bool wanted = check.type != CheckType::not_match;
  const auto message = [&](const Pattern& pattern, bool found) {
    return fmt::format("Pattern {} {} in response", judging.in_quotes(pattern.text),
                       found ? "found" : "not found");
  };
  std::optional<Finding> unread;
  for (const Pattern& pattern : patterns) {
    const auto found = is_found(pattern, check.type, judging);
    if (!found) {
      if (!unread)
        unread = finding(Verdict::error, fmt::format("Pattern {} is not a regular expression: {}",
                                                     judging.in_quotes(pattern.text),
                                                     judging.masked(found.error().message)));
    } else if (*found != wanted) {
      return finding(Verdict::fail, message(pattern, *found));
    }
  }
  if (unread) return *unread;
  if (patterns.size() == 1) return finding(Verdict::pass, message(patterns[0], wanted));
  return finding(Verdict::pass, fmt::format("{} {} patterns found in response",
                                            wanted ? "All" : "None of", patterns.size()));
}

}  // namespace vibe::check
