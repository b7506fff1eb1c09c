#include "config/env_file.h"

#include <gtest/gtest.h>

namespace vibe::config {
namespace {

struct EnvCase {
  const char *name, *text, *value;  // of `A`
};
class EnvValue : public testing::TestWithParam<EnvCase> {};
TEST_P(EnvValue, IsRead) {
  base::Diagnostics found;
  const auto read = read_env_file(".env", GetParam().text, found);
  EXPECT_TRUE(found.empty()) << base::render(found);
  ASSERT_TRUE(read.contains("A"));
  EXPECT_EQ(read.at("A"), GetParam().value);
}
INSTANTIATE_TEST_SUITE_P(
    EnvFile, EnvValue,
    testing::Values(
        EnvCase{"plain", "A=b\n", "b"}, EnvCase{"without_a_break", "A=b", "b"},
        EnvCase{"empty", "A=\n", ""}, EnvCase{"exported", "export A=b\n", "b"},
        EnvCase{"exported_far", " export \t A=b\n", "b"}, EnvCase{"blanks", "  A = b  \n", "b"},
        EnvCase{"windows", "A=b\r\nB=c\r\n", "b"},
        EnvCase{"byte_order_mark",
                "\xef\xbb\xbf"
                "A=b\n",
                "b"},
        EnvCase{"comments", "# A=c\n\n  # B=c\nA=b # why\n", "b"},
        EnvCase{"only_a_comment", "A=# none\n", ""}, EnvCase{"hash_within", "A=b#c\n", "b#c"},
        EnvCase{"equals_within", "A=b==\n", "b=="}, EnvCase{"blanks_within", "A=b c\n", "b c"},
        EnvCase{"single_quotes", "A='b # \\n \"c\"' # d\n", "b # \\n \"c\""},
        EnvCase{"double_quotes", "A=\"b\\n\\t\\\"c\\\" \\\\ \\$d \\e\"\n", "b\n\t\"c\" \\ $d \\e"},
        EnvCase{"several_lines", "A=\"b\nc\"\nB=d\n", "b\nc"},
        EnvCase{"dollar_is_plain", "B=c\nA=$B${B}\n", "$B${B}"},
        EnvCase{"the_last_counts", "A=b\nA=c\n", "c"},
        EnvCase{"named_export", "export=c\nA=b\n", "b"}),
    [](const auto& test) { return test.param.name; });

struct BadCase {
  const char *name, *text;
  std::uint32_t line;
  base::Code code;
};
class EnvProblem : public testing::TestWithParam<BadCase> {};
TEST_P(EnvProblem, IsReportedWithoutTheSecret) {
  base::Diagnostics found;
  const auto read = read_env_file(".env", GetParam().text, found);
  ASSERT_EQ(found.all().size(), 1u);
  const auto& one = found.all()[0];
  EXPECT_EQ(one.code, GetParam().code);
  EXPECT_EQ(one.source->position(one.span.begin).line, GetParam().line);
  EXPECT_EQ(base::render(one).find("sk-"), std::string::npos) << base::render(one);
  EXPECT_FALSE(read.contains("BAD"));
  EXPECT_EQ(read.contains("AFTER"), one.code == base::Code::bad_config);
}
using base::Code;
INSTANTIATE_TEST_SUITE_P(
    EnvFile, EnvProblem,
    testing::Values(BadCase{"no_equals", "A=b\nsk-123\nAFTER=1\n", 2, Code::bad_config},
                    BadCase{"no_name", "=sk-123\nAFTER=1\n", 1, Code::bad_config},
                    BadCase{"bad_name", "MY-KEY=sk-123\nAFTER=1\n", 1, Code::bad_config},
                    BadCase{"digit_first", "1A=sk-123\nAFTER=1\n", 1, Code::bad_config},
                    BadCase{"two_names", "BAD A=sk-123\nAFTER=1\n", 1, Code::bad_config},
                    BadCase{"open_quote", "BAD=\"sk-123\nAFTER=1\n", 1, Code::bad_config},
                    BadCase{"behind_a_quote", "BAD='sk-1'sk-2\nAFTER=1\n", 1, Code::bad_config},
                    BadCase{"not_text", "A=sk-\xff\n", 1, Code::not_text}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace vibe::config
