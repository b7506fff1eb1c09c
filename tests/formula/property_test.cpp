// What holds for every formula, tried on many made at random.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "formula/batch.h"
#include "formula/explain.h"
#include "formula/random_formula.h"
#include "formula/world.h"

namespace vibe::formula {
namespace {

Names three_evals() { return names_of({"a", "b", "c"}); }

std::optional<Program> compile_random(RandomFormula& random, int depth) {
  Metrics metrics;
  for (std::size_t i = 0; i < random.below(3); ++i)
    metrics.emplace_back("m" + std::to_string(i), random.formula(depth - 1, i));
  base::Diagnostics found;
  return compile_text(three_evals(), random.formula(depth, metrics.size()), metrics, found);
}

TEST(EveryFormula, HasTheSameBitsByRowAndInBatches) {
  RandomFormula random(1);
  std::size_t pairs = 0, defined = 0, programs = 0;
  while (pairs < 40'000) {
    const auto program = compile_random(random, 4);
    if (!program) continue;
    ++programs;
    const std::size_t rows = 1 + random.below(40);
    std::vector<std::vector<double>> columns(program->inputs.size());
    for (auto& column : columns)
      for (std::size_t r = 0; r < rows; ++r) column.push_back(random.anything());
    std::vector<const double*> pointers;
    for (const auto& column : columns) pointers.push_back(column.data());
    for (const InstructionSet& set : instruction_sets()) {
      if (!set.supported()) continue;
      std::vector<std::vector<double>> results(program->formulas.size(), std::vector<double>(rows));
      std::vector<double*> outputs;
      for (auto& result : results) outputs.push_back(result.data());
      Batch(*program, set).run(pointers, rows, outputs);
      for (std::size_t r = 0; r < rows; ++r) {
        std::vector<double> inputs;
        for (const auto& column : columns) inputs.push_back(column[r]);
        const Evaluation row(*program, inputs);
        for (std::size_t f = 0; f < results.size(); ++f)
          ASSERT_EQ(bits(results[f][r]), bits(row.value(f)))
              << program->formulas[f].text << ": " << results[f][r] << " on " << set.name << ", "
              << row.value(f) << " by row";
        ASSERT_TRUE(std::isfinite(row.score()) || bits(row.score()) == bits(kUndefined));
        if (std::isfinite(row.score())) ++defined;
      }
    }
    pairs += rows;
  }
  EXPECT_GT(programs, 1000u);
  EXPECT_GT(defined, pairs / 4);  // else the test says little
}

TEST(EveryFormula, IsExplainedByItsOwnValue) {
  RandomFormula random(2);
  for (int i = 0; i < 3000; ++i) {
    const auto program = compile_random(random, 4);
    if (!program) continue;
    std::vector<double> inputs;
    for (std::size_t k = 0; k < program->inputs.size(); ++k) inputs.push_back(random.anything());
    const Evaluation row(*program, inputs);
    for (std::size_t f = 0; f < program->formulas.size(); ++f) {
      const Explanation explanation = explain(row, f);
      EXPECT_EQ(bits(explanation.value), bits(row.value(f)));
      EXPECT_FALSE(to_text(explanation).empty());
      const std::string why = why_undefined(row, f);
      EXPECT_EQ(why.empty(), std::isfinite(row.value(f))) << program->formulas[f].text;
      EXPECT_EQ(why.find('\n'), std::string::npos);
    }
  }
}

// Whether some product, quotient or power was too small for a double and became 0, which
// ranges leave aside.
bool has_underflow(const Evaluation& row) {
  for (std::size_t f = 0; f < row.program().formulas.size(); ++f) {
    const Tree& tree = row.program().formulas[f].tree;
    for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
      const Node& node = tree.nodes[n];
      const bool scales = node.op == Op::multiply || node.op == Op::divide || node.op == Op::power;
      if (!scales || row.value(f, n) != 0) continue;
      const auto children = tree.children_of(node);
      const bool by_zero = node.op == Op::multiply && row.value(f, children[1]) == 0;
      if (row.value(f, children[0]) != 0 && !by_zero) return true;
    }
  }
  return false;
}

TEST(EveryFormula, StaysInItsRange) {
  RandomFormula random(3);
  std::size_t always = 0, bounded = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto program = compile_random(random, 3);
    if (!program) continue;
    for (int k = 0; k < 4; ++k) {
      std::vector<double> inputs;
      for (const Input& input : program->inputs) inputs.push_back(random.possible(input));
      const Evaluation row(*program, inputs);
      if (has_underflow(row)) continue;
      for (std::size_t f = 0; f < program->formulas.size(); ++f) {
        const Interval& range = program->formulas[f].range;
        const double value = row.value(f);
        const auto state = [&] {
          std::string out = program->formulas[f].text + " is " + std::to_string(value) + " for";
          for (std::size_t n = 0; n < inputs.size(); ++n)
            out += " " + program->inputs[n].name + "=" + std::to_string(inputs[n]);
          return out + ", range " + std::to_string(range.low) + "…" + std::to_string(range.high);
        };
        if (range.defined == Defined::always) {
          ++always;
          ASSERT_TRUE(std::isfinite(value)) << state();
        }
        if (std::isnan(value)) continue;
        if (std::isfinite(range.low) || std::isfinite(range.high)) ++bounded;
        ASSERT_GE(value, range.low) << state();
        ASSERT_LE(value, range.high) << state();
      }
    }
  }
  EXPECT_GT(always, 1000u);
  EXPECT_GT(bounded, 1000u);
}

// An error says "certainly": the same text, evaluated unchecked, must be undefined there.
TEST(EveryFormula, IsUndefinedWhereTheCheckerIsCertain) {
  RandomFormula random(4);
  const Names names = three_evals();
  std::size_t certain = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = random.formula(3);
    base::Diagnostics found;
    compile_text(names, text, {}, found);
    for (const auto& d : found.all()) {
      if (d.code != base::Code::zero_division && d.code != base::Code::undefined_value) continue;
      const auto formula = base::whole(base::make_source("formula", text));
      Inputs inputs;
      base::Diagnostics parsed;
      Program program;
      program.formulas.push_back({"", text, parse(formula, names, inputs, parsed), {}});
      ASSERT_TRUE(parsed.empty());
      program.inputs = std::move(inputs).take();
      program.order = {0};
      for (int k = 0; k < 4; ++k) {
        std::vector<double> values;
        for (const Input& input : program.inputs) values.push_back(random.possible(input));
        const Evaluation row(program, values);
        const Tree& tree = program.formulas[0].tree;
        for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
          if (tree.nodes[n].span != d.span) continue;
          const double value = row.value(0, n);
          if (d.code == base::Code::undefined_value)
            ASSERT_TRUE(std::isnan(value)) << text << "\n" << render(d);
          else
            ASSERT_TRUE(value == 0 || std::isnan(value)) << text << "\n" << render(d) << value;
          ++certain;
        }
      }
    }
  }
  EXPECT_GT(certain, 1000u);
}

TEST(EveryFormula, HasTheSameDiagnosticsTwice) {
  RandomFormula random(5);
  for (int i = 0; i < 500; ++i) {
    const std::string text = random.formula(3) + (random.below(2) == 0 ? "" : " + nothing(x)");
    base::Diagnostics first, second;
    compile_text(three_evals(), text, {}, first);
    compile_text(three_evals(), text, {}, second);
    EXPECT_EQ(render(first), render(second));
  }
}

}  // namespace
}  // namespace vibe::formula
