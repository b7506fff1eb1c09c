#include "base/text.h"

#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace vibe::base {
namespace {

struct DecodeCase {
  const char* name;
  std::string_view text;
  char32_t value;
  std::size_t length;
  bool valid;
};
class Decode : public testing::TestWithParam<DecodeCase> {};
TEST_P(Decode, Gives) {
  const CodePoint got = decode(GetParam().text, 0);
  EXPECT_EQ(got.value, GetParam().value);
  EXPECT_EQ(got.length, GetParam().length);
  EXPECT_EQ(got.valid, GetParam().valid);
}
INSTANTIATE_TEST_SUITE_P(
    Text, Decode,
    testing::Values(DecodeCase{"ascii", "a", 'a', 1, true},
                    DecodeCase{"two_bytes", "\xC3\xA9", 0xE9, 2, true},
                    DecodeCase{"three_bytes", "\xE2\x82\xAC", 0x20AC, 3, true},
                    DecodeCase{"four_bytes", "\xF0\x9F\x98\x80", 0x1F600, 4, true},
                    DecodeCase{"last", "\xF4\x8F\xBF\xBF", 0x10FFFF, 4, true},
                    DecodeCase{"too_large", "\xF4\x90\x80\x80", 0xFFFD, 1, false},
                    DecodeCase{"overlong_two", "\xC0\xAF", 0xFFFD, 1, false},
                    DecodeCase{"overlong_three", "\xE0\x80\xAF", 0xFFFD, 1, false},
                    DecodeCase{"overlong_four", "\xF0\x80\x80\xAF", 0xFFFD, 1, false},
                    DecodeCase{"surrogate", "\xED\xA0\x80", 0xFFFD, 1, false},
                    DecodeCase{"continuation", "\x80", 0xFFFD, 1, false},
                    DecodeCase{"cut_short", "\xE2\x82", 0xFFFD, 1, false},
                    DecodeCase{"bad_tail", "\xE2\x28\xA1", 0xFFFD, 1, false}),
    [](const auto& row) { return row.param.name; });

TEST(Text, FindsTheFirstInvalidByte) {
  EXPECT_EQ(first_invalid("all of this is fine: é 😀"), std::nullopt);
  EXPECT_EQ(first_invalid("0123456789\xFF"), 10u);
  EXPECT_EQ(first_invalid("é\xC3"), 2u);
}

TEST(Text, ReplacesWhatIsNotUtf8AsBrowsersDo) {
  EXPECT_EQ(replace_invalid("aé漢😀"), "aé漢😀");
  EXPECT_EQ(replace_invalid("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(replace_invalid("\xE2\x82z"), "\uFFFDz");    // breaks off
  EXPECT_EQ(replace_invalid("\xF0\x9F\x98"), "\uFFFD");  // so does this
  EXPECT_EQ(replace_invalid("\xF0\x9Fz"), "\uFFFDz");
  EXPECT_EQ(replace_invalid("\xC3z"), "\uFFFDz");
  EXPECT_EQ(replace_invalid("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(replace_invalid("\xE0\x80z"), "\uFFFD\uFFFDz");          // overlong
  EXPECT_EQ(replace_invalid("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
}

struct NfkcCase {
  const char* name;
  std::string_view text;
  std::u32string_view want;
};
class Nfkc : public testing::TestWithParam<NfkcCase> {};
TEST_P(Nfkc, Gives) { EXPECT_EQ(to_nfkc(GetParam().text), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(
    Text, Nfkc,
    testing::Values(NfkcCase{"nothing", "", U""}, NfkcCase{"ascii", "a b\n", U"a b\n"},
                    NfkcCase{"composed", "e\u0301", U"é"},
                    NfkcCase{"stays_composed", "é漢😀", U"é漢😀"},
                    NfkcCase{"marks_in_order", "o\u0302\u0323", U"ộ"},
                    NfkcCase{"marks_that_stay", "q\u0307\u0323", U"q\u0323\u0307"},
                    NfkcCase{"hangul", "\u1112\u1161\u11ab", U"한"},
                    NfkcCase{"ligature", "ﬁ", U"fi"}, NfkcCase{"full_width", "Ａ　１", U"A 1"},
                    NfkcCase{"no_break_space", "a\u00a0b", U"a b"},
                    NfkcCase{"the_longest", "ﷺ", U"صلى الله عليه وسلم"},
                    NfkcCase{"not_utf8", "\xff z", U"\uFFFD z"}),
    [](const auto& row) { return row.param.name; });

// Utf8proc's own order of marks would take the square of this.
TEST(Nfkc, PutsManyMarksInOrder) {
  constexpr std::size_t kPairs = 400'000;
  std::string text = "a";
  for (std::size_t i = 0; i < kPairs; ++i) text += "\u0301\u0323";
  const std::u32string got = to_nfkc(text);
  ASSERT_EQ(got.size(), 2 * kPairs);
  EXPECT_EQ(got[0], U'ạ');
  EXPECT_EQ(got[1], U'\u0323');
  EXPECT_EQ(got[kPairs - 1], U'\u0323');
  EXPECT_EQ(got[kPairs], U'\u0301');
}

TEST(Text, FoldsCaseOneToOne) {
  EXPECT_EQ(fold_case(U'A'), U'a');
  EXPECT_EQ(fold_case(U'['), U'[');
  EXPECT_EQ(fold_case(U'Σ'), fold_case(U'ς'));
  EXPECT_EQ(fold_case(U'\u212A'), U'k');
  EXPECT_EQ(fold_case(U'\u1E9E'), U'ß');
  EXPECT_EQ(fold_case(U'ß'), U'ß');
  EXPECT_EQ(fold_case(U'\u0130'), U'\u0130');
  EXPECT_EQ(fold_case(U'\u0149'), U'\u0149');
  EXPECT_EQ(fold_case(U'\U00010400'), U'\U00010428');
}

struct WidthCase {
  const char* name;
  std::string_view text;
  std::size_t width;
};
class Width : public testing::TestWithParam<WidthCase> {};
TEST_P(Width, Gives) { EXPECT_EQ(display_width(GetParam().text), GetParam().width); }
INSTANTIATE_TEST_SUITE_P(Text, Width,
                         testing::Values(WidthCase{"empty", "", 0}, WidthCase{"ascii", "abc", 3},
                                         WidthCase{"combining", "e\u0301", 1},
                                         WidthCase{"cjk", "日本", 4}, WidthCase{"emoji", "😀", 2},
                                         WidthCase{"emoji_selector", "❤\uFE0F", 2},
                                         WidthCase{"joined_family", "👨\u200D👩\u200D👧", 2},
                                         WidthCase{"skin_tone", "👍🏽", 2},
                                         WidthCase{"flag", "🇫🇷", 2}, WidthCase{"hebrew", "שלום", 4},
                                         WidthCase{"tab", "\t", 1},
                                         WidthCase{"invalid", "\xFF", 1}),
                         [](const auto& row) { return row.param.name; });

TEST(Text, PrintableNeverControlsTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\a\u009bc\u202Ed\n\te\x7f"),
            "a\uFFFD[31mb\uFFFD\uFFFDc\uFFFDd  e\uFFFD");
  EXPECT_EQ(printable("é 日本 😀 שלום"), "é 日本 😀 שלום");
  EXPECT_EQ(printable("a\xFF"), "a\uFFFD");
}

struct DistanceCase {
  const char* name;
  std::string_view a, b;
  std::size_t limit, distance;
};
class Distance : public testing::TestWithParam<DistanceCase> {};
TEST_P(Distance, Gives) {
  const auto& row = GetParam();
  EXPECT_EQ(edit_distance(row.a, row.b, row.limit), row.distance);
  EXPECT_EQ(edit_distance(row.b, row.a, row.limit), row.distance);
}
INSTANTIATE_TEST_SUITE_P(
    Text, Distance,
    testing::Values(DistanceCase{"same", "abc", "abc", 2, 0}, DistanceCase{"empty", "", "ab", 2, 2},
                    DistanceCase{"both_empty", "", "", 2, 0},
                    DistanceCase{"insertion", "pas_rate", "pass_rate", 2, 1},
                    DistanceCase{"swap", "evlas", "evals", 2, 1},
                    DistanceCase{"replacement", "abc", "axc", 2, 1},
                    DistanceCase{"three", "kitten", "sitting", 3, 3},
                    DistanceCase{"beyond_the_limit", "kitten", "sitting", 2, 3},
                    DistanceCase{"far_lengths", "a", "abcdefgh", 2, 3},
                    DistanceCase{"limit_zero", "ab", "ac", 0, 1},
                    DistanceCase{"code_points", "é", "e", 2, 1},
                    DistanceCase{"limit_above_length", "ab", "cd", 9, 2},
                    DistanceCase{"no_edit_in_a_swap", "ca", "abc", 5, 3}),
    [](const auto& row) { return row.param.name; });

// The plain table, without a band.
std::size_t full_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

TEST(Text, BandedDistanceEqualsTheFullOne) {
  std::uint32_t state = 7;
  const auto random = [&](std::uint32_t below) {
    return (state = state * 1664525u + 1013904223u) / 65536u % below;
  };
  for (int round = 0; round < 20'000; ++round) {
    std::string a(random(9), 'a'), b(random(9), 'a');
    for (char& c : a) c = static_cast<char>('a' + random(3));
    for (char& c : b) c = static_cast<char>('a' + random(3));
    const std::size_t limit = random(6);
    ASSERT_EQ(edit_distance(a, b, limit), std::min(full_distance(a, b), limit + 1))
        << a << ' ' << b << ' ' << limit;
  }
}

TEST(Text, NearestComeFirst) {
  constexpr std::array<std::string_view, 6> names{"latency",   "pass_rates", "pass_rate",
                                                  "PASS_RATE", "cost",       "pass_rate"};
  EXPECT_EQ(nearest("pas_rate", names), (std::vector<std::string_view>{"pass_rate", "pass_rates"}));
  EXPECT_EQ(nearest("LATENCY", names), std::vector<std::string_view>{"latency"});
  EXPECT_EQ(nearest("pass_rate", names, 1), std::vector<std::string_view>{"pass_rate"});
  EXPECT_TRUE(nearest("entirely_else", names).empty());
  EXPECT_TRUE(nearest("", names).empty());
  constexpr std::array<std::string_view, 1> accents{"café"};
  EXPECT_EQ(nearest("cafe", accents), std::vector<std::string_view>{"café"});
}

TEST(Text, DidYouMean) {
  const std::vector<std::string_view> names{"a", "b", "c"};
  EXPECT_EQ(did_you_mean({}), "");
  EXPECT_EQ(did_you_mean(std::span(names).first(1)), "did you mean `a`?");
  EXPECT_EQ(did_you_mean(std::span(names).first(2)), "did you mean `a` or `b`?");
  EXPECT_EQ(did_you_mean(names), "did you mean `a`, `b` or `c`?");
}

TEST(Text, TrimsFoldsAndShortens) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(fold_white_space(" a \n\t b"), " a b");
  EXPECT_EQ(shorten("ééé", 3), "ééé");
  EXPECT_EQ(shorten("éééé", 3), "ééé…");
}

struct GlobCase {
  const char* name;
  std::string_view glob, text;
  bool matches;
};
class Glob : public testing::TestWithParam<GlobCase> {};
TEST_P(Glob, Matches) {
  EXPECT_EQ(glob_match(GetParam().glob, GetParam().text), GetParam().matches);
}
INSTANTIATE_TEST_SUITE_P(Text, Glob,
                         testing::Values(GlobCase{"same", "abc", "abc", true},
                                         GlobCase{"case", "abc", "ABC", false},
                                         GlobCase{"both_empty", "", "", true},
                                         GlobCase{"star_empty", "*", "", true},
                                         GlobCase{"star", "a*c", "abbbc", true},
                                         GlobCase{"star_back", "*ab", "aab", true},
                                         GlobCase{"stars", "*a*b*", "xxaxxbxx", true},
                                         GlobCase{"question", "a?c", "abc", true},
                                         GlobCase{"question_needs_one", "a?", "a", false},
                                         GlobCase{"question_is_a_code_point", "?", "😀", true},
                                         GlobCase{"no_part", "*??", "😀", false},
                                         GlobCase{"rest_left", "a", "ab", false}),
                         [](const auto& row) { return row.param.name; });

TEST(Text, GlobDoesNotExplode) {
  std::string glob;
  for (int i = 0; i < 100; ++i) glob += "a*";
  EXPECT_FALSE(glob_match(glob + "b", std::string(10'000, 'a')));
}

struct NumberCase {
  const char* name;
  std::string_view text;
  std::optional<double> value;
};
class Number : public testing::TestWithParam<NumberCase> {};
TEST_P(Number, Reads) { EXPECT_EQ(parse_double(GetParam().text), GetParam().value); }
INSTANTIATE_TEST_SUITE_P(
    Text, Number,
    testing::Values(
        NumberCase{"whole", "42", 42}, NumberCase{"plus", "+1.5", 1.5},
        NumberCase{"minus", "-.5", -0.5}, NumberCase{"point_last", "5.", 5},
        NumberCase{"exponent", "1e-3", 0.001}, NumberCase{"tiny_is_zero", "1e-999", 0},
        NumberCase{"denormal", "5e-324", 5e-324}, NumberCase{"huge", "1e999", std::nullopt},
        NumberCase{"empty", "", std::nullopt}, NumberCase{"sign_alone", "-", std::nullopt},
        NumberCase{"point_alone", ".", std::nullopt}, NumberCase{"two_signs", "+-1", std::nullopt},
        NumberCase{"infinity", "inf", std::nullopt},
        NumberCase{"not_a_number", "nan", std::nullopt},
        NumberCase{"hexadecimal", "0x10", std::nullopt},
        NumberCase{"left_over", "1s", std::nullopt}, NumberCase{"space", " 1", std::nullopt},
        NumberCase{"exponent_alone", "1e", std::nullopt}),
    [](const auto& row) { return row.param.name; });

TEST(Text, LowerCaseOfAscii) { EXPECT_EQ(lower_ascii("Content-TYPE É@[`{"), "content-type É@[`{"); }

TEST(Text, Decimals) {
  EXPECT_EQ(to_decimal(0.1, 3), "0.1");
  EXPECT_EQ(to_decimal(100, 2), "100");
  EXPECT_EQ(to_decimal(100, 0), "100");
  EXPECT_EQ(to_decimal(1.5e-7, 15), "0.00000015");
}

TEST(Text, NamesOfVariables) {
  for (const auto* good : {"A", "_", "a1_B", "http_proxy"}) EXPECT_TRUE(is_variable_name(good));
  for (const auto* bad : {"", "1A", "A-B", "A B", "é"}) EXPECT_FALSE(is_variable_name(bad)) << bad;
}

TEST(Text, Addresses) {
  for (const auto* good : {"http://a", "https://a.b/c?d", "http://[::1]:80"})
    EXPECT_TRUE(is_http_url(good)) << good;
  for (const auto* bad : {"", "http://", "https:///x", "ftp://a", "http://a b", "http://a\n", "a"})
    EXPECT_FALSE(is_http_url(bad)) << bad;
}

TEST(Text, Integers) {
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_EQ(parse_integer("+7"), 7);
  EXPECT_EQ(parse_integer("9223372036854775807"), INT64_MAX);
  for (const auto* bad : {"", "9223372036854775808", "1.0", "1e3", "+-1", "++1", " 1", "1 "})
    EXPECT_EQ(parse_integer(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace vibe::base
