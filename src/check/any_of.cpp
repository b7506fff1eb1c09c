// `or`: at least one of its checks passes.
#include <algorithm>

#include <fmt/format.h>

#include "check/checks.h"
#include "check/judging.h"

namespace vibe::check {

std::optional<Arguments> read_any_of(const CheckKind& kind, const base::YamlNode& value,
                                     Reading& reading) {
  if (value.kind != base::YamlNode::Kind::list) {
    report_type(quoted(kind.name), value, "a list of checks", reading,
                fmt::format("write `{}`", kind.example));
    return std::nullopt;
  }
  if (value.items.empty()) {
    reading.add(base::Code::empty_list, value, "`or` has no checks");
    return std::nullopt;
  }
  AnyOf out;
  for (const base::YamlNode* item : value.items) {
    Alternative alternative;
    if (read_check_item(*item, reading, alternative.all))
      out.alternatives.push_back(std::move(alternative));
  }
  return out;
}

namespace {

// For checks that must all pass: one failure decides, whatever the others would say.
Verdict all_of(std::span<const Finding> findings) {
  const bool failed = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.verdict == Verdict::fail;
  });
  return failed ? Verdict::fail : overall(findings);
}

}  // namespace

Finding judge_any_of(const Check& check, Judging& judging) {
  const auto& alternatives = std::get<AnyOf>(check.arguments).alternatives;
  Finding out;
  std::size_t passed = 0, undecided = 0;
  for (const Alternative& alternative : alternatives) {
    const std::size_t begin = out.children.size();
    for (const Check& one : alternative.all) out.children.push_back(judge_check(one, judging));
    const Verdict verdict = all_of(std::span(out.children).subspan(begin));
    passed += verdict == Verdict::pass ? 1 : 0;
    undecided += verdict == Verdict::error ? 1 : 0;
  }
  if (passed == 0 && undecided > 0) {
    out.verdict = Verdict::error;
    out.message = fmt::format("None of {} alternatives passed, and {} could not be decided",
                              alternatives.size(), undecided);
  } else {
    out.verdict = pass_if(passed > 0);
    out.message = passed > 0
                      ? fmt::format("{} of {} alternatives passed", passed, alternatives.size())
                      : fmt::format("None of {} alternatives passed", alternatives.size());
  }
  return out;
}

}  // namespace vibe::check
