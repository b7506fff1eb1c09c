// Limits, and work that grows with the length of the text alone, whatever the text.
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "base/repeated.h"
#include "formula/explain.h"
#include "formula/token.h"
#include "formula/world.h"

namespace vibe::formula {
namespace {

using test::repeated;

std::string joined(std::string_view piece, std::string_view joint, std::size_t times) {
  return repeated(std::string(piece) + std::string(joint), times - 1) + std::string(piece);
}

std::string first_message(const std::string& formula, const Metrics& metrics = {}) {
  base::Diagnostics found;
  compile_text(names_of({"a", "b"}), formula, metrics, found);
  for (const auto& d : found.all())
    if (d.severity == base::Severity::error) return to_string(d.code) + " " + d.message;
  return "";
}

TEST(Limits, Bytes) {
  const std::string formula = "a" + std::string(kMaxFormulaBytes - 1, ' ');
  EXPECT_EQ(first_message(formula), "");
  EXPECT_EQ(first_message(formula + " "),
            "E0114 the formula is 4097 bytes long; the limit is 4096");
}

TEST(Limits, Nodes) {
  EXPECT_EQ(first_message(joined("a", "+", 512)), "");  // 512 names, 511 signs
  EXPECT_EQ(first_message("-" + joined("a", "+", 512)), "");
  EXPECT_EQ(first_message(joined("a", "+", 513)),
            "E0114 the formula has 1025 numbers, names, operators and calls; the limit is 1024");
}

struct Nesting {
  const char *open, *inner, *close;
};

TEST(Limits, DepthOfEachThingThatNests) {
  const Nesting kinds[] = {{"(", "a", ")"},       {"abs(", "a", ")"},     {"-", "a", ""},
                           {"+", "a", ""},        {"not ", "a", ""},      {"1^", "a", ""},
                           {"min(1, ", "a", ")"}, {"if(a, b, ", "a", ")"}};
  for (const auto& [open, inner, close] : kinds) {
    const auto nested = [&](std::size_t depth) {
      return repeated(open, depth) + inner + repeated(close, depth);
    };
    EXPECT_EQ(first_message(nested(64)), "") << open;
    EXPECT_EQ(first_message(nested(65)), "E0114 the formula nests deeper than 64 levels") << open;
  }
  EXPECT_EQ(first_message(repeated("-(", 33) + "a" + repeated(")", 33)),
            "E0114 the formula nests deeper than 64 levels");
}

TEST(Limits, ChainsDoNotNest) {
  for (const char* joint : {"+", "-", "*", " and ", " or ", "+ b *"})
    EXPECT_EQ(first_message(joined("a", joint, 250)), "") << joint;
  EXPECT_EQ(first_message(joined("a_latency", "/", 300)), "");
}

TEST(Limits, Metrics) {
  Metrics metrics;
  for (int i = 0; i < 64; ++i) metrics.emplace_back("q" + std::to_string(i), "a");
  EXPECT_EQ(first_message("q63", metrics), "");
  metrics.emplace_back("q64", "a");
  EXPECT_EQ(first_message("q64", metrics),
            "E0114 the score section has 65 metrics; the limit is 64");
}

TEST(Limits, AChainOfAllMetricsIsEvaluatedOnceEach) {
  Metrics metrics;  // each doubles the next: without care, 2^63 evaluations
  for (int i = 0; i < 63; ++i)
    metrics.emplace_back("q" + std::to_string(i),
                         "q" + std::to_string(i + 1) + " + q" + std::to_string(i + 1));
  metrics.emplace_back("q63", "a");
  const Program program = compile_valid(names_of({"a"}), "q0", metrics);
  EXPECT_EQ(program.order.size(), 65u);
  EXPECT_EQ(evaluate_everywhere(program, std::vector<double>{1}), 9223372036854775808.0);
}

TEST(Limits, TwoHundredWeightedEvalsFit) {
  Names names;
  std::string formula;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "e" + std::to_string(i);
    names.add_eval(name);
    formula += (i == 0 ? "" : " + ") + name + " * 0.25";
  }
  const Program program = compile_valid(names, "(" + formula + ") / 200");
  EXPECT_EQ(program.inputs.size(), 200u);
  EXPECT_EQ(evaluate_everywhere(program, std::vector<double>(200, 1)), 0.25);
}

struct Hostile {
  const char *name, *piece;
};

class HostileText : public testing::TestWithParam<Hostile> {};

// No more tokens than bytes, no more nodes than tokens, a bounded number of reports.
TEST_P(HostileText, CostsNoMoreThanItsLength) {
  const std::string piece = GetParam().piece;
  for (const std::size_t bytes : {64u, 1024u, 4096u}) {
    const std::string text = repeated(piece, bytes / piece.size());
    for (const bool assumes : {false, true}) {
      Names names = names_of({"a", "b", "a-a", "a-a-a", "b-a"}, {});
      if (assumes) names.assume_unknown_words_are_evals();
      const auto formula = base::whole(base::make_source("formula", text));
      base::Diagnostics lexed, found;
      EXPECT_LE(tokenize(formula, names, lexed).size(), text.size() + 1);
      Inputs inputs;
      base::Diagnostics parsed;
      const Tree tree = parse(formula, names, inputs, parsed);
      EXPECT_LE(tree.nodes.size(), 2 * text.size() + 1);
      const auto program = compile(names, {}, formula, found);
      EXPECT_EQ(program.has_value(), !found.failed());
      EXPECT_LE(found.all().size(), base::Diagnostics::kMost);
      for (const auto& d : found.all()) {
        EXPECT_LE(d.span.end, text.size());
        EXPECT_LT(d.message.size(), 3 * kMaxFormulaBytes + 200);
      }
      EXPECT_LT(render(found).size(), 2'000'000u);
      if (program) {
        const Evaluation row(*program, std::vector<double>(program->inputs.size(), 0.5));
        EXPECT_FALSE(to_text(explain(row, 0)).empty());
      }
    }
  }
}

const std::vector<Hostile> kHostile{
    {"names_and_hyphens", "a-"},
    {"other_names_and_hyphens", "a-b-"},
    {"unknown_and_hyphens", "x-"},
    {"one_long_word", "x"},
    {"digits", "1"},
    {"open", "("},
    {"close", ")"},
    {"open_close", "()"},
    {"minus", "-"},
    {"plus_minus", "+-"},
    {"nots", "not "},
    {"powers", "2^"},
    {"carets", "^"},
    {"exponents", "1e"},
    {"exponents_with_signs", "1e-"},
    {"points", "1."},
    {"dots", "."},
    {"open_braces", "{"},
    {"close_braces", "}"},
    {"braces", "{a}"},
    {"empty_braces", "{}"},
    {"quotes", "\""},
    {"single_quotes", "'"},
    {"wrong_quotes", "“"},
    {"calls", "min("},
    {"calls_of_columns", "mean("},
    {"calls_of_percentiles", "percentile(latency,"},
    {"unknown_calls", "f("},
    {"hyphenated_calls", "a-f("},
    {"commas", ","},
    {"open_commas", "(,"},
    {"operands", "1 "},
    {"words", "a "},
    {"unknown_words", "x "},
    {"divisions", "a/"},
    {"guarded", "a and a/a or "},
    {"comparisons", "a<"},
    {"foreign", "&&"},
    {"foreign_dash", "−"},
    {"equal_signs", "="},
    {"garbage", "#"},
    {"not_utf8", "\xff"},
    {"cut_utf8", "\xe2\x88"},
    {"emoji", "🎉"},
    {"line_breaks", "\n"},
    {"conditions", "if(a,"},
    {"nested_defaults", "default(1/a,"},
    {"globs", "pass_rate(\"*a*a*a*\")+"},
};

INSTANTIATE_TEST_SUITE_P(Limits, HostileText, testing::ValuesIn(kHostile),
                         [](const auto& row) { return row.param.name; });

TEST(HostileTexts, NulsAndEveryByte) {
  std::string every;
  for (int i = 0; i < 256; ++i) every += static_cast<char>(i);
  for (const std::string& text :
       {std::string(4096, '\0'), every, "a" + std::string(1, '\0') + "b"}) {
    base::Diagnostics found;
    EXPECT_FALSE(compile_text(names_of({"a"}), text, {}, found));
    EXPECT_FALSE(render(found).empty());
  }
}

}  // namespace
}  // namespace vibe::formula
