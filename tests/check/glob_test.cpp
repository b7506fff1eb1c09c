#include "check/glob.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/repeated.h"
#include "base/text.h"

namespace vibe::check {

namespace {

using test::repeated;

bool matches(std::string_view glob, std::string_view text) {
  return Glob(glob).matches(FoldedText(text));
}

struct GlobCase {
  const char* name;
  std::string_view glob, text;
  bool want;
};

class Globs : public testing::TestWithParam<GlobCase> {};

TEST_P(Globs, Match) { EXPECT_EQ(matches(GetParam().glob, GetParam().text), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(
    Check, Globs,
    testing::Values(
        GlobCase{"the_whole", "abc", "abc", true}, GlobCase{"not_a_part", "abc", "abcd", false},
        GlobCase{"not_more", "abcd", "abc", false}, GlobCase{"empty", "", "", true},
        GlobCase{"empty_glob", "", "a", false}, GlobCase{"star_of_nothing", "*", "", true},
        GlobCase{"stars_of_nothing", "***", "", true}, GlobCase{"one_of_nothing", "?", "", false},
        GlobCase{"inside", "*105*", "it is 105.", true},
        GlobCase{"not_inside", "*105*", "it is 106.", false},
        GlobCase{"line_breaks", "a*b", "a\n\r\n\nb", true},
        GlobCase{"one_is_a_line_break", "a?b", "a\nb", true},
        GlobCase{"first_and_last_do_not_overlap", "ab*bc", "abc", false},
        GlobCase{"middle_and_last_do_not_overlap", "*ab*bc", "abc", false},
        GlobCase{"first_and_middle_do_not_overlap", "ab*bc*", "abc", false},
        GlobCase{"in_order", "*a*b*c*", "1a2b3c4", true},
        GlobCase{"out_of_order", "*a*c*b*", "1a2b3c4", false},
        GlobCase{"the_last_of_several", "*ab", "abab", true},
        GlobCase{"goes_back", "*aab*", "aaaab", true}, GlobCase{"gaps", "*a?c*", "abbabc", true},
        GlobCase{"gap_at_its_end", "*a?*", "bba", false},
        GlobCase{"gap_at_its_begin", "*?a*", "abb", false}, GlobCase{"two_gaps", "??", "ab", true},
        GlobCase{"case", "*HeLLo*", "say hEllO", true},
        GlobCase{"brackets_are_themselves", "*[0-9]*", "5", false},
        GlobCase{"one_is_a_character", "?", "漢", true},
        GlobCase{"one_is_not_two_characters", "?", "漢字", false},
        GlobCase{"one_is_an_invalid_byte", "a?b",
                 "a\xFF"
                 "b",
                 true},
        GlobCase{"each_invalid_byte_is_one", "a??b",
                 "a\xE2\x82"
                 "b",
                 true},
        GlobCase{"umlaut", "*ÄPFEL*", "äpfel", true},
        GlobCase{"cyrillic", "*ПРИВЕТ*", "привет, мир", true}, GlobCase{"deseret", "𐐀", "𐐨", true},
        GlobCase{"final_sigma", "ΟΔΟΣ", "οδος", true},
        GlobCase{"sharp_s_is_not_ss", "STRASSE", "straße", false},
        GlobCase{"capital_sharp_s", "STRAẞE", "straße", true}, GlobCase{"long_s", "ſ", "S", true},
        GlobCase{"kelvin", "*\u212A*", "k", true}, GlobCase{"dotted_i_is_itself", "İ", "İ", true},
        GlobCase{"dotted_i_is_not_i", "İ", "i", false},
        GlobCase{"dotless_i_is_not_i", "ı", "I", false}, GlobCase{"a_with_stroke", "Ⱥ", "ⱥ", true},
        GlobCase{"title_case", "Ǆ", "ǅ", true}, GlobCase{"cherokee", "Ꭰ", "ꭰ", true},
        GlobCase{"greek_with_iota", "ᾈ", "ᾀ", true},
        GlobCase{"other_letters_in_ascii", "*é*", "abc", false}),
    [](const auto& row) { return row.param.name; });

// Every way to fill the stars, without a thought about time.
bool matches_plainly(std::u32string_view glob, std::u32string_view text) {
  if (glob.empty()) return text.empty();
  if (glob[0] == '*')
    return matches_plainly(glob.substr(1), text) ||
           (!text.empty() && matches_plainly(glob, text.substr(1)));
  return !text.empty() && (glob[0] == '?' || glob[0] == text[0]) &&
         matches_plainly(glob.substr(1), text.substr(1));
}

std::string utf8(std::u32string_view points) {
  std::string out;
  for (const char32_t point : points) base::append_utf8(out, point);
  return out;
}

rc::Gen<std::u32string> text_over(std::u32string_view letters, int most) {
  return rc::gen::resize(most, rc::gen::container<std::u32string>(rc::gen::elementOf(
                                   std::vector<char32_t>(letters.begin(), letters.end()))));
}

RC_GTEST_PROP(GlobProperty, AgreesWithTheDefinition, ()) {
  const bool ascii = *rc::gen::arbitrary<bool>();
  const auto glob = *text_over(ascii ? U"aab**??" : U"aaé漢**??", 14);
  const auto text = *text_over(ascii ? U"aaab" : U"aaaé漢", 24);
  RC_ASSERT(matches(utf8(glob), utf8(text)) == matches_plainly(glob, text));
}

// A run longer than a word of bits.
RC_GTEST_PROP(GlobProperty, FindsLongRunsWithGaps, ()) {
  auto run = *rc::gen::container<std::u32string>(200, rc::gen::element(U'a', U'b'));
  const auto before = *text_over(U"ab", 100), after = *text_over(U"ab", 100);
  const std::u32string text = before + run + after;
  for (int i = 0; i < 5; ++i) run[*rc::gen::inRange<std::size_t>(0, run.size())] = U'?';
  RC_ASSERT(matches("*" + utf8(run) + "*", utf8(text)));
  run[*rc::gen::inRange<std::size_t>(0, run.size())] = U'c';
  RC_ASSERT(!matches("*" + utf8(run) + "*", utf8(text)));
}

struct HostileCase {
  const char* name;
  std::string glob;
};

class HostileGlobs : public testing::TestWithParam<HostileCase> {};

TEST_P(HostileGlobs, TakeStepsInProportionToTheText) {
  const std::string text(1'000'000, 'a');
  const Glob glob(GetParam().glob);
  for (const FoldedText& folded : {FoldedText(text), FoldedText("é" + text)}) {
    std::size_t steps = 0;
    EXPECT_FALSE(glob.matches(folded, &steps));
    EXPECT_LE(steps, 4 * (text.size() + GetParam().glob.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Check, HostileGlobs,
    testing::Values(HostileCase{"many_stars", repeated("*a", 1000) + "*b*"},
                    HostileCase{"a_long_run", "*" + std::string(100'000, 'a') + "b*"},
                    HostileCase{"many_long_runs",
                                repeated("*" + std::string(999, 'a'), 100) + "*b*"},
                    HostileCase{"gaps", repeated("*a?a", 1000) + "*a?b*"},
                    HostileCase{"many_gaps", "*" + repeated("a?", 30) + "b*"},
                    HostileCase{"only_gaps", repeated("*?", 1000) + "*b"}),
    [](const auto& row) { return row.param.name; });

TEST(HostileGlobs, ALongRunWithGapsIsComparedByWordsOfBits) {
  const std::string text(200'000, 'a');
  const std::string glob = "*" + repeated("a?", 3'200) + "b*";
  std::size_t steps = 0;
  EXPECT_FALSE(Glob(glob).matches(FoldedText(text), &steps));
  EXPECT_LE(steps, 4 * text.size() * (glob.size() / 64));
}

}  // namespace

}  // namespace vibe::check
