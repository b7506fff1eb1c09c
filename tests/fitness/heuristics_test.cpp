#include "fitness/heuristics.h"

#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/repeated.h"
#include "fitness/labelled.h"
#include "fitness/rubric.h"

namespace vibe::fitness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using vibe::test::repeated;

const Words& words() { return default_rubric().words; }

AnswerFindings look(std::string_view answer, std::string_view prompt = {}) {
  return look_at({answer, prompt}, words());
}

std::string evidence_for(std::string_view answer, Heuristic id, std::string_view prompt = {}) {
  return fmt::format("{}", fmt::join(look(answer, prompt)[id].evidence, "; "));
}

TEST(Heuristics, StandInTheOrderOfTheirIds) {
  std::set<std::string_view> names;
  std::map<Part, double> weights;
  for (std::size_t i = 0; i < kHeuristicCount; ++i) {
    const auto& row = heuristics()[i];
    EXPECT_EQ(static_cast<std::size_t>(row.id), i);
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_EQ(row.rule.find('\n'), std::string_view::npos);
    weights[row.part] += row.weight;
  }
  for (const auto& [part, sum] : weights) EXPECT_DOUBLE_EQ(sum, 1.0);
}

class Rows : public testing::TestWithParam<HeuristicRow> {};
TEST_P(Rows, AreProvedByTheirExamples) {
  const auto& row = GetParam();
  EXPECT_TRUE(look(row.holds, row.prompt)[row.id].holds)
      << evidence_for(row.holds, row.id, row.prompt);
  EXPECT_FALSE(look(row.fails, row.prompt)[row.id].holds)
      << evidence_for(row.fails, row.id, row.prompt);
}
INSTANTIATE_TEST_SUITE_P(Heuristics, Rows, testing::ValuesIn(heuristics()),
                         [](const auto& one) { return std::string(one.param.name); });

// What the heuristics say of the answers that people have labelled. A change of these figures has
// to be meant: docs/fitness.md shows them.
TEST(Heuristics, AgreeWithPeople) {
  const auto answers = test::labelled_answers(VIBE_TEST_DATA "/cases/answers");
  ASSERT_EQ(answers.size(), 65U);
  const std::map<std::string_view, test::Confusion> want{
      {"direct_answer", {51, 0, 0, 14}},
      {"code", {15, 1, 1, 48}},
      {"explanation", {35, 0, 0, 30}},
      {"next_steps", {9, 0, 3, 53}},
      {"syntax", {61, 0, 0, 4}},
      {"no_obvious_error", {57, 0, 0, 8}},
      {"follows_instructions", {58, 0, 0, 7}},
      {"headers", {5, 0, 0, 60}},
      {"lists", {6, 0, 0, 59}},
      {"code_blocks", {25, 0, 1, 39}},
  };
  const auto found = test::confusions(answers, words());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i], want.at(heuristics()[i].name)) << heuristics()[i].name;
}

