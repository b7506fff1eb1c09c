#include "formula/world.h"

#include <bit>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "base/text.h"
#include "formula/batch.h"
#include "formula/evaluate.h"

namespace vibe::formula {

namespace {

double figure(const std::string& text) {
  if (text == "?") return kUndefined;
  const auto value = base::parse_double(text);
  EXPECT_TRUE(value) << "not a figure: " << text;
  return value.value_or(kUndefined);
}

}  // namespace

World make_world(const std::vector<std::string>& lines) {
  World world;
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> tags;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    std::string kind, eval, verdict, latency, cost, prompt, completion;
    std::string quality = "?", structure = "?", fitness = "?";
    words >> kind >> eval;
    if (eval == "-") eval.clear();
    if (!eval.empty() && !tags.contains(eval)) {
      order.push_back(eval);
      tags[eval];
    }
    const auto id = world.samples.eval(eval);
    if (kind == "tag") {
      std::string tag;
      words >> tag;
      tags[eval].push_back(tag);
      world.samples.tag(id, tag);
      continue;
    }
    words >> verdict >> latency >> cost >> prompt >> completion;
    EXPECT_TRUE(kind == "sample" && (verdict == "pass" || verdict == "fail") && words) << line;
    if (!(words >> std::ws).eof()) {
      words >> quality >> structure >> fitness;
      EXPECT_TRUE(words) << line;
    }
    world.samples.add(
        id, {verdict == "pass", figure(latency), figure(cost), figure(prompt), figure(completion),
             figure(quality), figure(structure), figure(fitness)});
  }
  for (const auto& eval : order) world.names.add_eval(eval, tags[eval]);
  return world;
}

World documented_world() {
  return make_world({"tag math hard", "sample math pass 1 0.01 10 5",
                     "sample math fail 3 0.03 30 15", "sample greet pass 2 0.02 20 10"});
}

Names names_of(const std::vector<std::string>& evals, const std::vector<std::string>& metrics) {
  Names names;
  for (const auto& eval : evals) names.add_eval(eval);
  for (const auto& metric : metrics) names.add_metric(metric);
  return names;
}

std::optional<Program> compile_text(Names names, const std::string& formula, const Metrics& metrics,
                                    base::Diagnostics& out) {
  std::vector<Definition> definitions;
  for (const auto& [name, text] : metrics) {
    names.add_metric(name);
    const auto source = base::make_source("metric " + name, text);
    definitions.push_back({name, {source, {0, 1}}, base::whole(source)});
  }
  auto program =
      compile(names, definitions, base::whole(base::make_source("formula", formula)), out);
  EXPECT_EQ(program.has_value(), !out.failed());
  out.sort();
  return program;
}

Program compile_valid(const Names& names, const std::string& formula, const Metrics& metrics) {
  base::Diagnostics found;
  auto program = compile_text(names, formula, metrics, found);
  EXPECT_TRUE(program) << render(found);
  return program ? std::move(*program) : compile_valid(names, "1");
}

std::vector<double> measure(const Program& program, const score::Samples& samples) {
  std::vector<double> inputs;
  for (const Input& input : program.inputs) inputs.push_back(samples.measure(input));
  return inputs;
}

double evaluate_everywhere(const Program& program, const std::vector<double>& inputs) {
  const Evaluation row(program, inputs);
  std::vector<const double*> columns;
  for (const double& input : inputs) columns.push_back(&input);
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.supported()) continue;
    std::vector<double> values(program.formulas.size(), -1);
    std::vector<double*> outputs;
    for (double& value : values) outputs.push_back(&value);
    Batch(program, set).run(columns, 1, outputs);
    for (std::size_t f = 0; f < values.size(); ++f)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(values[f]), std::bit_cast<std::uint64_t>(row.value(f)))
          << program.formulas[f].text << " is " << values[f] << " on " << set.name << " and "
          << row.value(f) << " by row";
  }
  return row.score();
}

double evaluate_everywhere(const Program& program, const score::Samples& samples) {
  return evaluate_everywhere(program, measure(program, samples));
}

std::vector<std::string> read_lines(const std::string& path_in_tests) {
  std::ifstream in(std::string(VIBE_TEST_DATA) + "/" + path_in_tests, std::ios::binary);
  EXPECT_TRUE(in) << path_in_tests;
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace vibe::formula
