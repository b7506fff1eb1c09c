// Any checks on any response: never a crash, one finding per check, the same findings twice, each
// with a one-line message, and `not_match` is the opposite of `match`.
//
// The first line has the patterns of `match`, separated by tabs; the second a regular expression;
// the rest is the response.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "check/judge.h"
#include "check/pattern.h"

namespace {

using namespace vibe::check;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string_view take(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

Pattern pattern_of(std::string_view text, Pattern::Kind kind) {
  return {std::string(text), kind, true};
}

std::vector<Check> read(std::string_view patterns, std::string_view expression) {
  Patterns globs;
  do {
    const std::string_view one = take(patterns, '\t');
    globs.all.push_back(
        pattern_of(one, reads_as_regex(one) ? Pattern::Kind::regex : Pattern::Kind::glob));
  } while (!patterns.empty());
  Patterns regex;
  regex.all.push_back(pattern_of(expression, Pattern::Kind::regex));
  const Patterns first{{globs.all[0]}};
  std::vector<Check> out{{CheckType::match, first, {}},
                         {CheckType::not_match, first, {}},
                         {CheckType::match, globs, {}},
                         {CheckType::regex, regex, {}},
                         {CheckType::equals, Text{std::string(expression)}, {}},
                         {CheckType::max_tokens, Limit{5}, {}},
                         {CheckType::max_cost, Limit{0.5}, {}}};
  AnyOf any;
  any.alternatives.push_back({out});
  any.alternatives.push_back({{out[3]}});
  out.push_back({CheckType::or_, std::move(any), {}});
  return out;
}

void check_finding(const Finding& finding) {
  require(!finding.type.empty() && !finding.message.empty());
  require(finding.message.find('\n') == std::string::npos && finding.message.size() < 2000);
  for (const Finding& child : finding.children) check_finding(child);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view patterns = take(rest, '\n'), expression = take(rest, '\n');
  const auto checks = read(patterns, expression);
  const Response response{rest, 1.0, {}};
  Judge judge;
  const auto findings = judge.judge(checks, response), again = judge.judge(checks, response);
  require(findings.size() == checks.size() && again.size() == checks.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    check_finding(findings[i]);
    require(findings[i].verdict == again[i].verdict && findings[i].message == again[i].message);
  }
  require((findings[0].verdict == Verdict::error) == (findings[1].verdict == Verdict::error));
  require((findings[0].verdict == Verdict::pass) == (findings[1].verdict == Verdict::fail));
  return 0;
}