struct FindingCase {
  const char* name;
  Heuristic id;
  const char* answer;
  bool holds;
  const char* prompt = "";
};
using enum Heuristic;
const FindingCase kFindings[] = {
    {"a_list_answers", direct_answer, "- red\n- yellow\n- blue", true},
    {"a_table_answers", direct_answer, "|a|b|\n|---|---|\n|c|d|", true},
    {"two_words", direct_answer, "All good.", false},
    {"a_heading_is_no_answer", direct_answer, "# The answer to it all", false},
    {"refuses_twice", direct_answer, "I'm sorry. I cannot help with that.", false},
    {"refuses_with_curly_quotes", direct_answer, "I can’t help with that.", false},
    {"refuses_in_capitals_vi", direct_answer, "XIN LỖI, TÔI KHÔNG THỂ GIÚP VIỆC NÀY.", false},
    {"refuses_and_answers", direct_answer,
     "I can't help with that. The owner of the repository can.", true},
    {"asks_and_answers", direct_answer, "The cache is stale. Shall I clear it?", true},
    {"asks_only", direct_answer, "Which one? The first or the second one?", false},
    {"json_with_more", direct_answer, "{not JSON at all}", true},
    {"unparsed_language", code, "```ruby\nputs 1\n```", true},
    {"console_is_no_program", code, "```console\n$ ls\n```", false},
    {"indented_is_not_fenced", code, "    int x;\n", false},
    {"thirty_words", explanation,
     "a b c d e f g h i j k l m n o p q r s t u v w x y z one two three four", true},
    {"short_sentences", explanation, "Yes. No. Done.", false},
    {"a_tick_is_no_code", explanation, "Quote it by \\` only. The rest may stay.", true},
    {"items", explanation, "- remove the old file\n- tell the whole team\n", true},
    {"code_does_not_explain", explanation, "```\nOne sentence here. Another one there.\n```",
     false},
    {"decomposed_vi", next_steps, "Tôi đe\u0302\u0300 xua\u0302\u0301t đổi tên.", true},
    {"heading", next_steps, "## Next Steps\n\nNone.", true},
    {"in_code_only", next_steps, "```\nnext steps\n```", false},
    {"a_chapter_vi", next_steps, "Chương tiếp theo nói về bộ nhớ.", false},
    {"unlabelled_is_not_judged", syntax, "```\n(((\n```", true},
    {"unknown_is_not_judged", syntax, "```toml\n(((\n```", true},
    {"second_block", syntax, "```py\nx\n```\n\n```json\n{,}\n```", false},
    {"nested_in_a_list", syntax, "1. Run:\n\n   ```py\n   if x:\n       y()\n   ```\n", true},
    {"placeholder_in_a_span", no_obvious_error, "Put `<your key>` there.", true},
    {"placeholder", no_obvious_error, "Dear <your name>,\n\nhello.", false},
    {"placeholder_alone", no_obvious_error, "<your name>\n\nhello.", false},
    {"placeholder_in_code", no_obvious_error, "```\n<your name>\n```", true},
    {"lorem", no_obvious_error, "Lorem ipsum dolor.", false},
    {"todo_in_a_list", no_obvious_error, "- TODO: write it\n", false},
    {"placeholder_of_words_joined", no_obvious_error, "Dear <your_name>,\n\nhello.", false},
    {"a_reference", no_obvious_error, "As in [Yourdon 1979].", true},
    {"heading_about_errors", no_obvious_error, "## Exceptions\n\nThere are two.", true},
    {"exceptions_are_no_exception", no_obvious_error, "Exceptions are caught here.", true},
    {"error_in_a_list", no_obvious_error, "- error: no space\n", false},
    {"error_on_a_later_line", no_obvious_error, "It says\nerror: no space\n", false},
    {"error_in_a_table", no_obvious_error, "|a|\n|---|\n|permission denied|\n", false},
    {"fence_in_a_list", no_obvious_error, "- a\n\n  ```py\n  x\n\nend", false},
    {"empty", follows_instructions, " \n", false},
    {"json", follows_instructions, "Here:\n\n```json\n{}\n```", true, "Answer as JSON."},
    {"json_unlabelled", follows_instructions, "```\n[1]\n```", true, "Answer as JSON."},
    {"no_json", follows_instructions, "It is 1.", false, "Answer as JSON."},
    {"dialect", follows_instructions, "```tsx\nlet x = 1\n```", true, "Write it in TypeScript."},
    {"unlabelled_code", follows_instructions, "```\nlet x: i32 = 1;\n```", true,
     "Write it in Rust."},
    {"unlabelled_other_code", follows_instructions, "```\ndef f(): pass\n```", false,
     "Write it in Rust."},
    {"one_of_two", follows_instructions, "```py\nx\n```", true, "Write it in Python or Ruby."},
    {"only_one_of_two", follows_instructions, "```py\nx\n```", false,
     "Write it in Python and in Ruby."},
    {"a_list_as_a_table", follows_instructions, "|a|\n|---|\n|b|", true, "List the colours."},
};
class Findings : public testing::TestWithParam<FindingCase> {};
TEST_P(Findings, Hold) {
  const auto& one = GetParam();
  EXPECT_EQ(look(one.answer, one.prompt)[one.id].holds, one.holds)
      << evidence_for(one.answer, one.id, one.prompt);
}
INSTANTIATE_TEST_SUITE_P(Heuristics, Findings, testing::ValuesIn(kFindings), [](const auto& one) {
  return fmt::format("{}_{}", heuristics()[static_cast<std::size_t>(one.param.id)].name,
                     one.param.name);
});

