// Compile: parsing and checking formulas: usual, long and hostile ones.
// Takes Google Benchmark's options: `--benchmark_filter=hostile`.
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "base/source.h"
#include "formula/program.h"
#include "targets.h"

namespace {

using namespace vibe;

constexpr double kUsualLimit = 5, kLongLimit = 1000, kHostileLimit = 10000;  // microseconds

struct Case {
  std::string name, formula;
  double limit;
  bool is_valid = true;
};

// Appends parts, as many as fit.
std::string fill(const std::string& begin, const std::function<std::string(std::size_t)>& part,
                 const std::string& end = {}) {
  std::string text = begin;
  for (std::size_t i = 0;; ++i) {
    const std::string next = part(i);
    if (text.size() + next.size() + end.size() > formula::kMaxFormulaBytes) return text + end;
    text += next;
  }
}

std::string repeat(const std::string& text) {
  return fill({}, [&](std::size_t) { return text; });
}

constexpr std::size_t kEvals = 1000;  // eval-0 … in the suite of the long formulas

std::vector<Case> cases() {
  return {
      {"success / cost", "success_pct / total_cost", kUsualLimit},
      {"weighted evals",
       "(critical-math * 3 + important-translation * 2 + secondary-question) / total_cost",
       kUsualLimit},
      {"multi-factor",
       "(accuracy-test * 0.6 + speed-test * 0.4) * success_pct / (avg_latency * total_cost)",
       kUsualLimit},
      {"4096 bytes: weighted evals",
       fill(
           "(eval-0", [](std::size_t i) { return fmt::format(" + eval-{} * {}.5", i + 1, i % 9); },
           ") / total_cost"),
       kLongLimit},
      {"hostile: sums of globs",
       fill("1", [](std::size_t i) { return fmt::format("+pass_rate(\"*{}*\")", i); }),
       kHostileLimit},
      {"hostile: globs with many stars",
       fill("1",
            [](std::size_t i) {
              return fmt::format("+pass_rate(\"*e*v*a*l*{}*1*1*1*1*1*1*1*1*\")", i);
            }),
       kHostileLimit, false},
      {"hostile: a run of hyphens and names", repeat("eval-1-"), kHostileLimit, false},
      {"hostile: a run of unknown names", repeat("a-"), kHostileLimit, false},
      {"hostile: one long word", repeat("a"), kHostileLimit, false},
      {"hostile: unknown names", repeat("evil-1 + "), kHostileLimit, false},
      {"hostile: misspelt numbers", repeat("1a + "), kHostileLimit, false},
      {"hostile: open parentheses", repeat("("), kHostileLimit, false},
      {"hostile: unknown functions", repeat("ab("), kHostileLimit, false},
      {"hostile: unclosed calls", repeat("min("), kHostileLimit, false},
      {"hostile: minus signs", repeat("-"), kHostileLimit, false},
      {"hostile: powers", fill("2", [](std::size_t) { return std::string("^2"); }), kHostileLimit,
       false},
      {"hostile: a chain of divisions",
       fill("eval-1", [](std::size_t i) { return fmt::format("/eval-{}", 100 + i); }),
       kHostileLimit},
      {"hostile: equal sub-expressions", repeat("eval-1/eval-1+") + "1", kHostileLimit, false},
      {"hostile: garbage", repeat("\x01\xff"), kHostileLimit, false},
      {"hostile: foreign signs", repeat("1 ÷ "), kHostileLimit, false},
      {"hostile: digits", repeat("9"), kHostileLimit, false},
      {"hostile: decimals", repeat("1.5."), kHostileLimit, false},
      {"hostile: braces", repeat("{eval-1"), kHostileLimit, false},
      {"hostile: quotes", repeat("\"a\" "), kHostileLimit, false},
  };
}

formula::Names usual_names() {
  formula::Names names;
  for (const char* name : {"critical-math", "important-translation", "secondary-question",
                           "accuracy-test", "speed-test"})
    names.add_eval(name);
  return names;
}

formula::Names many_names() {
  formula::Names names;
  for (std::size_t i = 0; i < kEvals; ++i) names.add_eval(fmt::format("eval-{}", i));
  return names;
}

void compile(benchmark::State& state, const Case& each, const formula::Names& names) {
  const auto text = base::whole(base::make_source("formula", each.formula));
  for (auto _ : state) {
    base::Diagnostics problems;
    const auto program = formula::compile(names, {}, text, problems);
    if (program.has_value() != each.is_valid) {
      if (!problems.empty()) fmt::print(stderr, "{}", base::render(problems.all().front()));
      state.SkipWithError("the formula does not compile as the benchmark expects");
    }
  }
}

// Keeps the shortest time of the repetitions instead of printing them all.
class Least : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      if (run.error_occurred) failed = true;
      const double time = run.GetAdjustedRealTime();
      const auto [found, first] = microseconds.try_emplace(run.run_name.function_name, time);
      if (!first && time < found->second) found->second = time;
    }
  }

  std::map<std::string, double> microseconds;
  bool failed = false;
};

}  // namespace

int main(int argc, char** argv) {
  // Interleaved, so that a slow moment of the machine does not affect every repetition of one case.
  std::vector<char*> words(argv, argv + argc);
  std::string interleaving = "--benchmark_enable_random_interleaving=true";
  words.insert(words.begin() + 1, interleaving.data());
  argc = static_cast<int>(words.size());
  argv = words.data();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const auto all = cases();
  const auto usual = usual_names(), many = many_names();
  for (const auto& each : all)
    benchmark::RegisterBenchmark(each.name.c_str(), compile, each,
                                 each.limit == kUsualLimit ? usual : many)
        ->Unit(benchmark::kMicrosecond)
        ->MinTime(0.005)
        ->Repetitions(40);
  Least least;
  benchmark::RunSpecifiedBenchmarks(&least);

  bench::Targets targets;
  for (const auto& each : all)
    if (const auto found = least.microseconds.find(each.name); found != least.microseconds.end())
      targets.below(each.name, found->second, each.limit, "us");
  return least.failed ? 2 : targets.exit_code();
}
