#include "import/assertion.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "base/yaml_text.h"
#include "check/pattern.h"

namespace vibe::import {

using base::yaml_pattern;
using base::yaml_text;

namespace {

Line check(std::string text) { return {false, std::move(text)}; }
Line comment(std::string text) { return {true, std::move(text)}; }

Line regex(const std::string& expression) { return check("regex: " + yaml_pattern(expression)); }
// Must not occur in exactly this case: plain `not_match` ignores case.
Line no_regex(const std::string& expression) {
  return check("not_match: " + yaml_pattern(fmt::format(".*(?-i:{}).*", expression)));
}

std::string in_any_case(const std::string& value) { return "(?i)" + quote_regex(value); }

// Templates get their values only when a run starts, and plain text may look like a regular
// expression: `glob` is never read as one.
std::string glob_key(std::string_view value) {
  return value.find("{{") != std::string_view::npos || check::reads_as_regex(value) ? "glob"
                                                                                    : "match";
}

Line icontains_one(const std::string& value, const Vars& vars) {
  if (!fits_glob(value, vars)) return regex(in_any_case(value));
  return check(fmt::format("{}: {}", glob_key(value), yaml_text("*" + value + "*")));
}
Line not_icontains_one(const std::string& value) {
  return check("not_match: " + yaml_pattern(fmt::format(".*{}.*", quote_regex(value))));
}

Lines each(const std::vector<std::string>& values, const auto& make) {
  Lines out;
  for (const auto& value : values) out.push_back(make(value));
  return out;
}

Line any(const Lines& lines) {
  std::string list;
  for (const auto& line : lines)
    list += fmt::format("{}{{{}}}", list.empty() ? "" : ", ", line.text);
  return check(fmt::format("or: [{}]", list));
}

std::string alternatives(const std::vector<std::string>& values) {
  std::string out;
  for (const auto& value : values) out += (out.empty() ? "" : "|") + quote_regex(value);
  return out;
}

Lines contains(const Assertion& a, const Vars&) {
  return each(a.values, [&](const std::string& value) {
    return a.negated ? no_regex(quote_regex(value)) : regex(quote_regex(value));
  });
}
Lines contains_any(const Assertion& a, const Vars& vars) {
  if (a.negated) return contains(a, vars);
  return {regex(alternatives(a.values))};
}
Lines contains_all(const Assertion& a, const Vars& vars) {
  if (!a.negated) return contains(a, vars);
  return {any(contains(a, vars))};
}
Lines icontains(const Assertion& a, const Vars& vars) {
  return each(a.values, [&](const std::string& value) {
    return a.negated ? not_icontains_one(value) : icontains_one(value, vars);
  });
}
Lines icontains_any(const Assertion& a, const Vars& vars) {
  if (a.negated) return icontains(a, vars);
  return {regex("(?i)" + (a.values.size() == 1 ? alternatives(a.values)
                                               : fmt::format("(?:{})", alternatives(a.values))))};
}
Lines icontains_all(const Assertion& a, const Vars& vars) {
  if (!a.negated) return icontains(a, vars);
  return {any(icontains(a, vars))};
}
Lines equals(const Assertion& a, const Vars&) {
  return each(a.values, [&](const std::string& value) {
    if (!a.negated) return check("equals: " + yaml_text(value));
    return check("not_match: " +
                 yaml_pattern(fmt::format("^\\s*(?-i:{})\\s*$", quote_regex(value))));
  });
}
Lines starts_with(const Assertion& a, const Vars&) {
  return each(a.values, [&](const std::string& value) {
    if (!a.negated) return regex("^" + quote_regex(value));
    return check("not_match: " + yaml_pattern(fmt::format("^(?-i:{})", quote_regex(value))));
  });
}
Lines matches(const Assertion& a, const Vars&) {
  return each(a.values, [&](const std::string& value) {
    const auto compiled = check::Regex::compile(value, check::Regex::Mode::as_written);
    if (!compiled && value.find("{{") == std::string::npos)
      return comment(fmt::format("`regex: {}`: {}", base::shorten(base::printable(value), 80),
                                 compiled.error().message));
    return a.negated ? no_regex(value) : regex(value);
  });
}
Lines similar(const Assertion& a, const Vars&) {
  constexpr double kDefault = 0.75;
  const Lines all = each(a.values, [&](const std::string& value) {
    return check(fmt::format("semantic: {{expected: {}, threshold: {:g}}}", yaml_text(value),
                             std::clamp(a.threshold.value_or(kDefault), 0.0, 1.0)));
  });
  return all.size() > 1 ? Lines{any(all)} : all;
}
Lines judge(const Assertion& a, const Vars&) {
  Lines out = each(a.values, [&](const std::string& value) {
    return check(fmt::format("llm_judge: {{criteria: {}}}", yaml_text(value)));
  });
  if (a.threshold)
    out.push_back(comment(fmt::format("the judge's threshold of {:g}", *a.threshold)));
  return out;
}
Lines factuality(const Assertion& a, const Vars&) {
  return each(a.values, [&](const std::string& value) {
    return check(fmt::format("llm_judge: {{criteria: {}}}",
                             yaml_text("agrees in its facts with: " + value)));
  });
}
Lines json(const Assertion& a, const Vars&) {
  if (a.schema.empty()) return {check("json: true")};
  return {check(fmt::format("json: {{schema: {}}}", a.schema))};
}
Lines latency(const Assertion& a, const Vars&) {
  if (!a.threshold || *a.threshold <= 0) return {comment("`latency` without a threshold")};
  return {check(fmt::format("max_latency: {:g}", *a.threshold / 1000))};
}
Lines cost(const Assertion& a, const Vars&) {
  if (!a.threshold || *a.threshold < 0) return {comment("`cost` without a threshold")};
  return {check(fmt::format("max_cost: {}", base::to_decimal(*a.threshold, 12)))};
}

constexpr std::string_view kCode = "runs code; an `exec` check can do the same",
                           kNoSuch = "there is no such check", kRemote = "asks another service";

constexpr std::array kKinds{
    AssertionKind{"answer-relevance", "", kNoSuch, false, nullptr},
    AssertionKind{"bleu", "", kNoSuch, false, nullptr},
    AssertionKind{"classifier", "", kRemote, false, nullptr},
    AssertionKind{"contains", "regex", "the string, escaped", true, contains},
    AssertionKind{"contains-all", "regex", "one for each string", true, contains_all},
    AssertionKind{"contains-any", "regex", "one pattern with the strings as alternatives", true,
                  contains_any},
    AssertionKind{"contains-html", "", kNoSuch, false, nullptr},
    AssertionKind{"contains-json", "json",
                  "stricter: the whole response, or its only fenced block, must be JSON", false,
                  json},
    AssertionKind{"contains-sql", "", kNoSuch, false, nullptr},
    AssertionKind{"contains-xml", "", kNoSuch, false, nullptr},
    AssertionKind{"context-faithfulness", "", kNoSuch, false, nullptr},
    AssertionKind{"context-recall", "", kNoSuch, false, nullptr},
    AssertionKind{"context-relevance", "", kNoSuch, false, nullptr},
    AssertionKind{"conversation-relevance", "", kNoSuch, false, nullptr},
    AssertionKind{"cost", "max_cost", "in dollars, as in promptfoo", false, cost},
    AssertionKind{"equals", "equals", "the response is trimmed first", true, equals},
    AssertionKind{"factuality", "llm_judge", "the criteria begin with `agrees in its facts with`",
                  false, factuality},
    AssertionKind{"finish-reason", "", kNoSuch, false, nullptr},
    AssertionKind{"g-eval", "llm_judge", "the criteria unchanged; no threshold", false, judge},
    AssertionKind{"gleu", "", kNoSuch, false, nullptr},
    AssertionKind{"guardrails", "", kRemote, false, nullptr},
    AssertionKind{"human", "", "a person decides", false, nullptr},
    AssertionKind{"icontains", "match",
                  "`glob` if the string has templates, `regex` if it has `*` or `?`", true,
                  icontains},
    AssertionKind{"icontains-all", "match", "one for each string", true, icontains_all},
    AssertionKind{"icontains-any", "regex", "one pattern with the strings as alternatives", true,
                  icontains_any},
    AssertionKind{"is-html", "", kNoSuch, false, nullptr},
    AssertionKind{"is-json", "json", "with its schema; a fenced block is also accepted", false,
                  json},
    AssertionKind{"is-refusal", "", kNoSuch, false, nullptr},
    AssertionKind{"is-sql", "", kNoSuch, false, nullptr},
    AssertionKind{"is-valid-function-call", "", kNoSuch, false, nullptr},
    AssertionKind{"is-valid-openai-function-call", "", kNoSuch, false, nullptr},
    AssertionKind{"is-valid-openai-tools-call", "", kNoSuch, false, nullptr},
    AssertionKind{"is-xml", "", kNoSuch, false, nullptr},
    AssertionKind{"javascript", "", kCode, false, nullptr},
    AssertionKind{"latency", "max_latency", "seconds, not milliseconds", false, latency},
    AssertionKind{"levenshtein", "", kNoSuch, false, nullptr},
    AssertionKind{"llm-rubric", "llm_judge", "the rubric as the criteria; no threshold", false,
                  judge},
    AssertionKind{"max-score", "", "compares answers with each other", false, nullptr},
    AssertionKind{"meteor", "", kNoSuch, false, nullptr},
    AssertionKind{"model-graded-closedqa", "llm_judge", "the question as the criteria", false,
                  judge},
    AssertionKind{"moderation", "", kRemote, false, nullptr},
    AssertionKind{"perplexity", "", kNoSuch, false, nullptr},
    AssertionKind{"perplexity-score", "", kNoSuch, false, nullptr},
    AssertionKind{"pi", "", kRemote, false, nullptr},
    AssertionKind{"python", "", kCode, false, nullptr},
    AssertionKind{"regex", "regex", "if RE2 accepts it: no lookaround, no back-references", true,
                  matches},
    AssertionKind{"rouge-n", "", kNoSuch, false, nullptr},
    AssertionKind{"ruby", "", kCode, false, nullptr},
    AssertionKind{"search-rubric", "", kRemote, false, nullptr},
    AssertionKind{"select-best", "", "compares answers with each other", false, nullptr},
    AssertionKind{"similar", "semantic", "several strings as alternatives", false, similar},
    AssertionKind{"starts-with", "regex", "the string, escaped, after `^`", true, starts_with},
    AssertionKind{"tool-call-f1", "", kNoSuch, false, nullptr},
    AssertionKind{"webhook", "", kRemote, false, nullptr},
    AssertionKind{"word-count", "", "`min_tokens` and `max_tokens` are similar", false, nullptr},
};

consteval bool sorted(const auto& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (!(rows[i - 1].type < rows[i].type)) return false;
  return true;
}
static_assert(sorted(kKinds), "keep the kinds sorted by type");

bool needs_value(const AssertionKind& kind) {
  return kind.convert != json && kind.convert != latency && kind.convert != cost;
}

}  // namespace

std::span<const AssertionKind> assertion_kinds() { return kKinds; }

const AssertionKind* find_assertion_kind(std::string_view type) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const AssertionKind& kind) { return kind.type == type; });
  return found == kKinds.end() ? nullptr : &*found;
}

