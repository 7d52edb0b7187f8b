// The steady clock, which no change of the system's time can set back.
#include "host/core/clock.h"

#include <chrono>

namespace mortise {

int64_t SteadyClock::now_ns() const {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count();
}

}  // namespace mortise
