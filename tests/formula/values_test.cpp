// tests/cases/formula/values.txt, and the examples in the table of functions.
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/text.h"
#include "formula/evaluate.h"
#include "formula/world.h"

namespace vibe::formula {
namespace {

TEST(Values, EachLineHasItsValue) {
  constexpr std::string_view kArrow = " => ";
  std::vector<std::string> described;
  bool describing = false;
  World world;
  std::size_t evaluated = 0, number = 0;
  for (const std::string& line : read_lines("cases/formula/values.txt")) {
    ++number;
    SCOPED_TRACE("line " + std::to_string(number) + ": " + line);
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("sample ") || line.starts_with("tag ")) {
      if (!describing) described.clear();
      describing = true;
      described.push_back(line);
      continue;
    }
    if (describing) world = make_world(described);
    describing = false;
    const std::size_t arrow = line.rfind(kArrow);
    ASSERT_NE(arrow, std::string::npos);
    const std::string want(base::trim(line.substr(arrow + kArrow.size())));
    const double value =
        evaluate_everywhere(compile_valid(world.names, line.substr(0, arrow)), world.samples);
    ++evaluated;
    if (want == "undefined") {
      EXPECT_TRUE(std::isnan(value)) << value;
    } else {
      const auto number_wanted = base::parse_double(want);
      ASSERT_TRUE(number_wanted);
      EXPECT_EQ(value, *number_wanted);
    }
  }
  EXPECT_GT(evaluated, 250u);
}

TEST(Functions, EachExampleHasItsValue) {
  const World world = documented_world();
  for (const Function& function : kFunctions) {
    SCOPED_TRACE(std::string(function.example));
    EXPECT_NE(function.example.find(std::string(function.name) + "("), std::string_view::npos);
    const Program program = compile_valid(world.names, std::string(function.example));
    EXPECT_EQ(evaluate_everywhere(program, world.samples), function.example_value);
  }
}

TEST(Functions, EachIsFoundAndDescribed) {
  for (const Function& function : kFunctions) {
    EXPECT_EQ(find_function(function.name), &function);
    EXPECT_TRUE(function.signature.starts_with(std::string(function.name) + "("));
    EXPECT_FALSE(function.doc.empty());
  }
  EXPECT_EQ(find_function("abc"), nullptr);
  EXPECT_EQ(find_function(""), nullptr);
  EXPECT_EQ(find_function("zzz"), nullptr);
}

struct SameFigure {
  const char *aggregate, *variable;
};

TEST(RunMetrics, AreTheAggregatesTheySay) {
  const World world = documented_world();
  const SameFigure pairs[] = {
      {"max(latency)", "max_latency"},
      {"min(latency)", "min_latency"},
      {"mean(latency)", "avg_latency"},
      {"sum(latency)", "total_latency"},
      {"max(cost)", "max_cost"},
      {"min(cost)", "min_cost"},
      {"mean(cost)", "avg_cost"},
      {"sum(cost)", "total_cost"},
      {"100 * mean(passed)", "success_pct"},
  };
  EXPECT_EQ(std::size(pairs), kRunMetrics.size());
  for (const auto& [aggregate, variable] : pairs)
    EXPECT_DOUBLE_EQ(evaluate_everywhere(compile_valid(world.names, aggregate), world.samples),
                     evaluate_everywhere(compile_valid(world.names, variable), world.samples))
        << aggregate;
}

TEST(Inputs, EachFigureIsThereOnce) {
  const Program program = compile_valid(
      names_of({"a", "total"}),
      "a + {a} + a_cost + {a}_cost + mean(latency, \"a\") + mean( latency , \"a\" ) + "
      "percentile(latency, 95) + percentile(latency, 9.5e1) + percentile(latency, 90 + 5) + "
      "total_cost + {total}_cost + total_latency + total");
  std::vector<std::string> names;
  for (const Input& input : program.inputs) names.push_back(input.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "a_cost", "mean(latency, \"a\")",
                                             "percentile(latency, 95)", "total_cost",
                                             "{total}_cost", "total_latency", "total"}));
}

}  // namespace
}  // namespace vibe::formula
