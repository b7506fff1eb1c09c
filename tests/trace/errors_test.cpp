#include "trace/errors.h"

#include <random>

#include <gtest/gtest.h>

#include "base/text.h"
#include "fitness/rubric.h"
#include "trace/json.h"

namespace vibe::trace {
namespace {

struct OutputCase {
  const char* name;
  std::string escaped;  // as the text stands in JSON, between its quotes
  bool fails;
};

const OutputCase kOutputCases[] = {
    {"at_the_beginning", "error: no such branch", true},
    {"at_a_line", "compiling\\nerror: expected `;`", true},
    {"in_any_case", "ERROR: x", true},
    {"indented", "x\\n  fatal: y", true},
    {"in_the_middle_of_a_line", "no error: all is well", false},
    {"anywhere_in_a_line", "sh: 1: foo: command not found", true},
    {"an_escape_that_ends_in_a_letter", "\\fatal: x", false},  // a form feed, and `atal:`
    {"an_escape_for_a_letter", "err\\u006fr: x", true},
    {"an_escape_for_a_break", "x\\u000aerror: y", true},
    {"a_backslash_and_a_letter", "x\\\\nerror: y", false},
    {"a_tab_before", "\\terror: x", true},
    {"coloured", "\\u001b[31merror:\\u001b[0m x", true},
    {"traceback", "Traceback (most recent call last):\\n  File", true},
    {"nothing", "", false},
    {"the_end_of_the_text", "fata", false},
};

class Output : public testing::TestWithParam<OutputCase> {};

TEST_P(Output, IsThatOfAFailure) {
  const ErrorPatterns& patterns = fitness::default_rubric().words.errors();
  JsonParser parser;
  const std::string json = "\"" + GetParam().escaped + "\"";
  const std::string text(parser.parse(json).text().value());
  EXPECT_EQ(patterns.find(text) != nullptr, GetParam().fails);
  if (GetParam().fails) {
    EXPECT_TRUE(patterns.may_hold(GetParam().escaped));
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, Output, testing::ValuesIn(kOutputCases),
                         [](const auto& one) { return one.param.name; });

// Line by line, one byte after the other.
bool fails_slowly(std::string text, const ErrorPatterns& patterns) {
  for (char& c : text) c = base::lower_ascii(c);
  for (const auto& pattern : patterns.patterns())
    for (std::size_t at = text.find(pattern.text); at != std::string::npos;
         at = text.find(pattern.text, at + 1)) {
      std::size_t line = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
      line = line == std::string::npos ? 0 : line + 1;
      if (!pattern.at_line_start || text.find_first_not_of(" \t\r", line) == at) return true;
    }
  return false;
}

TEST(Patterns, AreFoundWhereOneByteAfterTheOtherFindsThem) {
  const ErrorPatterns& patterns = fitness::default_rubric().words.errors();
  std::mt19937 random(3);
  std::vector<std::string> parts{"\n", " ", "\t", "x", ": ", "er", "ror:", "Ck", "L:", "\xC3\xA9"};
  for (const auto& pattern : patterns.patterns()) parts.push_back(pattern.text);
  int failed = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 80, 'a');
    for (std::size_t i = random() % 6; i > 0; --i)
      text.insert(random() % (text.size() + 1), parts[random() % parts.size()]);
    if (round % 2 == 0)
      for (char& c : text)
        if (c >= 'a' && c <= 'z' && random() % 2 == 0) c = static_cast<char>(c - 'a' + 'A');
    const bool fails = fails_slowly(text, patterns);
    ASSERT_EQ(patterns.find(text) != nullptr, fails) << text;
    if (fails) {
      ASSERT_TRUE(patterns.may_hold(text)) << text;  // nothing in it has to be escaped
      ++failed;
    }
  }
  EXPECT_GT(failed, 1000);
}

TEST(Patterns, PassOverTextWithoutAny) {
  const ErrorPatterns& patterns = fitness::default_rubric().words.errors();
  EXPECT_FALSE(patterns.may_hold("all 12 tests passed\\nin 3 s"));
  EXPECT_FALSE(patterns.may_hold(""));
}

TEST(Patterns, MayHoldWhatCanBeWrittenAsAnEscape) {
  const ErrorPatterns patterns({{"a/b", false}});
  EXPECT_TRUE(patterns.may_hold("a\\/b"));
  EXPECT_TRUE(patterns.find("x a/B"));
  const ErrorPatterns quoted({{"say \"no\"", false}});
  EXPECT_TRUE(quoted.may_hold("say \\\"no\\\""));
  const ErrorPatterns letter({{"x", false}});
  EXPECT_TRUE(letter.find("abx"));
}

TEST(Patterns, AreTakenInTheirOrder) {
  const ErrorPatterns patterns({{"second", false}, {"first", false}});
  EXPECT_EQ(patterns.find("first, second")->text, "second");
}

}  // namespace
}  // namespace vibe::trace
