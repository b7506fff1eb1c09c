#include "base/first_failure.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "base/workers.h"

namespace vibe::base {
namespace {

TEST(FirstFailure, IsThrownAgainByTheOneWhoWaits) {
  FirstFailure failure;
  {
    Workers workers(3);
    for (int i = 0; i < 9; ++i)
      workers.add([&failure, i] {
        failure.attempt([i] {
          if (i == 4) throw std::runtime_error("the fifth");
        });
      });
  }
  EXPECT_THROW(failure.rethrow(), std::runtime_error);
}

TEST(FirstFailure, IsNoneWhereNothingFails) {
  FirstFailure failure;
  EXPECT_TRUE(failure.attempt([] {}));
  EXPECT_NO_THROW(failure.rethrow());
}

}  // namespace
}  // namespace vibe::base
