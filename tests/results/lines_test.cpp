// Results of other harnesses, line by line.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

#include "results/results.h"

namespace vibe::results {

using score::Samples;

namespace {

struct ReadLines {
  bool ok = false;
  Samples samples;
  base::Diagnostics diagnostics;
};

ReadLines read_lines(const std::string& text) {
  std::string path = testing::TempDir() + "results-XXXXXX";
  const int fd = mkstemp(path.data());
  std::FILE* file = fdopen(fd, "w");
  EXPECT_EQ(std::fwrite(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  ReadLines out;
  out.ok = results::read(path, {}, out.samples, out.diagnostics);
  unlink(path.c_str());
  return out;
}

// Each of these takes hours unless the time grows with the file alone.
TEST(ResultLines, HostileLinesAreLinear) {
  constexpr int kMany = 200'000;
  std::string tags, twice;
  for (int i = 0; i < kMany; ++i) {
    tags += (i > 0 ? ",\"t" : "\"t") + std::to_string(i) + "\"";
    twice += ",\"cost\":1";
  }
  const auto tagged = read_lines("{\"name\":\"a\",\"passed\":true,\"tags\":[" + tags + "]}\n");
  ASSERT_TRUE(tagged.ok);
  EXPECT_EQ(tagged.samples.evals()[1].tags.size(), static_cast<std::size_t>(kMany));

  const auto repeated = read_lines("{\"passed\":true" + twice + "}\n");
  EXPECT_EQ(repeated.diagnostics.errors(), 1u);

  std::string bad = "{\"passed\":true}\n";
  for (int i = 0; i < kMany; ++i) bad += "x\n";
  EXPECT_EQ(read_lines(bad).diagnostics.errors(), static_cast<std::size_t>(kMany));
}

struct Bad {
  const char* name;
  std::string text;
  base::Code code;
  std::uint32_t line;
  std::string marked;  // the characters under the carets
  std::string message;
};

class BadResults : public testing::TestWithParam<Bad> {};

TEST_P(BadResults, AreAnErrorAtTheirPlace) {
  const auto& row = GetParam();
  const ReadLines seen = read_lines(row.text);
  EXPECT_FALSE(seen.ok);
  ASSERT_EQ(seen.diagnostics.all().size(), 1u) << base::render(seen.diagnostics);
  const auto& d = seen.diagnostics.all()[0];
  EXPECT_EQ(d.code, row.code);
  EXPECT_EQ(d.message, row.message);
  ASSERT_NE(d.source, nullptr);
  EXPECT_EQ(d.source->position(d.span.begin).line, row.line);
  EXPECT_EQ(d.source->text().substr(d.span.begin, d.span.end - d.span.begin), row.marked);
}

TEST(BadResults, AllFieldsOfALineAreLookedAt) {
  const ReadLines seen = read_lines(R"({"name": 5, "passed": true, "tags": ["a", 7]})");
  ASSERT_EQ(seen.diagnostics.all().size(), 2u) << base::render(seen.diagnostics);
  EXPECT_EQ(seen.diagnostics.all()[1].message, "`tags` contains a number, not a string");
}

using enum base::Code;
const std::string kGood = R"({"passed": true})";
const std::string kStructure =
    "the line is not JSON: a comma, colon, quote or bracket is missing or misplaced";

INSTANTIATE_TEST_SUITE_P(
    Lines, BadResults,
    testing::Values(
        Bad{"nan", R"({"passed": true, "latency": NaN})", bad_result_line, 1, "NaN",
            "`NaN` is not JSON"},
        Bad{"minus_infinity", R"({"passed": true, "cost": -Infinity})", bad_result_line, 1,
            "-Infinity", "`-Infinity` is not JSON"},
        Bad{"python", kGood + "\n" + R"({"passed": True})", bad_result_line, 2, "True",
            "`True` is not JSON"},
        Bad{"a_word_in_a_string_is_not_it", R"({"name": "NaN inf", "passed": tru})",
            bad_result_line, 1, "tru", "`tru` is not JSON"},
        Bad{"single_quotes", "{'passed': true}", bad_result_line, 1, "'",
            "JSON has no single quotes"},
        Bad{"too_large", R"({"passed": true, "cost": 1e999})", bad_result_line, 1, "1e999",
            "`1e999` is not a number, or is too large"},
        Bad{"not_a_number", R"({"passed": true, "cost": 1.2.3})", bad_result_line, 1, "1.2.3",
            "`1.2.3` is not a number, or is too large"},
        Bad{"truncated", "\n" + kGood + "\n" + R"({"passed": true)", bad_result_line, 3,
            R"({"passed": true)", kStructure},
        Bad{"two_objects", kGood + " " + kGood, bad_result_line, 1, kGood + " " + kGood,
            kStructure},
        Bad{"comma", R"({"passed": true,})", bad_result_line, 1, R"({"passed": true,})",
            kStructure},
        Bad{"open_string", R"({"passed": true, "name": "x})", bad_result_line, 1,
            R"({"passed": true, "name": "x})", "the line is not JSON: a string is not closed"},
        Bad{"bad_escape", R"({"passed": true, "name": "\x"})", bad_result_line, 1,
            R"({"passed": true, "name": "\x"})",
            "the line is not JSON: a string contains a malformed escape"},
        Bad{"raw_control_character", "{\"passed\": true, \"name\": \"a\x01z\"}", bad_result_line, 1,
            "{\"passed\": true, \"name\": \"a\x01z\"}",
            "the line is not JSON: a string contains a raw control character"},
        Bad{"nul", std::string("{\"passed\": true\0}", 17), bad_result_line, 1,
            std::string("{\"passed\": true\0}", 17), kStructure},
        Bad{"invalid_utf8", "{\"passed\": true, \"name\": \"\xff\"}", bad_result_line, 1, "\xff",
            "the line is not UTF-8 text"},
        Bad{"deep",
            R"({"passed": true, "x": )" + std::string(2000, '[') + std::string(2000, ']') + "}",
            bad_result_line, 1,
            (R"({"passed": true, "x": )" + std::string(2000, '[') + std::string(2000, ']') + "}")
                .substr(0, 4096),
            "the line is not JSON: it is nested too deeply"},
        Bad{"list", "[1]", bad_result_line, 1, "[1]", "the line is a list, not an object"},
        Bad{"number", "5", bad_result_line, 1, "5", "the line is a number, not an object"},
        Bad{"text", " \"x\" ", bad_result_line, 1, "\"x\"", "the line is a string, not an object"},
        Bad{"null", "null", bad_result_line, 1, "null", "the line is null, not an object"},
        Bad{"array_over_lines", "[\n{\"passed\": 1},\n]\n", bad_result_line, 1, "[",
            "the file is one JSON document over several lines"},
        Bad{"object_over_lines", "{\n\"passed\": 1\n}\n", bad_result_line, 1, "{",
            "the file is one JSON document over several lines"},
        Bad{"empty", "", no_results, 1, "", "the file has no results"},
        Bad{"blank", "\n \t\r\n\n", no_results, 1, "", "the file has no results"}),
    [](const auto& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Fields, BadResults,
    testing::Values(
        Bad{"missing_passed", R"({"name": "a"})", bad_result_field, 1, R"({"name": "a"})",
            "`passed` is missing"},
        Bad{"null_passed", R"({"passed": null})", bad_result_field, 1, R"("passed": null)",
            "`passed` is null, not true or false"},
        Bad{"number_passed", R"({"passed": 1})", bad_result_field, 1, R"("passed": 1)",
            "`passed` is a number, not true or false"},
        Bad{"nested_name", R"({"passed": true, "name": {"a": "b, }"}})", bad_result_field, 1,
            R"("name": {"a": "b, }"})", "`name` is an object, not a string"},
        Bad{"long_name", R"({"passed": true, "name": ")" + std::string(129, 'x') + "[1]\"}",
            bad_result_field, 1, "\"name\": \"" + std::string(129, 'x') + "[1]\"",
            "`name` is 129 bytes long; the limit is 128"},
        Bad{"escape_in_name", R"({"passed": true, "name": "a\u001b"})", bad_result_field, 1,
            R"("name": "a\u001b")", "`name` contains a control character"},
        Bad{"negative_latency", R"({"passed": true, "latency": -0.5})", bad_result_field, 1,
            R"("latency": -0.5)", "`latency` is negative"},
        Bad{"text_cost", R"({"passed": true, "cost": "1"})", bad_result_field, 1, R"("cost": "1")",
            "`cost` is a string, not a number"},
        Bad{"a_value_that_reads_as_the_key", R"({"name": "cost", "passed": true, "cost": -1})",
            bad_result_field, 1, R"("cost": -1)", "`cost` is negative"},
        Bad{"an_escaped_key", R"({"passed": true, "c\u006fst" : -1 })", bad_result_field, 1,
            R"("c\u006fst" : -1)", "`cost` is negative"},
        Bad{"the_outer_key", R"({"x": {"cost": 1}, "passed": true, "cost": -1})", bad_result_field,
            1, R"("cost": -1)", "`cost` is negative"},
        Bad{"half_a_token", R"({"passed": true, "prompt_tokens": 1.5})", bad_result_field, 1,
            R"("prompt_tokens": 1.5)", "`prompt_tokens` is not a whole number"},
        Bad{"negative_tokens", R"({"passed": true, "completion_tokens": -1})", bad_result_field, 1,
            R"("completion_tokens": -1)", "`completion_tokens` is negative"},
        Bad{"bool_tokens", R"({"passed": true, "completion_tokens": true})", bad_result_field, 1,
            R"("completion_tokens": true)", "`completion_tokens` is true or false, not a number"},
        Bad{"too_much_quality", R"({"passed": true, "output_quality": 1.01})", bad_result_field, 1,
            R"("output_quality": 1.01)", "`output_quality` is more than 1"},
        Bad{"too_much_structure", R"({"passed": true, "structure_score": 2})", bad_result_field, 1,
            R"("structure_score": 2)", "`structure_score` is more than 1"},
        Bad{"too_fit", R"({"passed": true, "fitness": 100.5})", bad_result_field, 1,
            R"("fitness": 100.5)", "`fitness` is more than 100"},
        Bad{"negative_fitness", R"({"passed": true, "fitness": -1})", bad_result_field, 1,
            R"("fitness": -1)", "`fitness` is negative"},
        Bad{"text_tags", R"({"passed": true, "tags": "x"})", bad_result_field, 1, R"("tags": "x")",
            "`tags` is a string, not a list of strings"},
        Bad{"number_in_tags", R"({"passed": true, "tags": ["a", 3], "cost": 1})", bad_result_field,
            1, R"("tags": ["a", 3])", "`tags` contains a number, not a string"},
        Bad{"twice", R"({"passed": true, "passed": false})", bad_result_field, 1,
            R"("passed": false)", "`passed` appears twice in the line"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Results, EveryBadLineIsReported) {
  const ReadLines seen = read_lines("{}\n" + kGood + "\n5\n{\"passed\": 1, \"cost\": -1}\n");
  EXPECT_FALSE(seen.ok);
  EXPECT_EQ(seen.diagnostics.errors(), 4u);
}

TEST(Results, ManyBadLinesAreCountedNotKept) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "{}\n";
  const ReadLines seen = read_lines(text);
  EXPECT_EQ(seen.diagnostics.errors(), 3000u);
  EXPECT_EQ(seen.diagnostics.all().size(), base::Diagnostics::kMost);
}

