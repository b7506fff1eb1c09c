#include "formula/batch.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "formula/evaluate.h"
#include "formula/random_formula.h"
#include "formula/world.h"

namespace vibe::formula {
namespace {

class BatchOfRows : public testing::TestWithParam<std::size_t> {};

TEST_P(BatchOfRows, GivesEachRowItsValues) {
  const std::size_t rows = GetParam();
  const Program program =
      compile_valid(names_of({"a", "b"}), "quality / total_cost + if(b > 0.5, thrift, 1)",
                    {{"quality", "a * 3 + b"}, {"thrift", "1 / (1 + total_cost)"}, {"five", "5"}});
  RandomFormula random(static_cast<std::uint32_t>(rows));
  std::vector<std::vector<double>> columns(program.inputs.size());
  for (auto& column : columns)
    for (std::size_t r = 0; r < rows; ++r) column.push_back(random.anything());
  std::vector<const double*> pointers;
  for (const auto& column : columns) pointers.push_back(column.data());

  for (const InstructionSet& set : instruction_sets()) {
    if (!set.supported()) continue;
    Batch batch(program, set);
    // Every choice of the outputs that are wanted.
    for (unsigned wanted = 0; wanted < 16; ++wanted) {
      constexpr double kUntouched = -12345, kGuard = 54321;
      std::vector<std::vector<double>> results(4, std::vector<double>(rows + 1, kUntouched));
      std::vector<double*> outputs;
      for (std::size_t f = 0; f < 4; ++f) {
        results[f][rows] = kGuard;
        outputs.push_back((wanted >> f & 1) != 0 ? results[f].data() : nullptr);
      }
      batch.run(pointers, rows, outputs);
      for (std::size_t r = 0; r < rows; ++r) {
        std::vector<double> inputs;
        for (const auto& column : columns) inputs.push_back(column[r]);
        const Evaluation row(program, inputs);
        for (std::size_t f = 0; f < 4; ++f)
          ASSERT_EQ(bits(results[f][r]), bits(outputs[f] != nullptr ? row.value(f) : kUntouched))
              << "row " << r << " of formula " << f << " on " << set.name;
      }
      for (const auto& result : results) ASSERT_EQ(result[rows], kGuard);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, BatchOfRows, testing::Values(0, 1, 2, 7, 255, 256, 257, 5000));

TEST(Batch, OfAConstantAndOfAnInput) {
  for (const char* formula : {"5", "a", "+a", "-a", "min(2, 1, a)", "1 > a", "if(1, 2, a)"}) {
    const Program program = compile_valid(names_of({"a"}), formula);
    std::vector<double> inputs;
    if (!program.inputs.empty()) inputs.push_back(0.5);
    evaluate_everywhere(program, inputs);
  }
}

TEST(Batch, CanBeMovedAndRunAgain) {
  const Program program = compile_valid(names_of({"a"}), "a * 2");
  Batch first(program);
  Batch second(std::move(first));
  const double input = 21;
  const double* column = &input;
  for (int i = 0; i < 2; ++i) {
    double out = 0;
    double* output = &out;
    second.run({&column, 1}, 1, {&output, 1});
    EXPECT_EQ(out, 42);
  }
}

TEST(Batch, UndefinedIsAlwaysTheSameNan) {
  const Program program = compile_valid(names_of({"a", "b"}), "-(a / b) + 1");
  for (const double a : {kUndefined, -kUndefined, 0.0, 1.0, -1.0})
    EXPECT_EQ(bits(evaluate_everywhere(program, std::vector<double>{a, 0})), bits(kUndefined));
}

TEST(InstructionSets, ThePlainestIsFirstAndWorksEverywhere) {
  ASSERT_FALSE(instruction_sets().empty());
  EXPECT_TRUE(instruction_sets()[0].supported());
}

}  // namespace
}  // namespace vibe::formula
