// tests/cases/formula/errors.txt: each formula with the exact text of all that is found in it.
// VIBE_UPDATE=1 writes what is found into the file: read what changed before you keep it.
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "formula/world.h"

namespace vibe::formula {
namespace {

constexpr Figure kFigures[] = {
    {"success_rate", 0, 1, "a share"},
    {"error_rate", 0, 1, "another"},
    {"seconds", 1, 1000, "never none"},
    {"errors", 0, std::numeric_limits<double>::infinity(), "any number"}};

struct ErrorCase {
  std::vector<std::string> written;  // the lines of the file before what is found
  std::vector<std::string> evals{"math", "greet", "critical-math"};
  Metrics metrics;
  bool assume = false, figures = false;
  std::string formula;
  std::string want;
  std::size_t line = 0;

  std::string found() const {
    Names names = figures ? Names(kFigures) : Names();
    if (!figures)
      for (const auto& eval : evals) names.add_eval(eval, {"hard"});
    if (assume) names.assume_unknown_words_are_evals();
    base::Diagnostics out;
    compile_text(std::move(names), formula, metrics, out);
    return out.empty() ? "nothing\n" : render(out);
  }
};

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

// A case is a block of lines: `#` comments, `@evals NAME…`, `@metric NAME FORMULA`, `@no-suite`,
// `@figures`, the formula's lines after `> `, then what is found. An empty line ends it.
std::vector<ErrorCase> read_cases() {
  std::vector<ErrorCase> cases(1);
  std::size_t number = 0;
  bool has_formula = false;
  for (const std::string& line : read_lines("cases/formula/errors.txt")) {
    ++number;
    ErrorCase& one = cases.back();
    if (line.empty()) {
      cases.emplace_back();
      has_formula = false;
    } else if (line.starts_with("> ") || line == ">") {
      if (has_formula) one.formula += "\n";
      if (!has_formula) one.line = number;
      one.formula += line.substr(std::min<std::size_t>(2, line.size()));
      one.written.push_back(line);
      has_formula = true;
    } else if (has_formula) {
      one.want += line + "\n";
    } else {
      one.written.push_back(line);
      const std::vector<std::string> parts = words(line);
      if (parts[0] == "@evals") one.evals.assign(parts.begin() + 1, parts.end());
      if (parts[0] == "@metric")
        one.metrics.emplace_back(parts[1],
                                 line.substr(std::string("@metric ").size() + parts[1].size() + 1));
      if (parts[0] == "@no-suite") one.assume = true;
      if (parts[0] == "@figures") one.figures = true;
    }
  }
  return cases;
}

void update(const std::vector<ErrorCase>& cases) {
  std::ofstream out(std::string(VIBE_TEST_DATA) + "/cases/formula/errors.txt", std::ios::binary);
  bool first = true;
  for (const ErrorCase& one : cases) {
    if (one.written.empty()) continue;
    if (!first) out << "\n";
    first = false;
    for (const std::string& line : one.written) out << line << "\n";
    if (one.line != 0) out << one.found();
  }
}

TEST(Errors, EachFormulaIsToldWhatIsWrong) {
  const auto cases = read_cases();
  const char* wanted = std::getenv("VIBE_UPDATE");
  if (wanted != nullptr && *wanted != '\0') update(cases);
  for (const ErrorCase& one : cases) {
    if (one.line == 0) continue;
    SCOPED_TRACE("line " + std::to_string(one.line) + ": " + one.formula);
    EXPECT_EQ(one.found(), one.want);
  }
}

// Warnings of unused evals come from the suite, which knows where their names stand.
TEST(Errors, EachCodeOfFormulasIsShown) {
  std::string all;
  for (const ErrorCase& one : read_cases()) all += one.want;
  for (const auto& row : base::kCodes) {
    if (row.code >= base::Code::yaml_syntax || row.code == base::Code::unused_eval) continue;
    EXPECT_NE(all.find("[" + to_string(row.code) + "]"), std::string::npos) << row.summary;
  }
}

TEST(Errors, SpanOfWhiteSpaceAlone) {
  for (const std::string text : {"", " ", "\t\r\n ", "\n\n"}) {
    base::Diagnostics found;
    EXPECT_FALSE(compile_text({}, text, {}, found));
    ASSERT_EQ(found.all().size(), 1u);
    EXPECT_EQ(found.all()[0].code, base::Code::empty_formula);
    EXPECT_EQ(found.all()[0].span.end, text.size());
  }
}

// In YAML the text of a formula is not the text of the file: places are the file's.
TEST(Errors, PlacesAreThoseOfTheSource) {
  const auto source = base::make_source("suite.yaml", "formula: >\n  math +\n  mth\n");
  base::Passage passage{"math + mth", source, {}};
  for (const std::uint32_t offset : {13u, 14u, 15u, 16u, 17u, 18u, 19u, 22u, 23u, 24u, 25u})
    passage.offsets.push_back(offset);
  base::Diagnostics found;
  EXPECT_FALSE(compile(names_of({"math"}), {}, passage, found));
  EXPECT_EQ(render(found),
            "suite.yaml:3:3: error: unknown variable `mth` [E0101]\n"
            "    mth\n"
            "    ^^^\n"
            "  hint: did you mean `math`?\n");
}

struct UnusedCase {
  const char* formula;
  std::vector<std::string> unused;
};

TEST(UnusedEvals, AreThoseThatNoFormulaReads) {
  Names names;
  names.add_eval("math", {"hard"});
  names.add_eval("greet");
  names.add_eval("spell", {"hard"});
  const UnusedCase cases[] = {
      {"math", {"greet", "spell"}},
      {"math_cost + {greet}", {"spell"}},
      {"math + greet + spell", {}},
      {"pass_rate(\"tag:hard\")", {"greet"}},
      {"mean(latency, \"gr*\")", {"math", "spell"}},
      {"math * mean(passed)", {}},
      {"math * success_pct", {}},
      {"math / total_cost", {"greet", "spell"}},
      {"success_pct", {}},
      {"1 / max_latency", {}},
      {"5", {}},
  };
  for (const UnusedCase& one : cases) {
    std::vector<std::string> unused;
    for (const std::uint32_t i : unused_evals(names, compile_valid(names, one.formula)))
      unused.push_back(names.evals()[i].name);
    EXPECT_EQ(unused, one.unused) << one.formula;
  }
  Names with_metric = names;
  with_metric.add_metric("q");
  const Program program = compile_valid(names, "math", {{"q", "greet"}});
  EXPECT_EQ(unused_evals(with_metric, program), (std::vector<std::uint32_t>{2}));
}

}  // namespace
}  // namespace vibe::formula
