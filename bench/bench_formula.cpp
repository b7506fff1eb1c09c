// Many rows: three formulas over a million rows, by Batch, by the same expression written
// in C++, and by muparser row by row. All three mark rows without a value with NaN.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <muParser.h>

#include "base/source.h"
#include "formula/batch.h"
#include "formula/evaluate.h"
#include "formula/program.h"
#include "targets.h"
#include "timing.h"

namespace {

using namespace vibe;
using Values = std::vector<double>;

constexpr std::size_t kRows = 1'000'000;
constexpr std::size_t kRounds = 20;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// ---- by hand; compiled for the same instruction sets as Batch, with its flags

#define BENCH_INLINE [[gnu::always_inline]] inline

BENCH_INLINE double settled(double value) { return value - value == 0 ? value : kNaN; }

struct CostEfficiency {
  BENCH_INLINE static double of(const double* const* in, std::size_t i) {
    return in[0][i] / in[1][i];
  }
};
struct Weighted {
  BENCH_INLINE static double of(const double* const* in, std::size_t i) {
    return (in[0][i] * 3 + in[1][i] * 2 + in[2][i]) / in[3][i];
  }
};
struct MultiFactor {
  BENCH_INLINE static double of(const double* const* in, std::size_t i) {
    return (in[0][i] * 0.6 + in[1][i] * 0.4) * in[2][i] / (in[3][i] * in[4][i]);
  }
};

template <class F>
BENCH_INLINE void loop(const double* const* columns, double* __restrict out, std::size_t rows) {
  const double* const in[] = {columns[0], columns[1], columns[2], columns[3], columns[4]};
  for (std::size_t i = 0; i < rows; ++i) out[i] = settled(F::of(in, i));
}
template <class F>
void plain(const double* const* columns, double* out, std::size_t rows) {
  loop<F>(columns, out, rows);
}
#if defined(__x86_64__)
template <class F>
[[gnu::target("avx2")]] void avx2(const double* const* columns, double* out, std::size_t rows) {
  loop<F>(columns, out, rows);
}
#endif

using ByHand = void (*)(const double* const* columns, double* out, std::size_t rows);

template <class F>
ByHand by_hand() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return avx2<F>;
#endif
  return plain<F>;
}

// ---- the formulas

struct Case {
  std::string name, formula;
  std::vector<std::string> variables;  // in the order of the formula
  ByHand by_hand;
};

std::vector<Case> cases() {
  return {
      {"success / cost",
       "success_pct / total_cost",
       {"success_pct", "total_cost"},
       by_hand<CostEfficiency>()},
      {"weighted evals",
       "(critical-math * 3 + important-translation * 2 + secondary-question) / total_cost",
       {"critical-math", "important-translation", "secondary-question", "total_cost"},
       by_hand<Weighted>()},
      {"multi-factor",
       "(accuracy-test * 0.6 + speed-test * 0.4) * success_pct / (avg_latency * total_cost)",
       {"accuracy-test", "speed-test", "success_pct", "avg_latency", "total_cost"},
       by_hand<MultiFactor>()},
  };
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

formula::Program compile(const Case& each) {
  formula::Names names;
  for (const auto& variable : each.variables)
    if (variable.find('-') != std::string::npos) names.add_eval(variable);
  base::Diagnostics problems;
  auto program = formula::compile(
      names, {}, base::whole(base::make_source("formula", each.formula)), problems);
  if (!program) {
    fmt::print(stderr, "{}", base::render(problems));
    std::exit(2);
  }
  return *std::move(program);
}

// Pass rates, percentages, seconds and dollars; one cost in a hundred is 0, and one is unknown.
Values column(const std::string& name) {
  std::mt19937_64 random(std::hash<std::string>{}(name));
  std::uniform_real_distribution<double> uniform(0, 1);
  Values values(kRows);
  for (double& value : values) {
    value = uniform(random);
    if (name == "success_pct") value *= 100;
    if (name == "avg_latency") value = 0.2 + 5 * value;
    if (name == "total_cost") value = value < 0.01 ? 0 : value < 0.02 ? kNaN : 0.0001 + 0.5 * value;
  }
  return values;
}

bool same_bits(const Values& a, const Values& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// Evaluates row by row.
Values evaluate_rows(const formula::Program& program, const std::vector<Values>& columns) {
  Values scores(kRows), row(columns.size());
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t v = 0; v < row.size(); ++v) row[v] = columns[v][i];
    scores[i] = formula::Evaluation(program, row).score();
  }
  return scores;
}

void measure(const Case& each, bench::Targets& targets) {
  const formula::Program program = compile(each);
  std::vector<Values> columns;
  std::vector<const double*> pointers;
  for (std::size_t i = 0; i < each.variables.size(); ++i) {
    if (program.inputs[i].name != each.variables[i]) std::abort();
    columns.push_back(column(each.variables[i]));
  }
  for (const auto& values : columns) pointers.push_back(values.data());
  pointers.resize(5, columns[0].data());  // the hand-written loops take five

  Values from_batch(kRows), from_hand(kRows), from_muparser(kRows), from_bulk(kRows);
  formula::Batch batch(program);
  double* const outputs[] = {from_batch.data()};
  const auto run_batch = [&] { batch.run(pointers, kRows, outputs); };
  const auto run_by_hand = [&] { each.by_hand(pointers.data(), from_hand.data(), kRows); };

  Values row(columns.size());
  mu::Parser by_row, in_bulk;  // muparser's names have no hyphens
  for (mu::Parser* parser : {&by_row, &in_bulk}) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      parser->DefineVar(replace_all(each.variables[i], "-", "_"),
                        parser == &by_row ? &row[i] : columns[i].data());
    std::string formula = each.formula;
    for (const auto& variable : each.variables)
      formula = replace_all(formula, variable, replace_all(variable, "-", "_"));
    parser->SetExpr(formula);
  }
  const auto run_muparser = [&] {
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t v = 0; v < row.size(); ++v) row[v] = columns[v][i];
      from_muparser[i] = settled(by_row.Eval());
    }
  };
  const auto run_bulk = [&] {
    in_bulk.Eval(from_bulk.data(), kRows);
    for (double& value : from_bulk) value = settled(value);
  };

  const auto fast = bench::in_turn(kRounds, {run_batch, run_by_hand});
  const auto slow = bench::in_turn(kRounds / 2, {run_muparser, run_bulk});
  const double batch_least = fast[0].least(), by_hand_least = fast[1].least();
  const auto note = [&](const char* what, double seconds) {
    targets.note(fmt::format("{}: {}, one row", each.name, what), seconds * 1e9 / kRows, "ns");
  };
  note("Batch", batch_least);
  note("by hand", by_hand_least);
  note("muparser", slow[0].least());
  note("muparser in bulk", slow[1].least());
  targets.at_most(each.name + ": time of Batch / by hand", batch_least / by_hand_least, 1.5, "x");
  targets.at_least(each.name + ": time of muparser / Batch", slow[0].least() / batch_least, 8, "x");
  targets.holds(each.name + ": Batch and by hand give the same bits",
                same_bits(from_batch, from_hand));
  const Values by_rows = evaluate_rows(program, columns);
  for (const auto& set : formula::instruction_sets()) {
    if (!set.supported()) continue;
    formula::Batch(program, set).run(pointers, kRows, outputs);
    targets.holds(fmt::format("{}: Batch ({}) and Evaluation do", each.name, set.name),
                  same_bits(from_batch, by_rows));
  }
}

}  // namespace

int main() {
  bench::Targets targets;
  for (const auto& each : cases()) measure(each, targets);
  return targets.exit_code();
}
