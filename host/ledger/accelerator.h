// What the host asks of a GPU. The CUDA part is a library of its own that is opened only where a driver is present,
// before anything asks libtorch about CUDA.
#pragma once

#include <cstdint>
#include <string>

#include "host/core/status.h"

namespace mortise::ledger {

struct GpuMemory {
  int64_t allocated_bytes = 0;  // in live tensors
  int64_t allocations = 0;      // their number
  int64_t reserved_bytes = 0;   // taken from the driver by libtorch's cache
  int64_t used_bytes = 0;       // of the whole device, by the driver
};

// Null stands for none everywhere. Calls do not throw; they may wait for the device.
class Accelerator {
 public:
  virtual ~Accelerator() = default;
  virtual std::string name() const = 0;  // "NVIDIA H200"
  virtual void synchronize() = 0;
  // Waits, drops library workspaces and gives cached memory back to the driver.
  virtual void release_caches() = 0;
  virtual GpuMemory memory() const = 0;
};

// What the library exports, by this name: makes the accelerator of device 0; null and a reason if there is none.
inline constexpr const char* kOpenAccelerator = "mortise_open_accelerator";
using OpenAccelerator = Accelerator* (*)(std::string* why_not);

}  // namespace mortise::ledger