TEST(Heuristics, SayWhy) {
  EXPECT_EQ(evidence_for("# A\n\nx\n\n## Next steps\n", next_steps),
            "heading \"Next steps\" (line 5)");
  EXPECT_EQ(evidence_for("All pass.\nI recommend a test.", next_steps), "\"recommend\" (line 2)");
  EXPECT_EQ(
      evidence_for("a\n\n```python\nx = 1\ny = (2\n```\n", syntax),
      "Python block on line 4 does not parse at line 5, column 7: unexpected end of the line");
  EXPECT_EQ(evidence_for("a\n\n```py\nx\n", no_obvious_error), "the fence on line 3 is not closed");
  EXPECT_EQ(evidence_for("Dear <your name>,", no_obvious_error),
            "\"<your name>\" (line 1) is left over");
  EXPECT_EQ(evidence_for("one two three four", follows_instructions, "Answer in at most 3 words."),
            "the prompt asks for at most 3 words; the answer has 4");
  EXPECT_EQ(evidence_for("# One\n\nTwo\n---\n", headers), "\"One\" (line 1); \"Two\" (line 3)");
  EXPECT_EQ(evidence_for("The capital is Paris.", direct_answer),
            "line 1: \"The capital is Paris.\"");
}

TEST(Heuristics, CountErrorLines) {
  const auto found = look("error: a\nfine\n\n- fatal: b\n\n`error: c`\n\n```\nerror: d\n```\n");
  EXPECT_EQ(found.error_line_count, 2U);
  EXPECT_THAT(found.error_lines, ElementsAre("line 1: error: a", "line 4: fatal: b"));
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "error: x\n";
  const auto all = look(many);
  EXPECT_EQ(all.error_line_count, 1000U);
  EXPECT_EQ(all.error_lines.size(), 5U);
}

TEST(Heuristics, FindAnErrorBehindAPartOfAWord) {
  EXPECT_EQ(look("NoPermission denied: permission denied").error_line_count, 1U);
  EXPECT_EQ(look("NoPermission denied").error_line_count, 0U);
}

TEST(Heuristics, TakeALiteralTickForNoCode) {
  EXPECT_EQ(look("A \\` quotes.\n`error: x` is what it said.").error_line_count, 0U);
}

TEST(Heuristics, TellThatThereIsAProgram) {
  EXPECT_TRUE(look("```go\nx := 1\n```").has_program);
  EXPECT_FALSE(look("```json\n{}\n```").has_program);
  EXPECT_FALSE(look("```\nx\n```").has_program);
}

TEST(Heuristics, TakeOtherWords) {
  Words::Lists lists;
  lists[static_cast<std::size_t>(WordList::next_steps)] = {"ensuite"};
  const Words own(lists, trace::ErrorPatterns({}));
  EXPECT_TRUE(look_at({"Ensuite, lancez les tests.", {}}, own)[next_steps].holds);
  EXPECT_FALSE(look_at({"As a next step, test it.", {}}, own)[next_steps].holds);
}

// What is shown of an answer is one line that a terminal can show.
TEST(Heuristics, ShowNothingHarmful) {
  const std::string hostile =
      "# \x1b[31m\xFF" + std::string(500, 'x') + "\n\nerror: \x1b]0;x\x07\n";
  const auto found = look(hostile);
  for (const auto& row : found.rows)
    for (const auto& text : row.evidence) {
      EXPECT_EQ(text.find_first_of("\x1b\n\x07"), std::string::npos);
      EXPECT_LT(text.size(), 400U);
    }
}

TEST(Heuristics, TakeVeryLongAnswers) {
  const std::string part = "A sentence of an answer that does not end. ```inline``` and more.\n\n";
  const auto found = look(repeated(part, (std::size_t{50} << 20) / part.size()), "Answer as JSON.");
  EXPECT_TRUE(found[explanation].holds);
  EXPECT_THAT(fmt::format("{}", fmt::join(found[direct_answer].evidence, "; ")),
              HasSubstr("only the first 8 MB were checked"));
}

