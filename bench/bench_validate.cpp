// Validate: `vibe validate` on a suite of 10,000 evals, from the start of the program to its end,
// compared with libyaml only reading the events of the same text.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/os.h>
#include <yaml.h>

#include "process.h"
#include "targets.h"
#include "timing.h"

namespace {

constexpr std::size_t kEvals = 10'000;
constexpr std::size_t kRounds = 15;

void write_suite(const std::string& path) {
  auto out = fmt::output_file(path);
  out.print("metadata:\n  name: ten-thousand\n  model: anthropic/claude-3.5-sonnet\n\nevals:\n");
  constexpr const char* kTopics[] = {"math", "geography", "translation", "code", "safety"};
  for (std::size_t i = 0; i < kEvals; ++i) {
    const char* topic = kTopics[i % std::size(kTopics)];
    out.print("  - name: {}-{:05}\n    tags: [{}, batch-{}]\n", topic, i, topic, i % 100);
    if (i % 4 == 0)
      out.print(
          "    prompt: |\n      You are given the figures of quarter {}.\n"
          "      Answer in one sentence: what is {} * {}?\n",
          i % 9, i % 97, i % 89);
    else
      out.print("    prompt: \"What is {} * {}, and how would you explain it to a child?\"\n",
                i % 97, i % 89);
    out.print("    checks:\n      - match: \"*{}*\"\n", (i % 97) * (i % 89));
    if (i % 2 == 0) out.print("      - not_match: \"*I cannot*\"\n");
    out.print("      - min_tokens: 1\n        max_tokens: 200\n");
  }
  out.print("\nscore:\n  formula: success_pct / total_cost\n");
}

// Reads a file with libyaml in the usual way.
std::size_t count_events(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  yaml_parser_t parser;
  yaml_parser_initialize(&parser);
  yaml_parser_set_input_file(&parser, file);
  std::size_t count = 0;
  for (bool end = false; !end; ++count) {
    yaml_event_t event;
    if (yaml_parser_parse(&parser, &event) == 0) {
      fmt::print(stderr, "libyaml: {}\n", parser.problem);
      std::exit(2);
    }
    end = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  std::fclose(file);
  return count;
}

double seconds_since(std::clock_t begin) {
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace

int main() {
  using namespace vibe::bench;
  const TemporaryFolder folder;
  const std::string suite = folder.file("suite.yaml");
  write_suite(suite);
  // Processor time, which other programs on the machine affect less than wall time.
  std::vector<double> events, validate;
  Used used;
  const auto wall = in_turn(kRounds, {
                                         [&] {
                                           const std::clock_t begin = std::clock();
                                           count_events(suite);
                                           events.push_back(seconds_since(begin));
                                         },
                                         [&] {
                                           used = run_program({VIBE_PROGRAM, "validate", suite});
                                           validate.push_back(used.cpu_seconds);
                                         },
                                     });
  const double least_events = 1e3 * *std::min_element(events.begin(), events.end());
  const double least_validate = 1e3 * *std::min_element(validate.begin(), validate.end());
  Targets targets;
  targets.note("suite of 10,000 evals, size",
               static_cast<double>(std::filesystem::file_size(suite)) / 1e6, "MB");
  targets.note("libyaml reads its events", least_events, "ms");
  targets.note("libyaml reads its events, by the clock", wall[0].least() * 1e3, "ms");
  targets.at_most("vibe validate / libyaml", least_validate / least_events, 2.4, "x");
  targets.note("vibe validate", least_validate, "ms");
  targets.note("vibe validate, by the clock", wall[1].least() * 1e3, "ms");
  targets.note("vibe validate, peak memory", used.peak_mib, "MiB");
  return targets.exit_code();
}
