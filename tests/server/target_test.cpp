#include "server/target.h"

#include <chrono>

#include <gtest/gtest.h>

namespace vibe::server {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct GoodTarget {
  const char* name;
  const char* raw;
  const char* path;
  std::vector<std::string> segments;
  Pairs query;
};

class GoodTargets : public testing::TestWithParam<GoodTarget> {};

TEST_P(GoodTargets, AreTakenApart) {
  const auto target = read_target(GetParam().raw);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, GetParam().path);
  EXPECT_EQ(target->segments, GetParam().segments);
  EXPECT_EQ(target->query, GetParam().query);
}

INSTANTIATE_TEST_SUITE_P(
    Target, GoodTargets,
    testing::Values(
        GoodTarget{"root", "/", "/", {}, {}},
        GoodTarget{"plain", "/api/runs", "/api/runs", {"api", "runs"}, {}},
        GoodTarget{"two_slashes", "//api/x", "/api/x", {"api", "x"}, {}},
        GoodTarget{"slashes_inside", "/api///x", "/api/x", {"api", "x"}, {}},
        GoodTarget{"slash_at_the_end", "/api/", "/api/", {"api"}, {}},
        GoodTarget{"encoded_slash",
                   "/api/suite/..%2f..%2Fetc",
                   "/api/suite/..%2f..%2Fetc",
                   {"api", "suite", "../../etc"},
                   {}},
        GoodTarget{"encoded_letter", "/%61pi", "/%61pi", {"api"}, {}},
        GoodTarget{"decoded_once", "/%2525", "/%2525", {"%25"}, {}},
        GoodTarget{"encoded_percent_dots", "/%252e%252e", "/%252e%252e", {"%2e%2e"}, {}},
        GoodTarget{"three_dots", "/...", "/...", {"..."}, {}},
        GoodTarget{"utf8", "/caf%C3%A9/日", "/caf%C3%A9/日", {"café", "日"}, {}},
        GoodTarget{"plus_in_the_path", "/a+b", "/a+b", {"a+b"}, {}},
        GoodTarget{"encoded_question_mark", "/a%3Fb", "/a%3Fb", {"a?b"}, {}},
        GoodTarget{"query", "/a?limit=5&x=%26y", "/a", {"a"}, {{"limit", "5"}, {"x", "&y"}}},
        GoodTarget{"plus_is_a_space", "/a?x=1+2%2B3", "/a", {"a"}, {{"x", "1 2+3"}}},
        GoodTarget{"empty_values", "/a?b&c=&=d", "/a", {"a"}, {{"b", ""}, {"c", ""}, {"", "d"}}},
        GoodTarget{"empty_pairs", "/a?&&b=1&", "/a", {"a"}, {{"b", "1"}}},
        GoodTarget{"equals_in_a_value", "/a?b=c=d", "/a", {"a"}, {{"b", "c=d"}}},
        GoodTarget{"two_question_marks", "/a?b?c", "/a", {"a"}, {{"b?c", ""}}},
        GoodTarget{"dots_in_the_query", "/a?b=../..", "/a", {"a"}, {{"b", "../.."}}},
        GoodTarget{"empty_query", "/a?", "/a", {"a"}, {}},
        GoodTarget{
            "as_to_a_proxy", "http://host:80/api/x?y=1", "/api/x", {"api", "x"}, {{"y", "1"}}},
        GoodTarget{"as_to_a_proxy_bare", "HTTPS://host", "/", {}, {}}),
    [](const auto& row) { return row.param.name; });

struct BadTarget {
  const char* name;
  std::string raw;
};

class BadTargets : public testing::TestWithParam<BadTarget> {};

TEST_P(BadTargets, AreNone) { EXPECT_FALSE(read_target(GetParam().raw)); }

INSTANTIATE_TEST_SUITE_P(
    Target, BadTargets,
    testing::Values(
        BadTarget{"empty", ""}, BadTarget{"star", "*"}, BadTarget{"relative", "api/x"},
        BadTarget{"authority", "host:80"}, BadTarget{"other_scheme", "file:///etc/passwd"},
        BadTarget{"dot", "/a/./b"}, BadTarget{"dots", "/a/../b"}, BadTarget{"dots_alone", "/.."},
        BadTarget{"encoded_dots", "/%2e%2E/b"}, BadTarget{"half_encoded_dots", "/.%2e"},
        BadTarget{"encoded_dot", "/%2e"}, BadTarget{"nul", "/a%00b"},
        BadTarget{"raw_nul", std::string("/a\0b", 4)}, BadTarget{"line_break", "/a%0d%0ab"},
        BadTarget{"tab", "/a\tb"}, BadTarget{"space", "/a b"}, BadTarget{"delete", "/a%7F"},
        BadTarget{"no_digits", "/%"}, BadTarget{"one_digit", "/%4"}, BadTarget{"not_hex", "/%zz"},
        BadTarget{"half_hex", "/%4g"}, BadTarget{"signed_hex", "/%+4"},
        BadTarget{"overlong_slash", "/%c0%af"}, BadTarget{"overlong_dot", "/%e0%80%ae"},
        BadTarget{"surrogate", "/%ed%a0%80"}, BadTarget{"too_high", "/%f4%90%80%80"},
        BadTarget{"broken_off", "/caf%c3"}, BadTarget{"raw_byte", "/\xff"},
        BadTarget{"across_segments", "/%c3/%a9"}, BadTarget{"bad_query_name", "/a?%zz=1"},
        BadTarget{"bad_query_value", "/a?b=%"}, BadTarget{"nul_in_the_query", "/a?b=%00"},
        BadTarget{"query_not_utf8", "/a?b=%ff"}),
    [](const auto& row) { return row.param.name; });

TEST(Target, TheLastOfEqualParametersCounts) {
  const auto target = read_target("/a?a=1&b=2&a=3");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->get("a"), "3");
  EXPECT_EQ(target->get("b"), "2");
  EXPECT_EQ(target->get("c"), std::nullopt);
}

TEST(Target, AnyNumberOfPartsIsRead) {
  std::string raw;
  for (int i = 0; i < 10'000; ++i) raw += "/a";
  raw += '?';
  for (int i = 0; i < 10'000; ++i) raw += "p=%41&";
  const auto target = read_target(raw);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments.size(), 10'000u);
  EXPECT_EQ(target->query.size(), 10'000u);
  EXPECT_EQ(target->get("p"), "A");
}

}  // namespace
}  // namespace vibe::server
