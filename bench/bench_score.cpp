// Score: `vibe score` on result files: speed, and memory relative to the file size.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <fmt/os.h>

#include "process.h"
#include "targets.h"

namespace {

constexpr int kRounds = 3;
constexpr const char* kEvals[] = {"critical-math", "important-translation", "secondary-question"};

void write_results(const std::string& path, std::size_t lines) {
  auto out = fmt::output_file(path);
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < lines; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t random = state >> 33;
    out.print(
        "{{\"name\": \"{}\", \"passed\": {}, \"latency\": {}.{:03}, \"cost\": 0.00{:04}, "
        "\"prompt_tokens\": {}, \"completion_tokens\": {}}}\n",
        kEvals[i % std::size(kEvals)], random % 5 != 0, random % 4, random % 1000, random % 9999,
        10 + random % 50, random % 300);
  }
}

double megabytes(const std::string& path) {
  return static_cast<double>(std::filesystem::file_size(path)) / 1e6;
}

}  // namespace

int main() {
  using namespace vibe::bench;
  const TemporaryFolder folder;
  Targets targets;
  for (const int millions : {1, 5}) {
    const std::string results = folder.file("results.jsonl");
    write_results(results, static_cast<std::size_t>(millions) * 1'000'000);
    const std::string suite = EXAMPLES_FOLDER "/weighted.yaml";
    Used used;
    double seconds = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kRounds; ++round) {
      used = run_program({VIBE_PROGRAM, "score", results, "--suite", suite});
      seconds = std::min(seconds, used.cpu_seconds);
    }
    const std::string name = fmt::format("vibe score, {} million lines", millions);
    const double size = megabytes(results);
    targets.note(name + ", size of the file", size, "MB");
    targets.note(name + ", read in a second of processor time", size / seconds, "MB");
    targets.note(name + ", peak memory", used.peak_mib, "MiB");
    targets.note(name + ", memory for one line", used.peak_mib * 1048576 / (1e6 * millions),
                 "bytes");
    targets.memory_below(name + ", memory / size of the file", used.peak_mib * 1.048576 / size, 0.6,
                         "x");
  }
  return targets.exit_code();
}
