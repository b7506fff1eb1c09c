// Start: how long the program takes to start and end, compared with an empty program; also as an
// agent's hook, which the agent waits for.
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>

#include "process.h"
#include "targets.h"
#include "timing.h"

int main() {
  using namespace vibe::bench;
  constexpr std::size_t kRounds = 200;
  const std::string weighted = EXAMPLES_FOLDER "/weighted.yaml";
  const TemporaryFolder folder;
  const std::string event = folder.file("event.json");
  std::ofstream(event) << R"({"session_id":"7d1f0c52","hook_event_name":"PostToolUse",)"
                          R"("tool_name":"Bash","tool_input":{"command":"make"},"tool_response":")"
                       << std::string(30'000, 'x') << "\"}\n";
  setenv("VIBECHECK_HOME", folder.file("home").c_str(), 1);
  const auto times =
      in_turn(kRounds, {
                           [] { run_program({EMPTY_PROGRAM}); },
                           [] { run_program({VIBE_PROGRAM, "version"}); },
                           [&] { run_program({VIBE_PROGRAM, "validate", weighted}); },
                           [&] { run_program({VIBE_PROGRAM, "fitness", "collect"}, event); },
                       });
  const char* const names[] = {"an empty program", "vibe version", "vibe validate weighted.yaml",
                               "vibe fitness collect"};
  constexpr std::size_t kCollect = 3;
  Targets targets;
  for (std::size_t i = 0; i < times.size(); ++i) {
    targets.note(std::string(names[i]) + ", least", times[i].least() * 1e3, "ms");
    targets.note(std::string(names[i]) + ", median", times[i].median() * 1e3, "ms");
  }
  targets.below("vibe fitness collect, median", times[kCollect].median() * 1e3, 10, "ms");
  for (std::size_t i = 1; i < kCollect; ++i) {
    targets.below(std::string(names[i]) + " / empty, least", times[i].least() / times[0].least(), 3,
                  "x");
    targets.below(std::string(names[i]) + " / empty, median", times[i].median() / times[0].median(),
                  3, "x");
  }
  return targets.exit_code();
}
