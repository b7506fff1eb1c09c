#include "fitness/phrases.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vibe::fitness {
namespace {

using testing::ElementsAre;

TEST(Phrases, FoldCaseAndMarks) {
  EXPECT_EQ(folded("  I Can’t\n\tSay – “No”\u00A0… "), "i can't\nsay - \"no\" .");
  EXPECT_EQ(folded("ĐỀ XUẤT"), "đề xuất");
  EXPECT_EQ(folded("Đe\u0302\u0300 xua\u0302\u0301t"), "đề xuất");  // accents beside their letters
  EXPECT_EQ(folded("\xFF"), "\uFFFD");
  EXPECT_EQ(folded(""), "");
}

TEST(Phrases, CountWords) {
  EXPECT_EQ(count_words("Two words - and `more`"), 4U);
  EXPECT_EQ(count_words("Thủ đô của Việt Nam"), 5U);
  EXPECT_EQ(count_words(" … -- "), 1U);  // a byte of another script may be a letter
  EXPECT_EQ(count_words(""), 0U);
}

TEST(Phrases, SplitIntoSentences) {
  EXPECT_THAT(sentences("One. Two! Three? \"Four.\" Five"),
              ElementsAre("One.", "Two!", "Three?", "\"Four.\"", "Five"));
  EXPECT_THAT(sentences("It takes 1.5 s, e.g. here, in `a. B`."),
              ElementsAre("It takes 1.5 s, e.g. here, in `a. B`."));
  EXPECT_THAT(sentences("Một. Đây là hai."), ElementsAre("Một.", "Đây là hai."));
  EXPECT_THAT(sentences("in\n1998. Nobody knows."), ElementsAre("in\n1998.", "Nobody knows."));
  EXPECT_THAT(sentences("Wait… Then go… on."), ElementsAre("Wait…", "Then go… on."));
  EXPECT_THAT(sentences(" \n"), ElementsAre());
}

// Each would take hours by a rule that looks at a run of marks once for each of them.
TEST(Phrases, SplitHostileTextsInLinearTime) {
  const auto repeat = [](std::string_view text) {
    std::string out;
    for (int i = 0; i < 1 << 20; ++i) out += text;
    return out;
  };
  EXPECT_EQ(sentences(repeat(".") + "x").size(), 1U);
  EXPECT_EQ(sentences(repeat(".-") + "x").size(), 1U);
  EXPECT_EQ(sentences(repeat(".") + repeat(" ") + "x").size(), 1U);
  EXPECT_THAT(sentences("....(n) a"), ElementsAre("....(n) a"));
  EXPECT_THAT(sentences("So.... (n) a. B"), ElementsAre("So....", "(n) a.", "B"));
}

TEST(Phrases, LeaveCodeSpansOut) {
  EXPECT_EQ(without_code_spans("a `b c` d `e\nf` `"), "a x d x\n `");
}

struct FindCase {
  const char *name, *phrase, *text;
  bool want;
};
const FindCase kFinds[] = {
    {"whole", "next step", "the next step is", true},
    {"part_of_a_word", "next step", "the next stepping", false},
    {"behind_a_word", "hint", "a whint", false},
    {"any_case", "Khuyến Nghị", "KHUYẾN NGHỊ", true},
    {"across_lines", "next step", "next\n  step", true},
    {"marks_count", "next,", "next, run it", true},
    {"marks_are_wanted", "next,", "next to it", false},
    {"at_the_start", "^todo:", "TODO: all", true},
    {"not_at_the_start", "^todo:", "say TODO: all", false},
    {"at_the_start_of_a_line", "^todo:", "say\nTODO: all", true},
    {"at_the_start_of_a_sentence", "^todo:", "Say it. TODO: all", true},
    {"gap_of_one_line", "<your …>", "dear <your\nname>", false},
    {"one_letter", "x", "a x b", true},
    {"gap", "<your …>", "dear <Your full name>!", true},
    {"gap_behind_a_part_of_a_word", "[your …]", "as in [Yourdon 1979]", false},
    {"gap_behind_another_form", "[insert …]", "[inserted yesterday]", false},
    {"gap_behind_an_underscore", "<your …>", "dear <your_name>", true},
    {"gap_behind_a_mark", "<your …>", "dear <your-name>", true},
    {"gap_without_an_end", "<your …>", "dear <your name", false},
    {"within_marks", "next steps", "“Next steps”", true},
};
class Finds : public testing::TestWithParam<FindCase> {};
TEST_P(Finds, Phrases) {
  const std::vector<std::string> phrases{"unlike", GetParam().phrase, "another"};
  EXPECT_EQ(PhraseFinder(phrases).find(folded(GetParam().text)).has_value(), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Phrases, Finds, testing::ValuesIn(kFinds),
                         [](const auto& one) { return one.param.name; });

TEST(Phrases, FindNothingByEmptyLists) {
  EXPECT_FALSE(PhraseFinder({}).find("a"));
  EXPECT_FALSE(PhraseFinder(std::vector<std::string>{"", "^", "…"}).find("a"));
}

}  // namespace
}  // namespace vibe::fitness
