#include "host/ledger/judge.h"

#include <gmock/gmock.h>

#include <functional>

namespace mortise::ledger {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kKiB = 1024;

// A run in which nothing moves, except for what `change` makes of cycle number i (from 0).
std::vector<ProcessSample> run(int64_t cycles, const std::function<void(ProcessSample&, int64_t)>& change = {}) {
  std::vector<ProcessSample> samples;
  for (int64_t i = 0; i < cycles; ++i) {
    ProcessSample sample;
    sample.cpu = {.allocations = 12, .bytes = 4096};
    sample.gpu = {.allocated_bytes = 512, .allocations = 1, .reserved_bytes = 0, .used_bytes = 700 << 20};
    sample.heap_bytes = 50 << 20;
    sample.rss_bytes = 300 << 20;
    sample.threads = 4;
    sample.descriptors = 9;
    sample.plugin_mappings = 0;
    if (change) change(sample, i);
    samples.push_back(sample);
  }
  return samples;
}

Finding finding(const std::vector<ProcessSample>& samples, const std::string& quantity,
                const JudgeOptions& options = {}) {
  for (const Finding& found : judge_cycles(samples, options)) {
    if (found.quantity == quantity) return found;
  }
  ADD_FAILURE() << "nothing is said of " << quantity;
  return {};
}

// Even and odd cycles differ by it: noise with no trend.
int64_t wobble(int64_t i, int64_t size) { return i % 2 ? size : -size; }

TEST(TheilSen, FindsTheSlopeOfALine) {
  const Slope slope = theil_sen({3, 5, 7, 9, 11});

  EXPECT_DOUBLE_EQ(slope.per_cycle, 2);
  EXPECT_DOUBLE_EQ(slope.low, 2);
  EXPECT_DOUBLE_EQ(slope.high, 2);
}

TEST(TheilSen, FindsNoSlopeInAConstantAndInNothing) {
  for (const std::vector<double>& values : {std::vector<double>{7, 7, 7, 7}, {7}, {}}) {
    const Slope slope = theil_sen(values);

    EXPECT_EQ(slope.per_cycle, 0);
    EXPECT_EQ(slope.low, 0);
    EXPECT_EQ(slope.high, 0);
  }
}

// The slope between the squares of i and j is i + j. Of the 45 sums of 1 to 10 the median is 11; Kendall's variance is
// 10 * 9 * 25 / 18 = 125, so the interval goes from rank (45 - 21.91) / 2 = 11.5 to rank 33.5 + 1: the sums 8 and 14.
TEST(TheilSen, HasSensInterval) {
  const Slope slope = theil_sen({1, 4, 9, 16, 25, 36, 49, 64, 81, 100});

  EXPECT_DOUBLE_EQ(slope.per_cycle, 11);
  EXPECT_DOUBLE_EQ(slope.low, 8);
  EXPECT_DOUBLE_EQ(slope.high, 14);
}

// Three threes, two fours and three fives take (66 + 18 + 66) / 18 from the variance. Values by exact fractions.
TEST(TheilSen, TakesEqualValuesIntoAccount) {
  const Slope slope = theil_sen({3, 3, 1, 4, 4, 5, 9, 2, 6, 5, 3, 5});

  EXPECT_DOUBLE_EQ(slope.per_cycle, 19.0 / 90);
  EXPECT_DOUBLE_EQ(slope.low, -1.0 / 7);
  EXPECT_DOUBLE_EQ(slope.high, 0.5);
}

TEST(TheilSen, IgnoresAQuarterOfOutliers) {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(i % 4 ? 10.0 * i : 1e9);

  EXPECT_NEAR(theil_sen(values).per_cycle, 10, 5);
}

TEST(Judge, PassesARunInWhichNothingMoves) {
  for (const Finding& found : judge_cycles(run(20), {})) EXPECT_TRUE(found.passed) << found.quantity;
}

TEST(Judge, FailsAnExactCountThatMovesByOneAndNamesTheCycle) {
  const struct {
    const char* quantity;
    std::function<void(ProcessSample&)> change;
    const char* detail;
  } cases[] = {
      {"live CPU tensors", [](ProcessSample& s) { ++s.cpu.allocations; }, "12 in cycle 2, 13 in cycle 7"},
      {"CPU tensor memory", [](ProcessSample& s) { ++s.cpu.bytes; }, "4096 bytes in cycle 2, 4097 bytes in cycle 7"},
      {"live GPU tensors", [](ProcessSample& s) { ++s.gpu.allocations; }, "1 in cycle 2, 2 in cycle 7"},
      {"GPU tensor memory", [](ProcessSample& s) { --s.gpu.allocated_bytes; }, "511 bytes in cycle 7"},
      {"threads", [](ProcessSample& s) { ++s.threads; }, "4 in cycle 2, 5 in cycle 7"},
      {"descriptors", [](ProcessSample& s) { ++s.descriptors; }, "9 in cycle 2, 10 in cycle 7"},
      {"plugin mappings", [](ProcessSample& s) { s.plugin_mappings += 5; }, "0 in cycle 2, 5 in cycle 7"},
  };
  for (const auto& row : cases) {
    const auto samples = run(20, [&](ProcessSample& sample, int64_t i) {
      if (i == 6) row.change(sample);
    });

    int failed = 0;
    for (const Finding& found : judge_cycles(samples, {})) failed += !found.passed;
    EXPECT_EQ(failed, 1) << row.quantity;
    EXPECT_FALSE(finding(samples, row.quantity).passed) << row.quantity;
    EXPECT_EQ(finding(samples, row.quantity).rule, "equal to cycle 2");
    EXPECT_THAT(finding(samples, row.quantity).detail, HasSubstr(row.detail));
  }
}

TEST(Judge, ForgivesWhatTheWarmUpDid) {
  const auto samples = run(20, [](ProcessSample& sample, int64_t i) {
    if (i < 2) sample.cpu.allocations = 99 - i;
    if (i >= 1) sample.cpu.allocations = 50;
  });

  EXPECT_TRUE(finding(samples, "live CPU tensors").passed);
  EXPECT_FALSE(finding(samples, "live CPU tensors", {.warm_up_cycles = 1}).passed);
}

TEST(Judge, ShowsHowFarAnExactCountWent) {
  const auto samples = run(20, [](ProcessSample& sample, int64_t i) { sample.cpu.allocations = 10 + i; });

  EXPECT_EQ(finding(samples, "live CPU tensors").detail, "11 in cycle 2, 12 in cycle 3, 29 in cycle 20");
}

TEST(Judge, MeasuresASteadyGrowthOfTheHeap) {
  const auto samples = run(20, [](ProcessSample& sample, int64_t i) { sample.heap_bytes += 256 * kKiB * i; });

  const Finding heap = finding(samples, "heap");

  EXPECT_FALSE(heap.passed);
  EXPECT_EQ(heap.rule, "slope at most 4.0 KiB a cycle");
  EXPECT_EQ(heap.detail, "rises by 256.0 KiB a cycle (95 %: 256.0 to 256.0)");
}

TEST(Judge, FindsAGrowthUnderNoise) {
  const auto samples = run(30, [](ProcessSample& sample, int64_t i) {
    sample.heap_bytes += 8 * kKiB * i + wobble(i, 20 * kKiB);
    sample.rss_bytes += 100 * kKiB * i + wobble(i, 300 * kKiB);
  });

  EXPECT_FALSE(finding(samples, "heap").passed);
  EXPECT_FALSE(finding(samples, "resident memory").passed);
}

TEST(Judge, PassesNoiseWithoutATrendAndGrowthWithinTheBudget) {
  const auto samples = run(30, [](ProcessSample& sample, int64_t i) {
    sample.heap_bytes += 2 * kKiB * i + wobble(i, 500 * kKiB);
    sample.rss_bytes += 30 * kKiB * i + wobble(i, 4000 * kKiB);
  });

  EXPECT_TRUE(finding(samples, "heap").passed) << finding(samples, "heap").detail;
  EXPECT_TRUE(finding(samples, "resident memory").passed);
}

TEST(Judge, KeepsToTheBudgetsItIsGiven) {
  const auto samples = run(10, [](ProcessSample& sample, int64_t i) { sample.heap_bytes += 10 * kKiB * i; });

  EXPECT_FALSE(finding(samples, "heap").passed);
  EXPECT_TRUE(finding(samples, "heap", {.heap_slope_bytes = 10 * kKiB}).passed);
}

TEST(Judge, AllowsAStepOfDriverMemoryInTheFirstHalfOnly) {
  const auto step_at = [](int64_t cycle) {
    return run(22, [cycle](ProcessSample& sample, int64_t i) {
      if (i >= cycle) sample.gpu.used_bytes += 2 << 20;
    });
  };

  EXPECT_TRUE(finding(step_at(5), "GPU memory in use").passed);
  const Finding late = finding(step_at(15), "GPU memory in use");
  EXPECT_FALSE(late.passed);
  EXPECT_THAT(late.detail, HasSubstr("736100352 bytes in cycle 16"));
}

TEST(Judge, TakesADipOfDriverMemoryForNoStep) {
  const auto samples = run(22, [](ProcessSample& sample, int64_t i) {
    if (i == 15) sample.gpu.used_bytes -= 2 << 20;
  });

  EXPECT_TRUE(finding(samples, "GPU memory in use").passed);
}

TEST(Judge, SaysNothingOfAGpuThatWasNotThere) {
  const auto samples = run(10, [](ProcessSample& sample, int64_t) { sample.gpu = {}; });

  for (const Finding& found : judge_cycles(samples, {})) EXPECT_THAT(found.quantity, Not(HasSubstr("GPU")));
}

TEST(Judge, SaysWhenCyclesAreTooFew) {
  for (const int64_t cycles : {0, 1, 2}) {
    for (const Finding& found : judge_cycles(run(cycles), {})) {
      EXPECT_TRUE(found.passed);
      EXPECT_THAT(found.detail, HasSubstr("not judged: needs ")) << found.quantity << " of " << cycles;
    }
  }
}

TEST(Judge, MeasuresALongRunAsWell) {
  const auto samples = run(9000, [](ProcessSample& sample, int64_t i) { sample.heap_bytes += 5 * kKiB * i; });

  EXPECT_EQ(finding(samples, "heap").detail, "rises by 5.0 KiB a cycle (95 %: 5.0 to 5.0)");
}

}  // namespace
}  // namespace mortise::ledger
