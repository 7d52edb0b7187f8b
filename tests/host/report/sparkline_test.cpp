#include "host/report/sparkline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mortise::report {
namespace {

TEST(Sparkline, GoesFromLowestToGreatest) { EXPECT_EQ(sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 8), "▁▂▃▄▅▆▇█"); }

TEST(Sparkline, IsFlatForAConstant) {
  EXPECT_EQ(sparkline({5, 5, 5}, 10), "▁▁▁");
  EXPECT_EQ(sparkline({}, 10), "");
}

TEST(Sparkline, DoesNotMakeNoiseLookLarge) { EXPECT_EQ(sparkline({100, 101, 100}, 10, 70), "▁▁▁"); }

TEST(Sparkline, KeepsThePeaksOfALongSeries) {
  std::vector<double> values(100, 0);
  values[55] = 7;

  EXPECT_EQ(sparkline(values, 10), "▁▁▁▁▁█▁▁▁▁");
}

TEST(Sparkline, LeavesAGapForWhatIsNoNumber) {
  EXPECT_EQ(sparkline({0, std::nan(""), 7, std::numeric_limits<double>::infinity()}, 10), "▁ █ ");
}

}  // namespace
}  // namespace mortise::report
