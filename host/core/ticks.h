// A counter of the processor's that is cheap to read: for the time of calls that are shorter than asking a clock.
#pragma once

#include <chrono>
#include <cstdint>

#include "host/core/clock.h"

namespace mortise {

// Rises at a steady rate that only the machine knows; TickScale turns it into time.
inline uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t count;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// Learns the rate from how far a clock goes between its making and the question.
class TickScale {
 public:
  explicit TickScale(const Clock& clock) : clock_(clock), first_ns_(clock.now_ns()), first_ticks_(ticks()) {}

  // Nanoseconds of a number of ticks that were counted since. The longer the scale exists, the more exact.
  int64_t ns(uint64_t counted) const {
    const uint64_t passed = ticks() - first_ticks_;
    if (passed == 0) return 0;
    const double rate = static_cast<double>(clock_.now_ns() - first_ns_) / static_cast<double>(passed);
    return static_cast<int64_t>(rate * static_cast<double>(counted));
  }

 private:
  const Clock& clock_;
  const int64_t first_ns_;
  const uint64_t first_ticks_;
};

}  // namespace mortise
