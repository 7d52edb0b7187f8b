// A clock that a test moves.
#pragma once

#include "host/core/clock.h"

namespace mortise::support {

class FakeClock : public Clock {
 public:
  int64_t now_ns() const override { return now; }
  int64_t now = 0;
};

}  // namespace mortise::support
