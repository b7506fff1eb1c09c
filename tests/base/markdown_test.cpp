#include "base/markdown.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/repeated.h"

namespace vibe::base {
namespace {

using test::repeated;

bool has_open_fence(const Outline& outline) {
  return std::any_of(outline.code.begin(), outline.code.end(),
                     [](const auto& block) { return !block.closed; });
}

// One line for each part, in a form that is easy to compare.
std::string shown(const Outline& outline) {
  constexpr std::string_view kKinds[] = {"heading", "paragraph", "item", "cell", "html"};
  std::string out;
  for (const auto& prose : outline.prose)
    out += fmt::format("{} {}: {}\n", prose.line, kKinds[static_cast<std::size_t>(prose.kind)],
                       prose.text);
  for (const auto& block : outline.code)
    out += fmt::format("{} {}{} [{}]: {}", block.line, block.fenced ? "fenced" : "indented",
                       block.closed ? "" : " open", block.language,
                       block.text.empty() ? "\n" : block.text);
  return out;
}

struct OutlineCase {
  const char *name, *text, *want;
};
const OutlineCase kOutlines[] = {
    {"empty", "", ""},
    {"paragraphs", "one\ntwo\n\nthree", "1 paragraph: one\ntwo\n4 paragraph: three\n"},
    {"headings", "# One\n\nTwo\n===\n\n#no\n",
     "1 heading: One\n3 heading: Two\n6 paragraph: #no\n"},
    {"markup_is_left_out", "a **b** _c_ [d](http://e) ~~f~~", "1 paragraph: a b c d f\n"},
    {"code_spans_keep_ticks", "\n`a b` and ``c` d``", "2 paragraph: `a b` and `c' d`\n"},
    {"other_ticks_are_quotes", "a \\` b `c`\n\n- \\`\n\n<p>`</p>\n",
     "1 paragraph: a ' b `c`\n3 item: '\n5 html: <p>'</p>\n\n"},
    {"ticks_in_code_stay", "```\n`a`\n```\n", "2 fenced []: `a`\n"},
    {"html_stays", "Dear <your name>,\n\n<div>\nx\n</div>\n",
     "1 paragraph: Dear <your name>,\n3 html: <div>\nx\n</div>\n\n"},
    {"tight_list", "Do:\n\n- one\n- two\n  - three\n\nend",
     "1 paragraph: Do:\n3 item: one\n4 item: two\n5 item: three\n7 paragraph: end\n"},
    {"loose_list", "1. one\n\n   more\n\n2. two\n",
     "1 item: one\n3 paragraph: more\n5 item: two\n"},
    {"lists_side_by_side", "- one\n\n* two\n", "1 item: one\n3 item: two\n"},
    {"a_rule_is_between", "one\n\n***\n\n- two\n", "1 paragraph: one\n5 item: two\n"},
    {"table", "|a|b|\n|---|---|\n|c|d|\n", "1 cell: a\n1 cell: b\n3 cell: c\n3 cell: d\n"},
    {"fenced", "x\n\n```C++ title\nint a;\n\n  b;\n```\ny",
     "1 paragraph: x\n8 paragraph: y\n4 fenced [c++]: int a;\n\n  b;\n"},
    {"tildes", "~~~sh\nls\n~~~~\n", "2 fenced [sh]: ls\n"},
    {"indented", "a\n\n    b\n      c\n", "1 paragraph: a\n3 indented []: b\n  c\n"},
    {"open_at_the_end", "```\na\n", "2 fenced open []: a\n"},
    {"open_without_a_line_break", "```py", "2 fenced open [py]: \n"},
    {"open_and_empty", "a\n```\n", "1 paragraph: a\n3 fenced open []: \n"},
    {"closed_and_empty", "a\n```\n```\n", "1 paragraph: a\n3 fenced []: \n"},
    {"two_empty_ones", "```\n```\n\n```\n```", "2 fenced []: \n5 fenced []: \n"},
    {"ticks_before_an_empty_one", "```x``` a\n\n```\n```", "1 paragraph: `x` a\n4 fenced []: \n"},
    {"empty_lines_at_both_ends", "```\n\n\na\n\n\n```\n", "2 fenced []: \n\na\n\n\n"},
    {"empty_lines_alone", "x\n\n```\n\n\n```\n", "1 paragraph: x\n4 fenced []: \n\n"},
    {"shorter_fence_within", "````\n```\nx\n```\n````", "2 fenced []: ```\nx\n```\n"},
    {"too_short_to_close", "````\nx\n```\n", "2 fenced open []: x\n```\n"},
    {"other_mark_does_not_close", "```\nx\n~~~\n", "2 fenced open []: x\n~~~\n"},
    {"words_behind_do_not_close", "```\nx\n``` y\n", "2 fenced open []: x\n``` y\n"},
    {"in_a_list", "- a\n\n  ```js\n  b\n    c\n  ```\n- d",
     "1 item: a\n7 item: d\n4 fenced [js]: b\n  c\n"},
    {"first_in_an_item", "1. ```\n   b\n   ```\n", "2 fenced []: b\n"},
    {"open_in_a_list", "- ```\n  b\n\nend", "4 paragraph: end\n2 fenced open []: b\n\n"},
    {"closed_left_of_the_list", "- ```\n  b\n```\nc\n", "4 paragraph: c\n2 fenced []: b\n"},
    {"closed_further_left", "- a\n\n   ```\n   b\n  ```\n\n- c\n",
     "1 item: a\n7 item: c\n4 fenced []: b\n"},
    {"closed_further_left_before_another", "- a\n\n   ```\n   b\n  ```\n  ```py\n  c\n  ```\n",
     "1 item: a\n4 fenced []: b\n7 fenced [py]: c\n"},
    {"in_a_quote", "> ```\n> a\n>\n> ```\n", "2 fenced []: a\n\n"},
    {"open_in_a_quote", "> ```\n> a\n\nb\n", "4 paragraph: b\n2 fenced open []: a\n"},
    {"windows_lines", "# a\r\n\r\n```\r\nb\r\n```\r\n\r\nc\r\n",
     "1 heading: a\n7 paragraph: c\n4 fenced []: b\n"},
    {"old_lines", "# a\r\r```\rb\r```\rc", "1 heading: a\n6 paragraph: c\n4 fenced []: b\n"},
    {"link_definitions", "[a]: /b\n\n```\n```\n[a]\n", "5 paragraph: a\n4 fenced []: \n"},
};
class Outlines : public testing::TestWithParam<OutlineCase> {};
TEST_P(Outlines, Are) { EXPECT_EQ(shown(outline_of(GetParam().text)), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Markdown, Outlines, testing::ValuesIn(kOutlines),
                         [](const auto& one) { return one.param.name; });

TEST(Markdown, TellsWhatThereIs) {
  const auto all = outline_of("# a\n- b\n\n|c|\n|---|\n\n```\n");
  EXPECT_TRUE(all.headings && all.lists && all.tables && all.has_fenced_code());
  EXPECT_TRUE(has_open_fence(all));
  const auto none = outline_of("    # a\n    - b\n\n1998. Not a list\n");
  EXPECT_FALSE(none.headings || none.tables || none.has_fenced_code() || has_open_fence(none));
  EXPECT_FALSE(outline_of("in\n1998. Not a list").lists);
  EXPECT_TRUE(outline_of("1) a list").lists);
}

TEST(Markdown, TakesAnyBytes) {
  using namespace std::string_literals;
  const auto nul = outline_of("a\0b\n\n```\nc\0d\n```\n"s);
  EXPECT_EQ(shown(nul), "1 paragraph: a\uFFFDb\n4 fenced []: c\uFFFDd\n");
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_FALSE(outline_of(repeated(bytes, 100)).prose.empty());
}

// Each would take minutes by a rule whose time grows with the square of the text.
struct HostileCase {
  const char* name;
  std::string (*text)();  // megabytes, so made when needed and not at every start of the program
};
class HostileMarkdown : public testing::TestWithParam<HostileCase> {};
TEST_P(HostileMarkdown, IsReadInLinearTime) {
  const auto outline = outline_of(GetParam().text());
  EXPECT_FALSE(outline.prose.empty());
  EXPECT_FALSE(has_open_fence(outline));
}
INSTANTIATE_TEST_SUITE_P(
    Markdown, HostileMarkdown,
    testing::Values(
        HostileCase{
            "deep_list_and_empty_lines",
            [] { return repeated("- ", 500'000) + "x\n" + repeated("\n", 1'000'000) + "end"; }},
        HostileCase{"deep_numbered_list",
                    [] { return repeated("1. ", 300'000) + "x\n" + repeated("\n", 1'000'000); }},
        HostileCase{"deep_quotes",
                    [] { return repeated("> ", 500'000) + "x\n" + repeated("y\n", 500'000); }},
        HostileCase{"lists_in_quotes",
                    [] { return repeated("> - ", 300'000) + "x\n" + repeated("\n", 500'000); }},
        HostileCase{"wide_table",
                    [] {
                      return "|" + repeated("a|", 20'000) + "\n|" + repeated("---|", 20'000) +
                             "\n" + repeated("|x|\n", 20'000);
                    }},
        HostileCase{"broken_links", [] { return repeated("]([\n", 500'000); }},
        HostileCase{"many_uses_of_a_long_link",
                    [] { return "[x]: " + repeated("x", 500'000) + repeated("\n[x]", 200'000); }},
        HostileCase{"brackets", [] { return repeated("[", 2'000'000); }},
        HostileCase{"fences_around_nothing", [] { return "a\n" + repeated("```\n", 1'000'000); }},
        HostileCase{"fences_in_items",
                    [] { return "a\n\n" + repeated("- ```\n  b\n  ```\n", 300'000); }},
        HostileCase{"emphasis", [] { return repeated("*a **b ", 300'000); }},
        HostileCase{"code_spans", [] { return repeated("`a``b", 300'000); }},
        HostileCase{"html", [] { return repeated("a <![CDATA[", 200'000); }}),
    [](const auto& one) { return one.param.name; });

TEST(Markdown, LooksAtTheBeginningOfAVeryLongText) {
  const std::string line = "- an item of a list that goes on and on\n";
  const auto outline = outline_of(repeated(line, (std::size_t{50} << 20) / line.size()));
  EXPECT_TRUE(outline.cut);
  EXPECT_EQ(outline.prose.size(), kMostMarkdown / line.size());
  EXPECT_FALSE(outline_of("x\n").cut);
  // A fence that ends behind what is looked at is not said to be open.
  EXPECT_FALSE(has_open_fence(outline_of("```\n" + repeated("x\n", kMostMarkdown))));
  EXPECT_TRUE(outline_of(repeated("x", 2 * kMostMarkdown)).cut);
}

TEST(Markdown, KeepsTheTextThatIsKeptFromTheParser) {
  const auto outline = outline_of(repeated("[a] ", 100'000) + "\n\n" + repeated("- ", 100) + "end");
  EXPECT_EQ(outline.prose[0].text.substr(0, 8), "[a] [a] ");
  EXPECT_EQ(outline.prose.back().text, repeated("- ", 36) + "end");
  EXPECT_EQ(outline.prose.back().line, 3U);
}

}  // namespace
}  // namespace vibe::base
