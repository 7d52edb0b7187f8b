// The only file that needs CUDA's part of libtorch, in a library of its own (accelerator.h).
#include "host/ledger/accelerator.h"

#include <ATen/Context.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

namespace mortise::ledger {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

// A process uses one device; several are a process each.
constexpr c10::DeviceIndex kDevice = 0;

// No exception of libtorch's leaves. A device in an error state says so again at the next operation on a tensor, where
// somebody can report it.
template <typename Work>
void contained(Work work) {
  try {
    work();
  } catch (const std::exception&) {
  }
}

class CudaAccelerator final : public Accelerator {
 public:
  explicit CudaAccelerator(std::string name) : name_(std::move(name)) {}

  std::string name() const override { return name_; }

  void synchronize() override { contained(c10::cuda::device_synchronize); }

  void release_caches() override {
    contained([] {
      c10::cuda::device_synchronize();
      // The workspaces are tensors of the caching allocator, so they go first; libtorch makes them again on demand.
      at::cuda::clearCublasWorkspaces();
      allocator::emptyCache();
      at::getHostAllocator(at::kCUDA)->empty_cache();
    });
  }

  GpuMemory memory() const override {
    GpuMemory memory;
    contained([&] {
      // The sum of the small and the large pool.
      constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
      const auto stats = allocator::getDeviceStats(kDevice);
      memory.allocated_bytes = stats.allocated_bytes[kAll].current;
      memory.allocations = stats.allocation[kAll].current;
      memory.reserved_bytes = stats.reserved_bytes[kAll].current;
      // Of the whole device: other processes' memory is in it.
      const auto [free_bytes, total_bytes] = allocator::get()->getMemoryInfo(kDevice);
      memory.used_bytes = static_cast<int64_t>(total_bytes - free_bytes);
    });
    return memory;
  }

 private:
  std::string name_;
};

// Makes libtorch's CUDA part ready first: the allocator knows no device before.
Accelerator* open() {
  // Throws with libtorch's own words where driver and library do not fit.
  c10::cuda::device_count_ensure_non_zero();
  at::globalContext().lazyInitDevice(at::kCUDA);
  // Static: the caller holds a plain pointer for the life of the process.
  static CudaAccelerator instance(at::cuda::getDeviceProperties(kDevice)->name);
  return &instance;
}

}  // namespace
}  // namespace mortise::ledger

// Found by name (kOpenAccelerator); everything else of the library is hidden. Nothing may be thrown through it.
extern "C" __attribute__((visibility("default"))) mortise::ledger::Accelerator* mortise_open_accelerator(
    std::string* why_not) {
  try {
    return mortise::ledger::open();
  } catch (const c10::Error& error) {
    *why_not = error.what_without_backtrace();
  } catch (const std::exception& error) {
    *why_not = error.what();
  }
  return nullptr;
}
