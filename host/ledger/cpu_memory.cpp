#include "host/ledger/cpu_memory.h"

#include <c10/core/CPUAllocator.h>
#include <malloc.h>

#include <atomic>

namespace mortise::ledger {
namespace {

// Relaxed everywhere: they are read when the process is quiet, between two cycles.
std::atomic<int64_t> live_allocations{0};
std::atomic<int64_t> live_bytes{0};
c10::DeleterFnPtr free_default = nullptr;  // set once, before the first count

void count(void* storage, int64_t sign) {
  // What malloc really gave: the size asked for is not known when the storage goes.
  const auto size = static_cast<int64_t>(malloc_usable_size(storage));
  live_allocations.fetch_add(sign, std::memory_order_relaxed);
  live_bytes.fetch_add(sign * size, std::memory_order_relaxed);
}

void free_counted(void* storage) {
  if (storage) count(storage, -1);
  free_default(storage);
}

// Wraps instead of replacing: alignment and errors stay the default allocator's.
class CountingAllocator final : public c10::Allocator {
 public:
  explicit CountingAllocator(c10::Allocator* inner) : inner_(inner) {}

  c10::DataPtr allocate(size_t size_bytes) override {
    c10::DataPtr data = inner_->allocate(size_bytes);
    if (data.get()) count(data.get(), 1);
    // The default allocator's context is the storage itself, so only the deleter has to change.
    void* storage = data.release_context();
    return {storage, storage, &free_counted, c10::Device(c10::DeviceType::CPU)};
  }
  // libtorch asks for it where it allocates by raw pointer, so that these are counted as well.
  c10::DeleterFnPtr raw_deleter() const override { return &free_counted; }
  void copy_data(void* target, const void* source, size_t size_bytes) const override {
    inner_->copy_data(target, source, size_bytes);
  }

 private:
  c10::Allocator* inner_;
};

}  // namespace

void count_cpu_memory() {
  // libtorch keeps the pointer for ever; storages made before go through the default deleter and are never counted.
  static CountingAllocator* const allocator = [] {
    c10::Allocator* inner = c10::GetDefaultCPUAllocator();
    free_default = inner->raw_deleter();
    auto* counting = new CountingAllocator(inner);
    // Above the default's 0: libtorch ignores one of a lower priority than what it has, in silence.
    c10::SetCPUAllocator(counting, /*priority=*/1);
    return counting;
  }();
  (void)allocator;
}

CpuMemory cpu_memory() {
  return {live_allocations.load(std::memory_order_relaxed), live_bytes.load(std::memory_order_relaxed)};
}

}  // namespace mortise::ledger
