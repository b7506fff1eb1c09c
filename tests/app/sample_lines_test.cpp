// Finds the line of each sample's eval.
#include "app/runs/sample_lines.h"

#include <gtest/gtest.h>

#include "app/world.h"

namespace vibe::app {
namespace {

TEST(SampleLines, EverySampleHasTheLineOfItsEval) {
  Machine machine;
  auto request = request_for(machine.write("suite.yaml",
                                           "metadata: {name: s, model: openai/gpt-4o-mini}\n"
                                           "evals:\n"
                                           "  - prompt: a\n"
                                           "    checks: [match: a]\n"
                                           "  - prompt: '{{x}}'\n"
                                           "    name: b\n"
                                           "    repeat: 2\n"
                                           "    cases: [{x: 1}, {x: 2}]\n"
                                           "    checks: [match: a]\n"));
  EXPECT_EQ(sample_lines(*machine.prepare(request)), (std::vector<std::uint32_t>{3, 5, 5, 5, 5}));
  request.plan.only = {"b"};
  EXPECT_EQ(sample_lines(*machine.prepare(request)), (std::vector<std::uint32_t>{5, 5, 5, 5}));
}

TEST(SampleLines, ARunWithoutASuiteHasNone) { EXPECT_TRUE(sample_lines(Prepared()).empty()); }

}  // namespace
}  // namespace vibe::app
