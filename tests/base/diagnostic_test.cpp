#include "base/diagnostic.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/text.h"

namespace vibe::base {
namespace {

Diagnostic about(std::string text, std::string_view word, std::string message = "wrong",
                 std::string hint = {}) {
  const auto begin = static_cast<std::uint32_t>(text.find(word));
  const auto end = begin + static_cast<std::uint32_t>(word.size());
  return {Code::unknown_variable,
          Severity::error,
          std::move(message),
          std::move(hint),
          make_source("suite.yaml", std::move(text)),
          {begin, end}};
}

// The lines of the source and of the carets, as drawn.
std::pair<std::string, std::string> drawn(const Diagnostic& diagnostic, std::size_t width = 100) {
  const std::string all = render(diagnostic, {.color = false, .width = width});
  const std::size_t first = all.find('\n') + 1, second = all.find('\n', first) + 1;
  return {all.substr(first, second - first - 1),
          all.substr(second, all.find('\n', second) - second)};
}

TEST(Render, Everything) {
  EXPECT_EQ(render(about("metadata:\n  formula: 2 * pas_rate\n", "pas_rate",
                         "unknown variable `pas_rate`", "did you mean `pass_rate`?")),
            "suite.yaml:2:16: error: unknown variable `pas_rate` [E0101]\n"
            "    formula: 2 * pas_rate\n"
            "                 ^^^^^^^^\n"
            "  hint: did you mean `pass_rate`?\n");
}

TEST(Render, WithoutASource) {
  EXPECT_EQ(render({Code::bad_usage, Severity::error, "no file", "name one", nullptr, {}}),
            "vibe: error: no file [E0503]\n  hint: name one\n");
}

TEST(Render, AnEmptySourceHasNothingToShow) {
  EXPECT_EQ(
      render({Code::several_documents, Severity::error, "empty", "", make_source("a", ""), {}}),
      "a:1:1: error: empty [E0208]\n");
}

TEST(Render, Colors) {
  EXPECT_EQ(render(about("ab", "b", "wrong", "right"), {.color = true, .width = 80}),
            "\x1b[1msuite.yaml:1:2:\x1b[0m \x1b[1;31merror:\x1b[0m wrong [E0101]\n"
            "  ab\n   \x1b[32m^\x1b[0m\n  \x1b[2mhint:\x1b[0m right\n");
}

struct CaretCase {
  const char* name;
  std::string text, word;
  std::string line, carets;
  std::uint32_t column;
};
class Carets : public testing::TestWithParam<CaretCase> {};
TEST_P(Carets, StandUnderTheWord) {
  const auto& row = GetParam();
  const Diagnostic diagnostic = about(row.text, row.word);
  const auto [line, carets] = drawn(diagnostic);
  EXPECT_EQ(line, "  " + row.line);
  EXPECT_EQ(carets, "  " + row.carets);
  EXPECT_EQ(diagnostic.source->position(diagnostic.span.begin).column, row.column);
}
INSTANTIATE_TEST_SUITE_P(
    Render, Carets,
    testing::Values(
        CaretCase{"plain", "a + bad", "bad", "a + bad", "    ^^^", 5},
        CaretCase{"emoji", "😀 bad", "bad", "😀 bad", "   ^^^", 3},
        CaretCase{"joined_emoji", "👨\u200D👩 bad", "bad", "👨\u200D👩 bad", "   ^^^", 5},
        CaretCase{"selector", "❤\uFE0F bad", "bad", "❤\uFE0F bad", "   ^^^", 4},
        CaretCase{"combining", "e\u0301 bad", "bad", "e\u0301 bad", "  ^^^", 4},
        CaretCase{"wide_word", "x 日本 y", "日本", "x 日本 y", "  ^^^^", 3},
        CaretCase{"right_to_left", "שלום bad", "bad", "שלום bad", "     ^^^", 6},
        CaretCase{"tabs", "\ta\tbad", "bad", "    a    bad", "         ^^^", 4},
        CaretCase{"tab_marked", "a\tb", "\t", "a    b", " ^^^^", 2},
        CaretCase{"escape_sequence", "\x1b[2J bad", "bad", "\uFFFD[2J bad", "     ^^^", 6},
        CaretCase{"invalid_bytes", "\xFF\xFE bad", "bad", "\uFFFD\uFFFD bad", "   ^^^", 4},
        CaretCase{"override", "\u202E bad", "bad", "\uFFFD bad", "  ^^^", 3},
        CaretCase{"several_lines", "x [a\nb] y", "[a\nb]", "x [a", "  ^^", 3},
        CaretCase{"windows_break", "x bad\r\ny", "bad\r\n", "x bad", "  ^^^", 3},
        CaretCase{"end_of_text", "abc", "", "abc", "^", 1}),
    [](const auto& row) { return row.param.name; });

TEST(Render, AfterTheLastCharacter) {
  Diagnostic diagnostic = about("abc\nd", "");
  diagnostic.span = {3, 3};
  EXPECT_EQ(drawn(diagnostic).second, "     ^");
  diagnostic.span = {3, 4};  // the line break itself
  EXPECT_EQ(drawn(diagnostic).second, "     ^");
  diagnostic.span = {900, 999};
  EXPECT_EQ(drawn(diagnostic).second, "   ^");
}

TEST(Render, NothingControlsTheTerminal) {
  Diagnostic diagnostic = about("a", "a", "what\x1b[2J", "do\x1b]0;x\a");
  diagnostic.source = make_source("na\x1bme\n", "\x9b\x1b[31mred");
  const std::string all = render(diagnostic);
  EXPECT_EQ(all.find('\x1b'), std::string::npos);
  EXPECT_EQ(all.find('\a'), std::string::npos);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 4);
}

TEST(Render, ClipsLongLinesAroundTheCaret) {
  const std::string fill(300, '.');
  for (const std::string& text :
       {"bad" + fill, fill + "bad", fill + "bad" + fill, fill + "日本bad日本" + fill,
        std::string(300, '\t') + "bad", std::string(49, '.') + "bad" + fill})
    for (std::size_t width = 20; width <= 120; ++width) {
      const auto [line, carets] = drawn(about(text, "bad"), width);
      ASSERT_LE(display_width(line), width + 2) << width;
      const std::size_t place = carets.find('^');
      ASSERT_EQ(carets.substr(place), "^^^");
      ASSERT_EQ(display_width(line.substr(0, line.find("bad"))), place) << line << '\n' << carets;
      if (!text.starts_with("bad") && width >= 60) {
        ASSERT_GE(place, 22u);
      }
      ASSERT_EQ(line.starts_with("  …"),
                !line.starts_with("  bad") && place < text.find("bad") + 2);
    }
}

TEST(Render, ClipsLongSpans) {
  const auto [line, carets] =
      drawn(about(std::string(50, '.') + std::string(500, 'x'), std::string(500, 'x')), 60);
  EXPECT_EQ(display_width(line), 62u);
  EXPECT_TRUE(line.ends_with("x…"));
  EXPECT_EQ(carets.size(), display_width(line) - 1);
}

TEST(Render, KeepsALineThatJustFits) {
  EXPECT_EQ(drawn(about(std::string(47, '.') + "bad", "bad"), 50).first,
            "  " + std::string(47, '.') + "bad");
}

TEST(Render, ManyDiagnosticsOnOneHugeLine) {
  std::string text;
  while (text.size() < 8u << 20) text += "é日 ";
  const auto source = make_source("huge", text);
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::uint32_t begin = i * 6 * 1300;
    bytes += render({Code::syntax, Severity::error, "x", "", source, {begin, begin + 2}}).size();
  }
  EXPECT_LT(bytes, 1'000'000u);
}