TEST(Heuristics, TakeManyFences) {
  const auto found = look(repeated("```py\nx = (\n```\n", 100'000));
  EXPECT_FALSE(found[syntax].holds);
  EXPECT_EQ(found[syntax].evidence.size(), 5U);
  EXPECT_TRUE(look(repeated("```\n", 100'000))[no_obvious_error].holds);
}

TEST(Heuristics, SayWhatWasNotJudged) {
  const auto block = [](std::string_view code) { return fmt::format("```js\n{}\n```\n\n", code); };
  const std::string hidden = block(repeated("(", 68 << 10)), good = block("f();");
  EXPECT_EQ(evidence_for(hidden, syntax), "1 block not judged: too long or too hard to parse");
  EXPECT_EQ(evidence_for(good + hidden + hidden + good, syntax),
            "2 blocks parse; 2 blocks not judged: too long or too hard to parse");
  // Beyond what is parsed of an answer.
  EXPECT_EQ(
      evidence_for(repeated(block(repeated("const total = compute(price, amount);\n", 1'300)), 6),
                   syntax),
      "5 blocks parse; 1 block not judged: too long or too hard to parse");
  EXPECT_EQ(evidence_for(good + "```ruby\nx\n```", syntax), "1 block parses");
  EXPECT_TRUE(look(hidden)[syntax].holds);
}

// Code that is not labelled is tried in each language that the prompt names: it can be the same
// code again and again, and counts as often.
TEST(Heuristics, ParseNoMoreForAPromptThanForAnAnswer) {
  const std::string block = "```\n" + repeated("] x (\n", 5'000) + "```\n\n";
  const auto holds = [&](std::size_t blocks) {
    return look(repeated(block, blocks),
                "Write it in Python, JavaScript, TypeScript, C, C++, Rust, Go, Java and "
                "Bash.")[follows_instructions]
        .holds;
  };
  EXPECT_FALSE(holds(1));
  EXPECT_TRUE(holds(10)) << "which cannot be told";
}

TEST(Heuristics, AreTheSameFromManyThreads) {
  const auto answers = test::labelled_answers(VIBE_TEST_DATA "/cases/answers");
  const auto want = test::confusions(answers, words());
  std::vector<std::thread> threads;
  std::vector<int> same(4, 0);
  for (std::size_t t = 0; t < same.size(); ++t)
    threads.emplace_back([&, t] { same[t] = test::confusions(answers, words()) == want; });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(4, 1));
}

struct StructureCase {
  const char* name;
  const char* text;
  trace::Structure want;
};
const StructureCase kStructures[] = {
    {"plain", "Just a sentence.", {}},
    {"header", "# Title\n\ntext", {.headers = true}},
    {"no_space_no_header", "#hashtag", {}},
    {"list", "- one\n- two", {.lists = true}},
    {"numbered", "1. one\n2) two", {.lists = true}},
    {"nested_list", "text\n   * one", {.lists = true}},
    {"year_is_no_list", "2024 was good", {}},
    {"emphasis_is_no_list", "*very* good", {}},
    {"code", "```py\n# no header\n- no list\n```\n", {.code_blocks = true}},
    {"after_code", "~~~\nx\n~~~\n## yes", {.headers = true, .code_blocks = true}},
    {"unclosed", "```\n# no\n", {.code_blocks = true}},
    {"longer_fence", "````\n```\n# no\n````\n- yes", {.lists = true, .code_blocks = true}},
    {"inline_code", "use ```x``` here", {}},
    {"empty", "", {}},
};
class Structures : public testing::TestWithParam<StructureCase> {};
TEST_P(Structures, AreToldAlikeAloneAndByTheRules) {
  EXPECT_EQ(structure_of(GetParam().text), GetParam().want);
  const AnswerFindings found = look_at({GetParam().text, ""}, default_rubric().words);
  EXPECT_EQ(found[Heuristic::headers].holds, GetParam().want.headers);
  EXPECT_EQ(found[Heuristic::lists].holds, GetParam().want.lists);
  EXPECT_EQ(found[Heuristic::code_blocks].holds, GetParam().want.code_blocks);
}
INSTANTIATE_TEST_SUITE_P(Heuristics, Structures, testing::ValuesIn(kStructures),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace vibe::fitness
