// Start: how long the program takes to start and end, beside one that does nothing.
#include <cstddef>
#include <string>

#include "process.h"
#include "targets.h"
#include "timing.h"

int main() {
  using namespace vibe::bench;
  constexpr std::size_t kRounds = 200;
  const std::string weighted = EXAMPLES_FOLDER "/weighted.yaml";
  const auto times =
      in_turn(kRounds, {
                           [] { run_program({EMPTY_PROGRAM}); },
                           [] { run_program({VIBE_PROGRAM, "version"}); },
                           [&] { run_program({VIBE_PROGRAM, "validate", weighted}); },
                       });
  const char* const names[] = {"an empty program", "vibe version", "vibe validate weighted.yaml"};
  Targets targets;
  for (std::size_t i = 0; i < times.size(); ++i) {
    targets.note(std::string(names[i]) + ", least", times[i].least() * 1e3, "ms");
    targets.note(std::string(names[i]) + ", median", times[i].median() * 1e3, "ms");
  }
  for (std::size_t i = 1; i < times.size(); ++i) {
    targets.below(std::string(names[i]) + " / empty, least", times[i].least() / times[0].least(), 3,
                  "x");
    targets.below(std::string(names[i]) + " / empty, median", times[i].median() / times[0].median(),
                  3, "x");
  }
  return targets.exit_code();
}
