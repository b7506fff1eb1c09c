// JSON Schema: answers of 2 KB judged with a schema by the `json` check, from the text of the
// answer to the verdict; and compiling the schema alone. Takes Google Benchmark's options:
// `--benchmark_filter=fits`.
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "base/json_reader.h"
#include "check/judge.h"
#include "check/schema.h"
#include "targets.h"

namespace {

using namespace vibe;

constexpr double kLeastASecond = 10'000;

constexpr std::string_view kSchema = R"({
  "type": "object",
  "required": ["order", "customer", "items", "total"],
  "additionalProperties": false,
  "properties": {
    "order": {"type": "string", "pattern": "^ORD-[0-9]{6}$"},
    "customer": {"$ref": "#/$defs/customer"},
    "items": {"type": "array", "minItems": 1, "uniqueItems": true, "items": {"$ref": "#/$defs/item"}},
    "total": {"type": "number", "minimum": 0, "multipleOf": 0.01}
  },
  "$defs": {
    "customer": {
      "type": "object",
      "required": ["name", "email"],
      "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 80},
        "email": {"type": "string", "format": "email"},
        "since": {"type": "string", "format": "date"}
      }
    },
    "item": {
      "type": "object",
      "required": ["sku", "price", "count"],
      "properties": {
        "sku": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]+$"},
        "price": {"type": "number", "exclusiveMinimum": 0},
        "count": {"type": "integer", "minimum": 1, "maximum": 1000},
        "color": {"enum": ["black", "white", "red", "green", "blue"]},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]}
      }
    }
  }
})";

std::string answer(double last_price) {
  std::string items;
  for (std::size_t i = 0; i < 20; ++i)
    items += fmt::format(
        R"({}{{"sku": "ABC-{}", "price": {}, "count": {}, "color": "blue", "note": null}})",
        i == 0 ? "" : ", ", 100 + i, i == 19 ? last_price : 12.5, i + 1);
  return fmt::format(
      "Here is the order:\n```json\n{{\"order\": \"ORD-123456\", \"customer\": {{\"name\": "
      "\"Ada\", "
      "\"email\": \"ada@example.com\", \"since\": \"2024-02-29\"}}, \"items\": [{}], \"total\": "
      "262.50}}\n```\n",
      items);
}

struct Case {
  std::string name, response;
  score::Verdict verdict;
};

void judge(benchmark::State& state, const Case& one) {
  check::Judge judge;
  const std::vector<check::Check> checks{
      {check::CheckType::json, check::Json{std::string(kSchema)}, {}}};
  const check::Response response{one.response, {}, {}};
  for (auto _ : state) {
    const auto findings = judge.judge(checks, response);
    if (findings[0].verdict != one.verdict) state.SkipWithError(findings[0].message.c_str());
  }
}

void compile(benchmark::State& state) {
  const auto schema = base::read_json_document(kSchema);
  for (auto _ : state) benchmark::DoNotOptimize(check::Schema::compile(schema->root, {}));
}

// Keeps the figures, in microseconds of processor time, and prints nothing.
class Keep : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      failed = failed || run.error_occurred;
      if (run.error_occurred)
        fmt::print(stderr, "{}: {}\n", run.benchmark_name(), run.error_message);
      figures[run.benchmark_name()] = run.GetAdjustedCPUTime();
    }
  }

  std::map<std::string, double> figures;
  bool failed = false;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::vector<Case> cases{{"fits", answer(12.5), score::Verdict::pass},
                                {"does not fit", answer(-1), score::Verdict::fail}};
  for (const auto& one : cases)
    benchmark::RegisterBenchmark(one.name.c_str(), judge, one)->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("compile", compile)->Unit(benchmark::kMicrosecond);
  Keep keep;
  benchmark::RunSpecifiedBenchmarks(&keep);
  bench::Targets targets;
  targets.note("the answer", static_cast<double>(cases[0].response.size()) / 1e3, "KB");
  for (const auto& one : cases)
    if (keep.figures.contains(one.name))
      targets.at_least(fmt::format("an answer that {}, judged", one.name),
                       1e6 / keep.figures[one.name], kLeastASecond, "/s");
  if (keep.figures.contains("compile"))
    targets.note("the schema, compiled", keep.figures["compile"], "us");
  return keep.failed ? 1 : targets.exit_code();
}