Lines convert(const Assertion& assertion, const Vars& vars) {
  const std::string shown = fmt::format("`{}{}`", assertion.negated ? "not-" : "",
                                        base::shorten(base::printable(assertion.type), 60));
  const AssertionKind* kind = find_assertion_kind(assertion.type);
  if (!kind) return {comment(shown + ": not known")};
  if (!kind->convert) return {comment(fmt::format("{}: {}", shown, kind->remark))};
  if (assertion.negated && !kind->negatable) return {comment(shown + ": it cannot be negated")};
  if (needs_value(*kind) && assertion.values.empty())
    return {comment(shown + ": it has no text value")};
  return kind->convert(assertion, vars);
}

Assertion read_expectation(std::string_view text) {
  Assertion out;
  text = base::trim(text);
  const bool negated = text.starts_with("not-");
  const std::string_view rest = negated ? text.substr(4) : text;
  std::size_t end = 0;
  while (end < rest.size() && ((rest[end] >= 'a' && rest[end] <= 'z') || rest[end] == '-')) ++end;
  std::string_view type = rest.substr(0, end), value = rest.substr(end);
  for (const auto& [code, meant] :
       {std::pair<std::string_view, std::string_view>{"fn", "javascript"},
        {"eval", "javascript"},
        {"grade", "llm-rubric"}})
    if (type == code && value.starts_with(':')) type = meant;
  if (value.starts_with('(')) {
    const std::size_t close = value.find(')');
    if (close != std::string_view::npos) {
      out.threshold = base::parse_double(value.substr(1, close - 1));
      value = value.substr(close + 1);
    }
  }
  const bool known = find_assertion_kind(type) != nullptr;
  value = base::trim(value);
  if (!known || !(value.empty() || value.starts_with(':'))) {
    out = {};
    out.type = "equals";
    out.values = {std::string(text)};
    return out;
  }
  if (value.starts_with(':')) value = base::trim(value.substr(1));
  out.type = type;
  out.negated = negated;
  if (!value.empty()) out.values = {std::string(value)};
  if (type == "latency" || type == "cost")
    out.threshold = out.threshold ? out.threshold : base::parse_double(value);
  return out;
}

}  // namespace vibe::import