TEST(Results, ALineOverTheLimit) {
  const ReadLines seen = read_lines(kGood + "\n\"" + std::string(20u << 20, 'x') + "\"\n");
  EXPECT_FALSE(seen.ok);
  ASSERT_EQ(seen.diagnostics.all().size(), 1u);
  EXPECT_EQ(seen.diagnostics.all()[0].code, base::Code::too_large);
  EXPECT_NE(seen.diagnostics.all()[0].message.find("line 2"), std::string::npos);
}

TEST(Results, ALongBrokenLineIsReadInTime) {
  std::string text = "{\"passed\": true, \"x\": [";
  for (int i = 0; i < 4'000'000; ++i) text += "1,";
  EXPECT_FALSE(read_lines(text).ok);
}

TEST(Results, AreReadWithMarksBlanksAndUnknownFields) {
  const ReadLines seen = read_lines(
      "\xEF\xBB\xBF{\"passed\": true}\r\n\r\n  \n"
      "{\"model\": \"x\", \"nested\": {\"passed\": 5}, \"passed\": false, \"latency\": null}");
  ASSERT_TRUE(seen.ok) << base::render(seen.diagnostics);
  EXPECT_EQ(seen.samples.size(), 2u);
  EXPECT_EQ(seen.samples.count(Samples::kNoEval), 2u);
}

