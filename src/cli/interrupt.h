// Ctrl-C: the first one asks to stop cleanly, a second one ends the program at once.
#pragma once

#include <array>

#include <signal.h>

namespace vibe::cli {

// A signal handler: ends the programs that this one has started, then this one, by the signal.
void end_at_once(int number);

// While it lives, SIGINT and SIGTERM are noted instead of ending the program; one that is ignored
// stays so. Afterwards both do what they did before. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool pressed() const;

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace vibe::cli
