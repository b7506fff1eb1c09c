#include "cli/interrupt.h"

#include <csignal>

#include <gtest/gtest.h>

namespace vibe::cli {
namespace {

volatile std::sig_atomic_t g_own = 0;

TEST(Interrupt, IsNotedAndLeavesTheSignalsAsTheyWere) {
  struct sigaction own{}, ignore{}, old_int{}, old_term{};
  own.sa_handler = [](int) { g_own = 1; };
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &own, &old_int);
  sigaction(SIGTERM, &ignore, &old_term);
  {
    const Interrupt interrupt;
    raise(SIGTERM);
    EXPECT_FALSE(interrupt.pressed());
    raise(SIGINT);
    EXPECT_TRUE(interrupt.pressed());
    EXPECT_EQ(g_own, 0);
  }
  raise(SIGTERM);
  raise(SIGINT);
  EXPECT_EQ(g_own, 1);
  sigaction(SIGINT, &old_int, nullptr);
  sigaction(SIGTERM, &old_term, nullptr);
}

}  // namespace
}  // namespace vibe::cli
