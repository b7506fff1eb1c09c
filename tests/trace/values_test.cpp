#include "trace/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vibe::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Found {
  std::vector<std::string> objects;  // their `n`
  std::vector<std::uint64_t> lines, bad;
  std::uint64_t bad_count = 0;
  bool failed = false;
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
  out.failed = values.failure().has_value();
  return out;
}

struct Case {
  std::string name, text;
  std::vector<std::string> objects;
  std::vector<std::uint64_t> lines, bad;
};

const Case kCases[] = {
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
    {"nothing", "", {}, {}, {}},
    {"lone_surrogates", "{\"n\":\"\\udc9d\"}\n", {"\"\xEF\xBF\xBD\""}, {1}, {}},
    {"not_a_number", "{\"n\":[NaN,-Infinity,\"NaN\"]}\n", {"[null,null,\"NaN\"]"}, {1}, {}},
    {"bytes_that_are_not_utf8", "{\"n\":\"a\xFF\"}\n", {"\"a\xEF\xBF\xBD\""}, {1}, {1}},
    {"control_characters", "{\"n\":\"a\x1b[0m\"}\n", {"\"a\\u001b[0m\""}, {1}, {}},
    {"brackets_in_texts", "{\"n\":\"}{\\\"\"}{\"n\":2}\n", {"\"}{\\\"\"", "2"}, {1, 1}, {}},
};

class Logs : public testing::TestWithParam<Case> {};

TEST_P(Logs, GiveTheirObjects) {
  for (const std::size_t at_once : {std::size_t{1} << 20, std::size_t{7}, std::size_t{1}}) {
    const Found found = find(GetParam().text, at_once);
    EXPECT_EQ(found.objects, GetParam().objects) << at_once;
    EXPECT_EQ(found.lines, GetParam().lines) << at_once;
    EXPECT_EQ(found.bad, GetParam().bad) << at_once;
    EXPECT_FALSE(found.failed);
  }
}

INSTANTIATE_TEST_SUITE_P(Values, Logs, testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.name; });

TEST(Values, PassOverALineThatIsTooLong) {
  const std::string text =
      "{\"n\":1}\n{\"n\":2,\"t\":\"" + std::string(3 << 20, 'x') + "\"}\n{\"n\":3}\n";
  const Found found = find(text, 1 << 16, 1 << 20);
  EXPECT_THAT(found.objects, ElementsAre("1", "3"));
  EXPECT_THAT(found.bad, ElementsAre(2u));
  EXPECT_TRUE(found.failed);
}

TEST(Values, EndAtAnObjectThatIsTooLong) {
  std::string text = "{\n";
  while (text.size() < 3u << 20) text += "  \"t\": 1,\n";
  const Found found = find(text, 1 << 16, 1 << 20);
  EXPECT_THAT(found.objects, IsEmpty());
  EXPECT_TRUE(found.failed);
}

TEST(Values, CountBadLinesBeyondThoseShown) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "no JSON\n";
  const Found found = find(text);
  EXPECT_EQ(found.bad_count, 100u);
  EXPECT_EQ(found.bad.size(), BadLines::kMostShown);
}

}  // namespace
}  // namespace vibe::trace
