#include "trace/values.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vibe::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Found {
  std::vector<std::string> objects;  // their `n`
  std::vector<std::uint64_t> lines, bad;
  std::uint64_t bad_count = 0, looked_at = 0;
  bool failed = false;
  std::string problem;
};

// Gives `most` bytes at a time, so that objects lie across pieces.
class Slow final : public base::ByteSource {
 public:
  Slow(std::string_view text, std::size_t most) : text_(text), most_(most) {}
  base::Result<std::size_t> read(char* to, std::size_t most) override {
    const std::size_t count = std::min({most, most_, text_.size()});
    text_.copy(to, count);
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
  std::size_t most_;
};

Found find(std::string_view text, std::size_t at_once = 1 << 20, std::size_t most = 1 << 20) {
  Slow source(text, at_once);
  Values values(source, most);
  Found out;
  for (Json value = values.next(); value.there(); value = values.next()) {
    out.objects.push_back(value["n"].dump(100));
    out.lines.push_back(values.line());
    EXPECT_TRUE(values.text().starts_with('{') && values.text().ends_with('}'));
  }
  out.bad = values.bad_lines().first;
  out.bad_count = values.bad_lines().count;
  out.looked_at = values.looked_at();
  out.failed = values.failure().has_value();
  if (out.failed) out.problem = values.failure()->all().front().message;
  return out;
}

struct LogCase {
  std::string name, text;
  std::vector<std::string> objects;
  std::vector<std::uint64_t> lines, bad;
};

const LogCase kLogCases[] = {
    {"one_to_a_line", "{\"n\":1}\n{\"n\":2}\n", {"1", "2"}, {1, 2}, {}},
    {"without_a_last_break", "{\"n\":1}\n{\"n\":2}", {"1", "2"}, {1, 2}, {}},
    {"windows_breaks", "{\"n\":1}\r\n\r\n{\"n\":2}\r\n", {"1", "2"}, {1, 3}, {}},
    {"byte_order_mark", "\xEF\xBB\xBF{\"n\":1}\n", {"1"}, {1}, {}},
    {"glued", "{\"n\":1}{\"n\":2} {\"n\":3}\n{\"n\":4}\n", {"1", "2", "3", "4"}, {1, 1, 1, 2}, {}},
    {"an_array", "[{\"n\":1},{\"n\":2}]", {"1", "2"}, {1, 1}, {}},
    {"an_array_over_lines",
     "[\n  {\n    \"n\": 1\n  },\n  {\n    \"n\": {\"a\": [1]}\n  }\n]\n",
     {"1", "{\"a\":[1]}"},
     {2, 5},
     {}},
    {"indented", "{\n  \"n\": 1\n}\n{\n  \"n\": 2\n}\n", {"1", "2"}, {1, 4}, {}},
    {"not_indented", "{\n\"n\": [\n{\n\"a\": 1\n}\n]\n}\n", {"[{\"a\":1}]"}, {1}, {}},
    {"comments_and_empty_lines", "// begin\n\n{\"n\":1}\n", {"1"}, {3}, {}},
    {"bare_values", "5\n\"text\"\nnull\n{\"n\":1}\n", {"1"}, {4}, {1, 2, 3}},
    {"conflict_markers",
     "<<<<<<< HEAD\n{\"n\":1}\n=======\n{\"n\":2}\n>>>>>>> x\n",
     {"1", "2"},
     {2, 4},
     {1, 3, 5}},
    {"torn_in_a_text", "{\"n\":1,\"t\":\"abc\n{\"n\":2}\n", {"2"}, {2}, {1}},
    {"torn_between_members", "{\"n\":1,\n{\"n\":2}\n", {"2"}, {2}, {1}},
    {"torn_at_the_end", "{\"n\":1}\n{\"n\":2,\"t\":{\"a\"", {"1"}, {1}, {2}},
    {"torn_and_written_on",
     "{\"n\":1,\"t\":\"ab{\"n\":2,\"t\":\"c\"}\n{\"n\":3}\n",
     {"2", "3"},
     {1, 2},
     {1}},
    {"members_of_what_is_torn_are_no_objects",
     "{\"n\":1,\"t\":{\"n\":2\n{\"n\":3}\n",
     {"3"},
     {2},
     {1}},
    {"interleaved",
     "{\n  \"n\": 1,\n{\n  \"n\": 2\n  \"x\": 1\n}\n}\n{\n  \"n\": 3\n}\n",
     {"3"},
     {8},
     {1, 3}},
    {"an_element_over_lines_that_is_torn",
     "[\n  {\n    \"n\": 1,\n  {\n    \"n\": 2\n  },\n  {\n    \"n\": \"3\n  {\n    \"n\": 4\n  "
     "}\n]\n",
     {"2", "4"},
     {4, 9},
     {2, 7}},
    {"members_of_a_torn_line_are_no_objects",
     "{\"n\":1,\"t\":{\"a\":[{\"n\":2}],\"x\":\"torn\n{\"n\":3}\n",
     {"3"},
     {2},
     {1}},
    {"nor_at_its_end", "{\"n\":1,\"t\":[{\"n\":2},{\"n\":3}\n{\"n\":4}\n", {"4"}, {2}, {1}},
    {"nor_in_something_garbled", "{\"n\":1,\"t\" {\"n\":2}}\n{\"n\":4}\n", {"4"}, {2}, {1}},
    {"torn_and_written_on_with_members",
     "{\"n\":1,\"t\":[1{\"n\":2,\"t\":[{\"n\":3},{\"n\":4}]}{\"n\":5}\n",
     {"2", "5"},
     {1, 1},
     {1}},
    {"torn_three_times",
     "{\"n\":1,\"t\":\"a{\"n\":2,\"t\"{\"n\":3,{\"n\":4}\n{\"n\":5}\n",
     {"4", "5"},
     {1, 2},
     {1}},
    {"several_garbled_objects_in_a_line",
     "{\"n\":x}{\"n\":2}{\"n\":y}, {\"n\":4} 5 {\"n\":6}\n{\"n\":7}\n",
     {"2", "4", "7"},
     {1, 1, 2},
     {1}},
    {"bytes_that_are_not_utf8_twice_in_a_line",
     "{\"n\":\"\xFF\"}{\"n\":\"\xFF\"}\n",
     {"\"\xEF\xBF\xBD\"", "\"\xEF\xBF\xBD\""},
     {1, 1},
     {1}},
    {"nothing", "", {}, {}, {}},
    {"lone_surrogates", "{\"n\":\"\\udc9d\"}\n", {"\"\xEF\xBF\xBD\""}, {1}, {}},
    {"not_a_number", "{\"n\":[NaN,-Infinity,\"NaN\"]}\n", {"[null,null,\"NaN\"]"}, {1}, {}},
    {"numbers_that_are_too_large",
     "{\"n\":[18446744073709551616,-9223372036854775809,1e400,-1E+999,\"1e400\",1e-400]}\n",
     {"[18446744073709551616,-9223372036854775808,null,null,\"1e400\",0]"},
     {1},
     {}},
    {"numbers_that_are_no_json",
     "{\"n\":018446744073709551616}\n{\"n\":1.e400}\n{\"n\":1e4001e400}\n{\"n\":--1e400}\n"
     "{\"n\":[1e400 1]}\n{\"n\":2}\n",
     {"2"},
     {6},
     {1, 2, 3, 4, 5}},
    {"bytes_that_are_not_utf8", "{\"n\":\"a\xFF\"}\n", {"\"a\xEF\xBF\xBD\""}, {1}, {1}},
    {"control_characters", "{\"n\":\"a\x1b[0m\"}\n", {"\"a\\u001b[0m\""}, {1}, {}},
    {"brackets_in_texts", "{\"n\":\"}{\\\"\"}{\"n\":2}\n", {"\"}{\\\"\"", "2"}, {1, 1}, {}},
};

class Logs : public testing::TestWithParam<LogCase> {};

TEST_P(Logs, GiveTheirObjects) {
  for (const std::size_t at_once : {std::size_t{1} << 20, std::size_t{7}, std::size_t{1}}) {
    const Found found = find(GetParam().text, at_once);
    EXPECT_EQ(found.objects, GetParam().objects) << at_once;
    EXPECT_EQ(found.lines, GetParam().lines) << at_once;
    EXPECT_EQ(found.bad, GetParam().bad) << at_once;
    EXPECT_FALSE(found.failed);
  }
}

INSTANTIATE_TEST_SUITE_P(Values, Logs, testing::ValuesIn(kLogCases),
                         [](const auto& one) { return one.param.name; });

TEST(Values, PassOverALineThatIsTooLong) {
  const std::string text =
      "{\"n\":1}\n{\"n\":2,\"t\":\"" + std::string(3 << 20, 'x') + "\"}\n{\"n\":3}\n";
  const Found found = find(text, 1 << 16, 1 << 20);
  EXPECT_THAT(found.objects, ElementsAre("1", "3"));
  EXPECT_THAT(found.bad, ElementsAre(2u));
  EXPECT_TRUE(found.failed);
}

TEST(Values, PassOverAnObjectThatIsTooLong) {
  std::string text = "{\"n\":1}\n{\n";
  while (text.size() < 3u << 20) text += "  \"t\": 1,\n";
  const Found found = find(text + "  \"n\": 2\n}\n{\"n\":3}\n", 1 << 16, 1 << 20);
  EXPECT_THAT(found.objects, ElementsAre("1", "3"));
  EXPECT_THAT(found.bad, ElementsAre(2u));
  EXPECT_EQ(found.problem, "the object that begins on line 2 is larger than 1 MiB and was skipped");
}

TEST(Values, ALineMayBeLongerThanAnObject) {
  std::string array = "[", glued;
  for (int i = 0; i < 1000; ++i) {
    array += "{\"n\":1},";
    glued += "{\"n\":1}";
  }
  for (const std::string& text : {array + "{\"n\":2}]", glued, glued + "\n" + glued}) {
    const Found found = find(text, 1 << 10, 1 << 10);
    EXPECT_GE(found.objects.size(), 1000u);
    EXPECT_EQ(found.bad_count, 0u);
    EXPECT_FALSE(found.failed);
  }
}

TEST(Values, ReadWhatIsNestedDeep) {
  const auto nested = [](std::size_t depth) {
    return "{\"n\":1,\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}\n{\"n\":2}\n";
  };
  EXPECT_THAT(find(nested(1500)).objects, ElementsAre("1", "2"));
  const Found deeper = find(nested(JsonParser::kMostDepth));
  EXPECT_THAT(deeper.objects, ElementsAre("2"));
  EXPECT_THAT(deeper.bad, ElementsAre(1u));
}

std::string times(std::size_t count, const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

struct CostCase {
  const char* name;
  std::string text;
};
class Cost : public testing::TestWithParam<CostCase> {};

// None of these is looked at more often because there is more of it.
TEST_P(Cost, GrowsWithTheSize) {
  const std::string& text = GetParam().text;
  for (const std::size_t most : {std::size_t{1} << 20, std::size_t{1} << 12}) {
    const Found found = find(text, 1 << 16, most);
    EXPECT_LE(found.looked_at, 8 * text.size()) << most;
    EXPECT_LE(found.bad_count,
              1 + static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Values, Cost,
    testing::Values(
        CostCase{"open_arrays", times(5000, "{\"a\":[\n")},
        CostCase{"open_objects", times(5000, "{\"a\":{\n")},
        CostCase{"indented_open_objects", times(5000, "  {\n    \"a\": 1,\n")},
        CostCase{"open_in_turn", times(5000, "{\"a\":[\n  [{\"a\":[\n {\n\n{\"n\":1},\n")},
        CostCase{"open_arrays_and_objects", times(2000, "{\"a\":[\n{\"n\":1}\n")},
        CostCase{"closed_but_no_json", times(5000, "{\"a\":[\n") + times(5000, "}x]\n")},
        CostCase{"elements_without_indents", "{\"n\":[\n" + times(5000, "{\"a\":1},\n") + "1]}"},
        CostCase{"glued", times(20000, "{\"n\":1}")},
        CostCase{"an_array", "[" + times(20000, "{\"n\":1},") + "{}]"},
        CostCase{"glued_and_torn", times(20000, "{\"n\":\"")},
        CostCase{"glued_and_open", times(20000, "{\"n\":")},
        CostCase{"glued_and_garbled", times(20000, "{\"n\":x}")},
        CostCase{"glued_with_long_keys", times(500, "{\"" + std::string(300, 'n') + "\"")},
        CostCase{"spaces", "{\"n\":1}" + times(20000, "  \n ") + "{\"n\":1,\n" + times(20000, " ")},
        CostCase{"spaces_after_a_torn_line", "{\"n\":1{\"n\":2}" + times(20000, " ") + "x\n"}),
    [](const auto& one) { return one.param.name; });

TEST(Values, CountBadLinesBeyondThoseShown) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "no JSON\n";
  const Found found = find(text);
  EXPECT_EQ(found.bad_count, 100u);
  EXPECT_EQ(found.bad.size(), BadLines::kMostShown);
}

}  // namespace
}  // namespace vibe::trace
