// A terminal of one line's memory: what a user sees of bytes with "\r" and "erase to the line's end".
#pragma once

#include <string>
#include <vector>

#include "host/core/clock.h"

namespace mortise::report {

class FakeClock : public Clock {
 public:
  int64_t now_ns() const override { return now_ns_; }
  void tick(double seconds) { now_ns_ += static_cast<int64_t>(seconds * 1e9); }

 private:
  int64_t now_ns_ = 1'000'000'000'000;
};

// The lines on the screen; the last one is where the cursor stands. Only whole lines are written over.
inline std::vector<std::string> seen(const std::string& bytes) {
  std::vector<std::string> lines = {""};
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\n') {
      lines.emplace_back();
    } else if (bytes[i] == '\r') {
      lines.back().clear();
    } else if (bytes.compare(i, 3, "\033[K") == 0) {
      i += 2;
    } else {
      lines.back() += bytes[i];
    }
  }
  return lines;
}

}  // namespace mortise::report
