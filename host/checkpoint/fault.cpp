#include "host/checkpoint/fault.h"

namespace mortise::checkpoint {

Status fault(Fault category, const std::string& what) {
  // In the order of Fault; the word stands in front of each message.
  static constexpr const char* kNames[] = {"code",        "truncated",        "corrupt",
                                           "unsupported", "not a checkpoint", "too large"};
  return Status(Code::kData, what).within(kNames[static_cast<size_t>(category)]);
}

}  // namespace mortise::checkpoint
