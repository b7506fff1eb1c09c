// Ctrl-C: the first one asks to stop cleanly, a second one ends the program at once.
#pragma once

#include <array>

#include <signal.h>

namespace vibe::cli {

// A signal handler: ends the child programs, then this program by the same signal.
void end_at_once(int number);

// While it lives, SIGINT and SIGTERM are noted and do not end the program; an ignored signal stays
// ignored. The destructor restores the old handlers. Only one may exist at a time.
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
