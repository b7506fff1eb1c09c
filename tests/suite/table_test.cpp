#include "suite/table.h"

#include <gtest/gtest.h>

#include "suite/expectations.h"

namespace vibe::suite {

namespace {

using test::load_text;

// A suite whose only eval takes its cases from a file with this text.
std::shared_ptr<const Table> read_table(const std::string& name, const std::string& text) {
  LoadOptions options;
  options.read_file = [&](const std::string&) -> base::Result<std::string> { return text; };
  auto loaded = load_text("metadata: {name: s, model: a/b}\nevals:\n- {prompt: p, cases: " + name +
                              ", checks: {match: a}}\n",
                          options);
  EXPECT_FALSE(loaded.found.failed()) << base::render(loaded.found);
  return loaded.suite ? loaded.suite->evals[0].cases : nullptr;
}

std::string dump(const Table& table) {
  std::string out;
  for (const auto& column : table.columns()) out += "<" + column + ">";
  for (std::size_t row = 0; row < table.rows(); ++row) {
    out += "\n";
    for (std::size_t column = 0; column < table.columns().size(); ++column)
      out += "<" + std::string(table.cell(row, column)) + ">";
  }
  return out;
}

struct FileCase {
  const char* name;
  const char* file;
  std::string text, want;
};

class CasesFile : public testing::TestWithParam<FileCase> {};

TEST_P(CasesFile, Holds) {
  const auto table = read_table(GetParam().file, GetParam().text);
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(dump(*table), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Csv, CasesFile,
    testing::Values(FileCase{"plain", "c.csv", "a,b\n1,2\n3,4\n", "<a><b>\n<1><2>\n<3><4>"},
                    FileCase{"no_last_line_break", "c.csv", "a,b\n1,2", "<a><b>\n<1><2>"},
                    FileCase{"crlf_and_bom", "c.csv",
                             "\xEF\xBB\xBF"
                             "a,b\r\n1,2\r\n",
                             "<a><b>\n<1><2>"},
                    FileCase{"quotes", "c.csv", "a,b\n\"x, \"\"y\"\"\",\"line\r\nbreak\"\n",
                             "<a><b>\n<x, \"y\"><line\r\nbreak>"},
                    FileCase{"empty_cells", "c.csv", "a,b\n,\n\"\",x\n", "<a><b>\n<><>\n<><x>"},
                    FileCase{"blank_lines", "c.csv", "\na\n\n1\n\r\n2\n", "<a>\n<1>\n<2>"},
                    FileCase{"spaces_stay", "c.csv", "a\n 1 \n", "<a>\n< 1 >"},
                    FileCase{"lone_cr_is_text", "c.csv", "a\nx\ry\n", "<a>\n<x\ry>"}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Jsonl, CasesFile,
    testing::Values(FileCase{"types", "c.jsonl",
                             "{\"a\": \"x\", \"b\": 1.50}\n{\"a\": true, \"b\": -2e5}\n",
                             "<a><b>\n<x><1.50>\n<true><-2e5>"},
                    FileCase{"any_order", "c.jsonl", "{\"a\":1,\"b\":2}\n{\"b\":4,\"a\":3}",
                             "<a><b>\n<1><2>\n<3><4>"},
                    FileCase{"escapes", "c.jsonl", "{\"\\u0061\": \"\\ud83d\\ude42\\n\\\"\"}\n",
                             "<a>\n<🙂\n\">"},
                    FileCase{"crlf_bom_and_blank_lines", "c.jsonl",
                             "\xEF\xBB\xBF{\"a\": 1}\r\n\r\n \n{\"a\": 2}\r\n", "<a>\n<1>\n<2>"}),
    [](const auto& row) { return row.param.name; });

TEST(Table, FindsColumns) {
  const auto table = read_table("c.csv", "id,x\nfr,1\njp,2\n");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->find("x"), 1u);
  EXPECT_EQ(table->find("y"), std::nullopt);
}

// The rows of a hostile file are not compared with each of a million columns.
TEST(Table, ManyColumnsAndShortRowsAreLinear) {
  std::string text = "{\"c0\":1";
  for (int i = 1; i < 300'000; ++i) text += ",\"c" + std::to_string(i) + "\":1";
  text += "}\n";
  for (int i = 0; i < 90'000; ++i) text += "{\"c0\":1}\n";
  LoadOptions options;
  options.read_file = [&](const std::string&) -> base::Result<std::string> { return text; };
  const auto loaded = load_text(
      "metadata: {name: s, model: a/b}\nevals:\n- {prompt: p, cases: c.jsonl, checks: {match: "
      "a}}\n",
      options);
  EXPECT_EQ(loaded.found.errors(), 90'000u);
}

TEST(Table, AFileIsReadOnceAndShared) {
  int reads = 0;
  LoadOptions options;
  options.read_file = [&](const std::string&) -> base::Result<std::string> {
    ++reads;
    return "a\n1\n";
  };
  const auto loaded = load_text(
      "metadata: {name: s, model: a/b}\nevals:\n- {prompt: p, cases: c.csv, checks: {match: a}}\n"
      "- {prompt: p, cases: c.csv, checks: {match: a}}\n",
      options);
  ASSERT_TRUE(loaded.suite);
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(loaded.suite->evals[0].cases, loaded.suite->evals[1].cases);
}

TEST(Table, WithoutAFunctionFilesAreRefused) {
  const auto loaded = load_text(
      "metadata: {name: s, model: a/b}\nevals:\n- {prompt: p, cases: c.csv, checks: {match: a}}\n");
  ASSERT_EQ(loaded.found.all().size(), 1u);
  EXPECT_EQ(loaded.found.all()[0].code, base::Code::unreadable_cases);
}

struct PathCase {
  const char* name;
  const char *suite, *cases, *want;
};

class CasesPath : public testing::TestWithParam<PathCase> {};

TEST_P(CasesPath, IsReadAndReported) {
  LoadOptions options;
  std::string read;
  options.read_file = [&](const std::string& path) -> base::Result<std::string> {
    read = path;
    return "";
  };
  base::Diagnostics found;
  EXPECT_FALSE(
      load(base::make_source(GetParam().suite,
                             "metadata: {name: s, model: a/b}\nevals:\n- {prompt: p, "
                             "cases: " +
                                 std::string(GetParam().cases) + ", checks: {match: a}}\n"),
           options, found));
  EXPECT_EQ(read, GetParam().want);
  ASSERT_EQ(found.all().size(), 1u);
  EXPECT_EQ(found.all()[0].source->name(), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Table, CasesPath,
    testing::Values(PathCase{"beside_the_suite", "a/b/suite.yaml", "t/c.csv", "a/b/t/c.csv"},
                    PathCase{"in_the_folder_at_hand", "suite.yaml", "t/c.csv", "t/c.csv"},
                    PathCase{"in_the_root", "/suite.yaml", "c.csv", "/c.csv"},
                    PathCase{"absolute", "a/suite.yaml", "/t/c.csv", "/t/c.csv"},
                    PathCase{"standard_input", "<stdin>", "t/c.csv", "t/c.csv"}),
    [](const auto& row) { return row.param.name; });

}  // namespace

}  // namespace vibe::suite
