#include "fitness/instructions.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fitness/instruction_words.h"

namespace vibe::fitness {
namespace {

std::string shown(const Form& form) {
  std::string out;
  if (form.json) out += " json";
  if (form.list) out += " list";
  if (form.table) out += " table";
  for (const auto* language : form.languages) out += fmt::format(" {}", language->name);
  if (form.any_language) out += " (any)";
  if (form.most_words) out += fmt::format(" {} words", *form.most_words);
  return out.empty() ? "" : out.substr(1);
}

struct PromptCase {
  const char *name, *prompt, *want;
};
const PromptCase kPrompts[] = {
    {"json", "Give me the settings as JSON.", "json"},
    {"json_only", "What is the port? JSON only.", "json"},
    {"json_politely", "Could you please answer in JSON?", "json"},
    {"json_vi", "Trả về cấu hình dạng JSON.", "json"},
    {"json_in_a_program", "Write a function that returns the settings as JSON.", ""},
    {"json_is_mentioned", "Why does JSON have no comments?", ""},
    {"json_as_a_topic", "Explain trailing commas in JSON files.", ""},
    {"json_of_a_file", "Read the file in JSON and tell me the port.", ""},
    {"list", "List the three primary colours.", "list"},
    {"list_of_a_number", "Please list 5 risks.", "list"},
    {"list_as_a_form", "Summarize it as a bulleted list.", "list"},
    {"list_vi", "Hãy liệt kê các bước.", "list"},
    {"how_to_list", "How do I list files?", ""},
    {"a_kind_of_list", "List comprehensions are slow here.", ""},
    {"a_list_in_code", "Reverse a linked list.", ""},
    {"table", "Compare the two plans in a table.", "table"},
    {"table_vi", "So sánh hai gói trong một bảng.", "table"},
    {"table_of_a_database", "Insert a row in a table called users.", ""},
    {"another_table_of_a_database", "Show the rows in a table named users.", ""},
    {"list_in_a_table", "List the plans in a table.", "table"},
    {"language", "Write a debounce function in JavaScript.", "JavaScript"},
    {"two_languages", "Show the call in Go and in Rust.", "Go Rust"},
    {"either_language", "Write it in Python or Ruby.", "Python Ruby (any)"},
    {"either_language_by_another_in", "Write it in Python or in Ruby.", "Python Ruby (any)"},
    {"one_of_three_languages", "Write it in Python, Go, or Rust.", "Python Go Rust (any)"},
    {"a_language_twice", "Write it in Rust. Write the tests in Rust.", "Rust"},
    {"languages_are_compared", "Give me a comparison of Python and Rust.", ""},
    {"another_language", "Translate this to C++.", "C++"},
    {"other_languages", "Port the script from Bash to Go and Rust.", "Go Rust"},
    {"another_language_vi", "Chuyển đoạn mã này sang Go.", "Go"},
    {"a_name_that_is_a_language", "Write a letter to Julia.", ""},
    {"language_vi", "Viết hàm nhân đôi bằng Java.", "Java"},
    {"language_is_mentioned", "What does yield do in Python?", ""},
    {"language_of_a_problem", "Fix the crash in Python.", ""},
    {"no_language", "Write down how to go in C minor.", ""},
    {"a_word_that_is_a_language", "Write what comes to mind in go", ""},
    {"words", "In at most ten words: what is a heap?", "10 words"},
    {"words_behind_a_verb", "Explain it in no more than 50 words.", "50 words"},
    {"words_by_in", "Describe it in one hundred words.", "100 words"},
    {"words_vi", "Giải thích trong tối đa 20 từ.", "20 words"},
    {"about_so_many_words", "Describe it in about 50 words.", ""},
    {"words_are_mentioned", "Titles have at most ten words. Is that right?", ""},
    {"in_code", "Fix this:\n\n```\nList the files as JSON.\n```\n", ""},
    {"several", "Give me the names.\n\n- Answer with JSON only.\n- Use at most 5 words.", "json"},
    {"limit_in_limit", "Answer in at most ten words.", "10 words"},
    {"limit_in_vietnamese", "Trả lời trong tối đa 10 từ.", "10 words"},
    {"nothing", "", ""},
};
class Prompts : public testing::TestWithParam<PromptCase> {};
TEST_P(Prompts, AskFor) { EXPECT_EQ(shown(form_asked_for(GetParam().prompt)), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Instructions, Prompts, testing::ValuesIn(kPrompts),
                         [](const auto& one) { return one.param.name; });

// What has no words finds nothing.
TEST(InstructionWords, AreAllThere) {
  const InstructionWords& words = instruction_words();
  for (const auto& list : {words.polite, words.verbs, words.code_verbs, words.translations,
                           words.in, words.into, words.and_, words.or_, words.programs, words.json,
                           words.table, words.list, words.json_alone, words.list_verbs,
                           words.listed, words.behind, words.most, words.within, words.units})
    EXPECT_GE(list.size(), 2u);
  EXPECT_EQ(words.numbers.at("twelve"), 12u);
  EXPECT_EQ(words.polite.front(), "i would like you to");
}

TEST(Instructions, AreFoundAtBothEndsOfALongPrompt) {
  const std::string filling(100'000, 'x');
  EXPECT_EQ(shown(form_asked_for("Answer as JSON.\n\n" + filling)), "json");
  EXPECT_EQ(shown(form_asked_for(filling + "\n\nAnswer as JSON.")), "json");
  EXPECT_EQ(shown(form_asked_for(filling + "\n\nAnswer as JSON.\n\n" + filling)), "");
}

TEST(Instructions, TakeStepsInProportionToTheirLength) {
  const auto steps_of = [](std::string_view word, int count) {
    std::string prompt = "List ";
    for (int i = 0; i < count; ++i) prompt += word;
    std::size_t steps = 0;
    form_asked_for(prompt, &steps);
    return steps;
  };
  for (const std::string_view word : {"in ", "trong ", "in at most ", "in ten ", "under in "})
    EXPECT_LE(steps_of(word, 1200), 3 * steps_of(word, 600)) << word;
}

}  // namespace
}  // namespace vibe::fitness
