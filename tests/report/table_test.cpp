// Tables, sparklines and CSV rows.
#include "report/table.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "wire/csv.h"

namespace vibe::report {

namespace {

struct FitCase {
  const char *name, *text;
  std::size_t width;
  const char* want;
};
class Fit : public testing::TestWithParam<FitCase> {};
TEST_P(Fit, Gives) { EXPECT_EQ(fit(GetParam().text, GetParam().width), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Report, Fit,
                         testing::Values(FitCase{"short_stays", "abc", 3, "abc"},
                                         FitCase{"long_is_cut", "abcd", 3, "ab…"},
                                         FitCase{"wide_takes_two_columns", "日本語", 5, "日本…"},
                                         FitCase{"wide_is_not_halved", "日本語", 4, "日…"},
                                         FitCase{"no_room", "abc", 0, ""},
                                         FitCase{"room_for_one", "abc", 1, "…"}),
                         [](const auto& row) { return row.param.name; });

TEST(Table, AlignsByWhatIsSeen) {
  Table table({{"Name"}, {"N", Align::right}});
  table.add({"日本", "1"});
  table.add({"a", "100"});
  EXPECT_EQ(table.to_text(80), "Name    N\n日本    1\na     100\n");
}

TEST(Table, NarrowsTheWidestThatMayBe) {
  Table table({{"A", Align::left, 2}, {"B", Align::left, 2}, {"C"}});
  table.add({"aaaaaaaaaa", "bbbbb", "ccc"});
  EXPECT_EQ(table.to_text(100), "A           B      C\naaaaaaaaaa  bbbbb  ccc\n");
  EXPECT_EQ(table.to_text(18), "A       B      C\naaaaa…  bbbbb  ccc\n");
  EXPECT_EQ(table.to_text(1), "A   B   C\na…  b…  ccc\n");
}

struct SparkCase {
  const char* name;
  std::vector<std::optional<double>> values;
  const char* want;
};
class Sparkline : public testing::TestWithParam<SparkCase> {};
TEST_P(Sparkline, Gives) { EXPECT_EQ(sparkline(GetParam().values), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(
    Report, Sparkline,
    testing::Values(SparkCase{"nothing", {}, ""}, SparkCase{"least_to_most", {0, 50, 100}, "▁▅█"},
                    SparkCase{"all_equal_is_the_middle", {3, 3}, "▅▅"},
                    SparkCase{"a_gap_where_there_is_none", {1, std::nullopt, 2}, "▁ █"},
                    SparkCase{"only_gaps", {std::nullopt}, " "},
                    SparkCase{"a_gap_for_what_is_not_finite",
                              {1, std::numeric_limits<double>::infinity(), 2, std::nan("")},
                              "▁ █ "},
                    SparkCase{"the_whole_range_of_doubles",
                              {-std::numeric_limits<double>::max(), 0,
                               std::numeric_limits<double>::max()},
                              "▁▅█"}),
    [](const auto& row) { return row.param.name; });

struct CsvCase {
  const char* name;
  std::vector<std::string> cells;
  const char* want;
};
class CsvRow : public testing::TestWithParam<CsvCase> {};
TEST_P(CsvRow, Gives) { EXPECT_EQ(wire::csv_row(GetParam().cells), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Report, CsvRow,
                         testing::Values(CsvCase{"plain", {"a", "", "1.5"}, "a,,1.5\r\n"},
                                         CsvCase{"quotes",
                                                 {"a,b", "say \"x\"", "two\nlines"},
                                                 "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\r\n"},
                                         CsvCase{"a_formula_is_kept_from_being_one",
                                                 {"=1+1", "+a", "@b", "-c"},
                                                 "'=1+1,'+a,'@b,'-c\r\n"},
                                         CsvCase{"a_negative_number_is_none", {"-1.5"}, "-1.5\r\n"},
                                         CsvCase{
                                             "a_formula_in_quotes", {"=A1,B1"}, "\"'=A1,B1\"\r\n"}),
                         [](const auto& row) { return row.param.name; });

}  // namespace

}  // namespace vibe::report
