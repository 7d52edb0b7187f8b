#include "host/core/clock.h"

#include <gtest/gtest.h>

namespace mortise {
namespace {

TEST(SteadyClock, NeverGoesBack) {
  const SteadyClock clock;

  const int64_t first = clock.now_ns();
  const int64_t second = clock.now_ns();

  EXPECT_GE(second, first);
}

}  // namespace
}  // namespace mortise
