// The judgement over many cycles: exact counts must not move, noisy ones must not rise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/ledger/process_sample.h"

namespace mortise::ledger {

// One quantity over all cycles.
struct Finding {
  std::string quantity;  // "live CPU tensors", "heap"
  std::string rule;      // "equal to cycle 2", "slope at most 4 KiB a cycle"
  bool passed = true;
  std::string detail;  // "rises by 256.0 KiB a cycle (95 %: 255.1 to 257.0)"
};

// Slope of a line through a series, robust against up to 29 % outliers (Theil-Sen), with its 95 % interval (Sen 1968).
struct Slope {
  double per_cycle = 0;
  double low = 0;
  double high = 0;
};
Slope theil_sen(const std::vector<double>& values);

struct JudgeOptions {
  int64_t warm_up_cycles = 2;       // not judged; the last of them is the baseline
  int64_t heap_slope_bytes = 4096;  // a cycle
  int64_t rss_slope_bytes = 65536;  // a cycle
};

// Exact: live tensors and bytes on each device, threads, descriptors, plugin mappings. Driver memory: no upward step in
// the second half. Noisy: heap and resident memory, whose slope's lower bound must stay within the budget.
//   samples  one per cycle, after its unload
std::vector<Finding> judge_cycles(const std::vector<ProcessSample>& samples, const JudgeOptions& options);

}  // namespace mortise::ledger