TEST(Results, AllFields) {
  const ReadLines seen = read_lines(
      R"({"name": "math[2]", "passed": true, "latency": 1.25, "cost": 0, "prompt_tokens": 1e1, "completion_tokens": 5, "tags": ["hard", "ü"], "output_quality": 0.9, "structure_score": 1, "fitness": 78.33})"
      "\n"
      R"({"name": "math", "passed": false, "latency": null, "cost": null, "prompt_tokens": null, "completion_tokens": null, "tags": null, "fitness": null})"
      "\n"
      R"({"name": null, "passed": false})"
      "\n"
      R"({"name": "[2]", "passed": false})");
  ASSERT_TRUE(seen.ok) << base::render(seen.diagnostics);
  ASSERT_EQ(seen.samples.evals().size(), 3u);
  EXPECT_EQ(seen.samples.evals()[1].name, "math");
  EXPECT_EQ(seen.samples.evals()[1].tags, (std::vector<std::string>{"hard", "ü"}));
  EXPECT_EQ(seen.samples.evals()[2].name, "[2]");
  EXPECT_EQ(seen.samples.count(1), 2u);
  const auto measure = [&](formula::Statistic statistic, formula::Column column) {
    return seen.samples.measure(
        {"", statistic, column, 0, {formula::Selector::Kind::eval, "math"}});
  };
  EXPECT_EQ(measure(formula::Statistic::mean, formula::Column::passed), 0.5);
  EXPECT_EQ(measure(formula::Statistic::mean, formula::Column::latency), 1.25);
  EXPECT_EQ(measure(formula::Statistic::mean, formula::Column::total_tokens), 15);
  EXPECT_TRUE(std::isnan(measure(formula::Statistic::sum, formula::Column::total_tokens)));
  EXPECT_TRUE(std::isnan(measure(formula::Statistic::sum, formula::Column::cost)));
  EXPECT_EQ(measure(formula::Statistic::count, formula::Column::cost), 1);
  EXPECT_EQ(measure(formula::Statistic::mean, formula::Column::output_quality), 0.9);
  EXPECT_EQ(measure(formula::Statistic::mean, formula::Column::structure_score), 1);
  EXPECT_EQ(measure(formula::Statistic::mean, formula::Column::fitness), 78.33);
  EXPECT_EQ(measure(formula::Statistic::count, formula::Column::fitness), 1);
}

TEST(Results, AMissingFile) {
  Samples samples;
  base::Diagnostics out;
  EXPECT_FALSE(results::read("/nowhere/at/all.jsonl", {}, samples, out));
  EXPECT_EQ(out.all().at(0).code, base::Code::cannot_read);
}

}  // namespace

}  // namespace vibe::results
