// The bytes of a pickle, taken one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/checkpoint/fault.h"
#include "host/core/status.h"

namespace mortise::checkpoint {

// Taking more than is left gives nothing and sets the status, which stays.
class PickleInput {
 public:
  explicit PickleInput(std::string_view pickle) : rest_(pickle) {}

  size_t left() const { return rest_.size(); }
  const Status& status() const { return status_; }

  std::string_view take(uint64_t bytes) {
    if (bytes > rest_.size()) {
      status_ = fault(Fault::kCorrupt, "the pickle ends too early");
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  // Little-endian, without a sign.
  uint64_t number(size_t bytes) {
    const std::string_view taken = take(bytes);
    uint64_t value = 0;
    for (size_t i = taken.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(taken[i]);
    return value;
  }

  // Up to the line's end, which is taken and not given.
  std::string line() {
    const size_t end = rest_.find('\n');
    const std::string_view taken = take(end == std::string_view::npos ? rest_.size() + 1 : end + 1);
    return std::string(taken.substr(0, taken.empty() ? 0 : taken.size() - 1));
  }

 private:
  std::string_view rest_;
  Status status_;
};

}  // namespace mortise::checkpoint
