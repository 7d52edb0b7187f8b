// Time enters here, so that tests move it themselves.
#pragma once

#include <cstdint>

namespace mortise {

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
