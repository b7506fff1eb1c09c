#include "check/pattern.h"

#include <algorithm>

#include <fmt/format.h>
#include <re2/re2.h>

#include "check/reading.h"

namespace vibe::check {

namespace {

// RE2's errors in our words; `{}` is the offending part.
struct Meaning {
  RE2::ErrorCode code;
  std::string_view message, hint;
};

constexpr Meaning kMeanings[] = {
    {RE2::ErrorBadEscape, "RE2 does not support {}",
     "RE2 has no back-references; write `\\\\` for a backslash"},
    {RE2::ErrorBadCharClass, "{} is not a character class", ""},
    {RE2::ErrorBadCharRange, "{} is not a character range", "write the lower character first"},
    {RE2::ErrorMissingBracket, "a `[` without `]` in {}", "write `\\[` for the character itself"},
    {RE2::ErrorMissingParen, "a `(` without `)` in {}", "write `\\(` for the character itself"},
    {RE2::ErrorUnexpectedParen, "a `)` without `(` in {}", "write `\\)` for the character itself"},
    {RE2::ErrorTrailingBackslash, "a backslash at the end", "write `\\\\` for a backslash"},
    {RE2::ErrorRepeatArgument, "there is nothing before {} to repeat",
     "write `\\*`, `\\+` or `\\?` for the character itself"},
    {RE2::ErrorRepeatSize, "{} repeats too often",
     "RE2 repeats at most 1000 times, nested repetitions multiplied"},
    {RE2::ErrorRepeatOp, "RE2 does not support {}", "RE2 has no possessive repetitions"},
    {RE2::ErrorBadPerlOp, "RE2 does not support {}", "RE2 has no lookaround and no atomic groups"},
    {RE2::ErrorBadNamedCapture, "{} is not a named group", "write `(?P<name>…)`"},
    {RE2::ErrorPatternTooLarge, "the expression is too large", ""},
};

base::Span whole(const std::string& pattern) {
  return {0, static_cast<std::uint32_t>(pattern.size())};
}

RE2::Options silent() {
  RE2::Options out;
  out.set_log_errors(false);
  return out;
}

RegexProblem too_long(const std::string& pattern) {
  return {fmt::format("the regular expression is {} bytes long; the limit is {}", pattern.size(),
                      RegexMemory::kMostBytes),
          "split it into several checks", whole(pattern)};
}

RegexProblem problem_of(const RE2& regex, const std::string& pattern) {
  RegexProblem out{regex.error(), {}, whole(pattern)};
  const std::string& part = regex.error_arg();
  const auto at = part.empty() ? std::string::npos : pattern.find(part);
  if (at != std::string::npos)
    out.span = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + part.size())};
  for (const auto& meaning : kMeanings)
    if (meaning.code == regex.error_code()) {
      out.message = fmt::format(fmt::runtime(meaning.message), quoted(part));
      out.hint = meaning.hint;
    }
  return out;
}

}  // namespace

bool reads_as_regex(std::string_view pattern) {
  if (pattern.starts_with('^') || pattern.ends_with('$')) return true;
  for (const std::string_view sign : {".*", ".+", "\\d", "\\w", "\\b"})
    if (pattern.find(sign) != std::string_view::npos) return true;
  for (auto open = pattern.find('['); open != std::string_view::npos;) {
    const auto close = pattern.find(']', open + 1);
    if (close == std::string_view::npos) return false;
    if (close + 1 < pattern.size() && (pattern[close + 1] == '+' || pattern[close + 1] == '*'))
      return true;
    open = pattern.find('[', close + 1);
  }
  return false;
}

std::optional<RegexProblem> RegexMemory::examine(const std::string& pattern) {
  if (good_.contains(pattern)) return std::nullopt;
  if (pattern.size() > kMostBytes) return too_long(pattern);
  if (instructions_ > kMost)
    return RegexProblem{
        fmt::format("the regular expressions in this suite take more than {} instructions", kMost),
        "use fewer or smaller ones", whole(pattern)};
  const RE2::Options options = silent();
  const RE2 regex(pattern, options);
  // An expression over the limit costs as much as the largest allowed one.
  const bool too_large = regex.error_code() == RE2::ErrorPatternTooLarge;
  instructions_ +=
      too_large ? static_cast<std::size_t>(options.max_mem() / 64)
                : static_cast<std::size_t>(std::max(regex.ProgramSize(), 0)) + pattern.size();
  if (!regex.ok()) return problem_of(regex, pattern);
  good_.insert(pattern);
  return std::nullopt;
}

tl::expected<Regex, RegexProblem> Regex::compile(const std::string& pattern, Mode mode) {
  if (pattern.size() > RegexMemory::kMostBytes) return tl::unexpected(too_long(pattern));
  RE2::Options options = silent();
  options.set_case_sensitive(mode == Mode::as_written);
  options.set_dot_nl(mode == Mode::any_case);
  auto compiled = std::make_shared<const RE2>(pattern, options);
  if (!compiled->ok()) return tl::unexpected(problem_of(*compiled, pattern));
  return Regex(std::move(compiled));
}

bool Regex::found_in(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

}  // namespace vibe::check
