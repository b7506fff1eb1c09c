// Any formula that compiles, over any doubles: both evaluators agree to the last bit on every
// instruction set, the explanation has the score's value, and an undefined score has a reason.
//
// The first line is the formula, the second a metric `m`; the rest are the inputs' bytes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "formula/batch.h"
#include "formula/evaluate.h"
#include "formula/explain.h"

namespace {

using namespace vibe;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

// The columns of a batch: the bytes as doubles, repeated.
std::vector<std::vector<double>> read_columns(std::string_view bytes, std::size_t count) {
  std::vector<double> values;
  for (; bytes.size() >= sizeof(double); bytes.remove_prefix(sizeof(double))) {
    double value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    values.push_back(value);
  }
  if (values.empty()) values.push_back(1);
  const std::size_t rows =
      std::min<std::size_t>(values.size() / std::max<std::size_t>(count, 1) + 1, 600);
  std::vector<std::vector<double>> columns(count);
  for (std::size_t i = 0; i < rows * count; ++i)
    columns[i % count].push_back(values[i % values.size()]);
  for (auto& column : columns) column.resize(rows);
  return columns;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void check_row(const formula::Evaluation& row) {
  for (std::size_t f = 0; f < row.program().formulas.size(); ++f) {
    const double value = row.value(f);
    require(std::isfinite(value) || same_bits(value, formula::kUndefined));
    require(formula::why_undefined(row, f).empty() == std::isfinite(value));
    const auto explanation = formula::explain(row, f);
    require(same_bits(explanation.value, value));
    require(!formula::to_text(explanation).empty());
    base::JsonWriter json;
    formula::write_json(json, explanation);
  }
}

void check_program(const formula::Program& program, std::string_view bytes) {
  const auto columns = read_columns(bytes, program.inputs.size());
  const std::size_t rows = columns.empty() ? 1 : columns[0].size();
  std::vector<const double*> pointers;
  for (const auto& column : columns) pointers.push_back(column.data());
  std::vector<std::vector<std::vector<double>>> results;  // by set, formula, row
  for (const auto& set : formula::instruction_sets()) {
    if (!set.supported()) continue;
    auto& outputs = results.emplace_back(program.formulas.size(), std::vector<double>(rows));
    std::vector<double*> targets;
    for (auto& output : outputs) targets.push_back(output.data());
    formula::Batch(program, set).run(pointers, rows, targets);
  }
  std::vector<double> inputs(columns.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = columns[i][r];
    const formula::Evaluation row(program, inputs);
    for (const auto& outputs : results)
      for (std::size_t f = 0; f < outputs.size(); ++f)
        require(same_bits(outputs[f][r], row.value(f)));
    if (r < 4) check_row(row);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string score(take_line(rest)), metric(take_line(rest));
  formula::Names names;
  names.assume_unknown_words_are_evals();
  std::vector<formula::Definition> metrics;
  if (!metric.empty()) {
    names.add_metric("m");
    metrics.push_back({"m", {}, base::whole(base::make_source("m", metric))});
  }
  base::Diagnostics found;
  const auto program =
      formula::compile(names, metrics, base::whole(base::make_source("formula", score)), found);
  if (program) check_program(*program, rest);
  return 0;
}
