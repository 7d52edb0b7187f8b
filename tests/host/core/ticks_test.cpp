#include "host/core/ticks.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"

namespace mortise {
namespace {

TEST(TickScale, GivesAllThatPassedTheTimeThatTheClockTookForIt) {
  support::FakeClock clock;
  const uint64_t begin = ticks();
  const TickScale scale(clock);
  while (ticks() - begin < 100'000) {
  }

  clock.now += 1'000'000;

  const auto all = static_cast<double>(scale.ns(ticks() - begin));
  EXPECT_NEAR(all, 1e6, 1e5);
}

TEST(TickScale, GivesNothingTheTimeZero) {
  support::FakeClock clock;
  const TickScale scale(clock);
  clock.now += 1'000'000;

  EXPECT_EQ(scale.ns(0), 0);
}

}  // namespace
}  // namespace mortise