TEST(Render, AFloodOfCombiningMarks) {
  std::string text = "a";
  for (int i = 0; i < 100'000; ++i) text += "\u0301";
  EXPECT_LT(render(about(text + "bad", "bad"), {.color = false, .width = 80}).size(), 4000u);
}

TEST(Diagnostics, KeepsTheFirstAndCountsTheRest) {
  Diagnostics found;
  for (std::size_t i = 0; i < Diagnostics::kMost + 5; ++i) found.add(Code::unknown_key, {}, "m");
  EXPECT_EQ(found.all().size(), Diagnostics::kMost);
  EXPECT_EQ(found.dropped(), 5u);
  EXPECT_FALSE(found.failed());
  EXPECT_TRUE(render(found).ends_with("… and 5 more problems\n"));

  found.add(Code::syntax, {}, "the error is shown rather than a warning");
  EXPECT_TRUE(found.failed());
  EXPECT_EQ(found.all().back().code, Code::syntax);
  EXPECT_EQ(found.dropped(), 6u);

  found.make_warnings_errors();
  EXPECT_EQ(found.errors(), Diagnostics::kMost + 6);

  Diagnostics both;
  both.append(found);
  both.append(found);
  EXPECT_EQ(both.errors(), 2 * found.errors());
  EXPECT_EQ(both.all().size() + both.dropped(), 2 * (Diagnostics::kMost + 6));
}

TEST(Diagnostics, WarningsBecomeErrorsAndNotesDoNot) {
  Diagnostics found;
  found.add(Code::unknown_key, {}, "w");
  found.add(Code::pattern_reading, {}, "n");
  EXPECT_EQ(found.errors(), 0u);
  found.make_warnings_errors();
  EXPECT_EQ(found.errors(), 1u);
  EXPECT_EQ(found.all()[0].severity, Severity::error);
  EXPECT_EQ(found.all()[1].severity, Severity::note);
}

TEST(Diagnostics, SortBySourceThenPlace) {
  const auto a = make_source("a", "0123456789"), b = make_source("b", "0123456789");
  Diagnostics found;
  found.add(Code::syntax, {b, {5, 6}}, "b5");
  found.add(Code::syntax, {a, {3, 4}}, "a3");
  found.add(Code::syntax, {b, {1, 2}}, "b1");
  found.add(Code::bad_number, {b, {1, 4}}, "b1 too");
  found.add(Code::syntax, {a, {0, 1}}, "a0");
  found.sort();
  std::string order;
  for (const auto& diagnostic : found.all()) order += diagnostic.message + ", ";
  EXPECT_EQ(order, "b1, b1 too, b5, a0, a3, ");
}

TEST(Diagnostics, Json) {
  JsonWriter json;
  write_json(json, about("x\né bad", "bad", "wrong", "right"));
  EXPECT_EQ(
      json.text(),
      R"({"file":"suite.yaml","severity":"error","code":"E0101","message":"wrong","hint":"right",)"
      R"("line":2,"column":3,"end_line":2,"end_column":6})");
  JsonWriter bare;
  write_json(bare, {Code::unknown_key, Severity::warning, "m", "", nullptr, {}});
  EXPECT_EQ(bare.text(), R"({"severity":"warning","code":"W0351","message":"m","hint":null,)"
                         R"("line":null,"column":null,"end_line":null,"end_column":null})");
}

TEST(Codes, RowsAreCompleteAndDistinct) {
  std::set<Code> seen;
  for (const CodeRow& row : kCodes) {
    EXPECT_TRUE(seen.insert(row.code).second) << to_string(row.code);
    EXPECT_FALSE(row.summary.empty());
    EXPECT_EQ(to_string(row.code).size(), 5u);
  }
  EXPECT_EQ(to_string(Code::ambiguous_hyphen), "W0151");
  EXPECT_EQ(to_string(Code::possible_zero_division), "N0171");
}

TEST(Result, FailHoldsOneError) {
  const Result<int> result = fail(Code::syntax, {}, "m", "h");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().errors(), 1u);
  EXPECT_EQ(result.error().all()[0].hint, "h");
}

}  // namespace
}  // namespace vibe::base
