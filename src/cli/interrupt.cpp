#include "cli/interrupt.h"

#include <csignal>
#include <cstddef>

#include "base/process.h"

namespace vibe::cli {

namespace {

volatile std::sig_atomic_t g_pressed = 0;  // the only thing a signal handler may touch

void on_signal(int number) {
  if (g_pressed != 0) end_at_once(number);
  g_pressed = 1;
}

}  // namespace

void end_at_once(int number) {
  base::kill_programs();
  signal(number, SIG_DFL);
  raise(number);
}

Interrupt::Interrupt() {
  g_pressed = 0;
  struct sigaction action{};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART | SA_NODEFER;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

bool Interrupt::pressed() const { return g_pressed != 0; }

}  // namespace vibe::cli
