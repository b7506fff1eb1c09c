// What is stored of a finished run, so that it can be scored again.
#include "score/measured.h"

#include <cmath>

#include <gtest/gtest.h>

#include "score/figures.h"

namespace vibe::score {
namespace {

using formula::Column;
using formula::Input;
using formula::Selector;
using formula::Statistic;

formula::Program program_of(std::string text, const Samples& samples) {
  formula::Names names;
  for (const auto& eval : samples.evals())
    if (!eval.name.empty()) names.add_eval(eval.name, eval.tags);
  base::Diagnostics out;
  const auto source = base::make_source("score", std::move(text));
  auto program = formula::compile(names, {}, base::whole(source), out);
  EXPECT_TRUE(program) << base::render(out);
  return *std::move(program);
}

Samples two_evals() {
  Samples out;
  const auto a = out.eval("a"), loose = out.add_unnamed(), b = out.eval("b-c");
  out.add(a, {true, 1, 0.5});
  out.add(a, {false, 3, 0.25});
  out.add(loose, {true, 2, 1});
  out.add(b, {.passed = true, .latency = 4, .cost = formula::kUndefined});
  return out;
}

TEST(Measured, HasTheMetricsTheEvalsAndWhatTheFormulaUses) {
  const Samples samples = two_evals();
  const auto program = program_of("percentile(latency, 90) + a + pass_rate(\"b*\")", samples);
  const Measured measured = measure(program, samples);
  const auto layout = InputLayout::decode(measured.layout);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->evals(), (std::vector<std::string>{"a", "b-c"}));
  ASSERT_EQ(layout->size(), measured.inputs.size());
  EXPECT_EQ(layout->size(), 9u + 2 * 3 + 2);
  const auto value = [&](const Input& input) {
    const auto place = layout->find(input);
    return place ? measured.inputs[*place] : -1;
  };
  for (const auto& input : program.inputs) EXPECT_EQ(value(input), samples.measure(input));
  EXPECT_EQ(value({"", Statistic::percent, Column::passed, 0, {}}), 75);
  EXPECT_EQ(value({"", Statistic::mean, Column::latency, 0, {Selector::Kind::eval, "a"}}), 2);
  EXPECT_TRUE(
      std::isnan(value({"", Statistic::mean, Column::cost, 0, {Selector::Kind::eval, "b-c"}})));
  EXPECT_EQ(value({"", Statistic::percentile, Column::latency, 91, {}}), -1);
  EXPECT_EQ(value({"", Statistic::mean, Column::cost, 0, {Selector::Kind::eval, "no"}}), -1);
  EXPECT_EQ(value({"", Statistic::mean, Column::passed, 0, {Selector::Kind::glob, "a"}}), -1);
  EXPECT_EQ(decode_figures(measured.figures)->size(), 4u);
}

TEST(InputLayout, ComesBackFromItsBytes) {
  for (const auto& [evals, others] :
       {std::pair<std::vector<std::string>, std::vector<std::string>>{},
        {{"a"}, {}},
        {{}, {"x"}},
        {{"a", "b"}, {"x", "y z"}}}) {
    const InputLayout layout(evals, others);
    const auto again = InputLayout::decode(layout.encode());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->evals(), evals);
    EXPECT_EQ(again->encode(), layout.encode());
  }
  const std::string whole = InputLayout({"a"}, {"x"}).encode(),
                    head = whole.substr(0, whole.find('\n') + 1);
  for (const char* damaged : {"", "\n", "0", "x\n", "-1\n", "1\n", "2\na\n", "1\na"})
    EXPECT_FALSE(InputLayout::decode(head + damaged)) << damaged;
  EXPECT_TRUE(InputLayout::decode(head + "0\n"));
  EXPECT_FALSE(InputLayout::decode("of another version\n0\n"));
}

}  // namespace
}  // namespace vibe::score
