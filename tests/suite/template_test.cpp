#include "suite/template.h"

#include <gtest/gtest.h>

namespace vibe::suite {

namespace {

struct ScanCase {
  const char* name;
  std::string text;
  std::string want;  // what was found, in short: `var:x@0-12`, `!message@2-5`
};

std::string describe(const Template& found) {
  std::string out;
  const auto add = [&](const std::string& what, base::Span span) {
    out += (out.empty() ? "" : " ") + what + "@" + std::to_string(span.begin) + "-" +
           std::to_string(span.end);
  };
  for (const auto& p : found.placeholders) {
    const char* kind = p.kind == Placeholder::Kind::column     ? "column:"
                       : p.kind == Placeholder::Kind::variable ? "var:"
                                                               : "secret:";
    add(kind + std::string(p.name), p.span);
  }
  for (const auto& p : found.problems) add("!" + p.message, p.span);
  return out;
}

class Scan : public testing::TestWithParam<ScanCase> {};

TEST_P(Scan, Finds) { EXPECT_EQ(describe(scan_template(GetParam().text)), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(
    Template, Scan,
    testing::Values(
        ScanCase{"nothing", "no {braces} at all }}", ""},
        ScanCase{"column", "a {{b}} c", "column:b@2-7"},
        ScanCase{"spaces", "{{  b c  }}", "column:b c@0-11"}, ScanCase{"empty", "{{}} {{  }}", ""},
        ScanCase{"var", "{{var('x')}}", "var:x@0-12"},
        ScanCase{"secret_double_quotes_and_spaces", "{{ secret ( \"a b\" ) }}", "secret:a b@0-22"},
        ScanCase{"word_var", "{{var}} {{variable}} {{secrets}}",
                 "column:var@0-7 column:variable@8-20 column:secrets@21-32"},
        ScanCase{"innermost_braces", "{{{x}}}", "column:x@1-6"},
        ScanCase{"inner_after_unclosed", "{{ a {{b}}", "column:b@5-10"},
        ScanCase{"unclosed_text", "{{ a", ""},
        ScanCase{"unclosed_call", "{{var('x') and\nmore", "!`{{var(…)` without `}}`@0-14"},
        ScanCase{"unclosed_call_before_column", "{{var('x') {{b}}",
                 "column:b@11-16 !`{{var(…)` without `}}`@0-10"},
        ScanCase{"no_quotes", "{{var(x)}}", "!`x` is not in quotes@6-7"},
        ScanCase{"no_name", "{{var()}}{{var('')}}",
                 "!`var()` without a name@6-7 !`var()` without a name@15-17"},
        ScanCase{"no_parenthesis", "{{var('x'}}", "!`var(` without `)`@0-11"},
        ScanCase{"mixed_quotes", "{{var('x\")}}", "!`'x\"` is not in quotes@6-9"},
        ScanCase{"two_arguments", "{{var('x', 'y')}}", "!a quote inside a name@6-14"},
        ScanCase{"other_calls_are_text", "{{env('HOME')}}", "column:env('HOME')@0-15"}),
    [](const auto& test) { return test.param.name; });

TEST(Template, TellsWordsFromOtherText) {
  EXPECT_TRUE(is_word("größe_2.b-c"));
  EXPECT_FALSE(is_word("two words"));
  EXPECT_TRUE(is_phrase("two words"));
  EXPECT_FALSE(is_phrase("a | b"));
}

TEST(Template, HostileTextIsLinear) {
  std::string open, calls;
  for (int i = 0; i < 1'000'000; ++i) open += "{{", calls += "{{var(";
  EXPECT_TRUE(scan_template(open).placeholders.empty());
  EXPECT_EQ(scan_template(calls).problems.size(), 100u);  // enough to see what is wrong
}

}  // namespace

}  // namespace vibe::suite
