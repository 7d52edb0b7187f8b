// Time enters here, so that tests move it themselves.
#pragma once

#include <cstdint>

namespace mortise {

// Thread-safe. The real one is SteadyClock; tests bring one that they move by hand.
class Clock {
 public:
  virtual ~Clock() = default;
  // Monotonic, from an arbitrary start.
  virtual int64_t now_ns() const = 0;
};

class SteadyClock : public Clock {
 public:
  int64_t now_ns() const override;
};

}  // namespace mortise
