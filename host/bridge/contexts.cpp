// A fixed table of slots. A context is a slot's number and the count of its uses, in the bits of a pointer.
#include "host/bridge/contexts.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <stdexcept>

namespace mortise::bridge {
namespace {

// Instances that are loaded at one time, quarantined ones included.
constexpr uint32_t kSlots = 4096;

// An address in no process: above what user space has, and odd.
constexpr uint64_t kMark = 0x4d00000000000001;

struct Slot {
  std::atomic<uint64_t> context{0};  // of the instance in it; 0: free
  std::atomic<PluginInstance*> instance{nullptr};
  uint32_t uses = 0;  // guarded by mutex
};

std::mutex mutex;  // of making and ending; looking up takes none
std::array<Slot, kSlots> slots;
uint32_t next_slot = 0;  // where to look first: a slot rests as long as possible before it is used again

uint64_t context_of(uint32_t slot, uint32_t uses) {
  return kMark | (uint64_t{uses & 0xffffff} << 32) | (uint64_t{slot} << 8);
}

}  // namespace

mortise_ctx_t* make_context(PluginInstance* instance) {
  const std::lock_guard lock(mutex);
  for (uint32_t tried = 0; tried < kSlots; ++tried) {
    const uint32_t number = next_slot++ % kSlots;
    Slot& slot = slots[number];
    if (slot.context.load(std::memory_order_relaxed) != 0) continue;
    const uint64_t context = context_of(number, ++slot.uses);
    slot.instance.store(instance, std::memory_order_relaxed);
    slot.context.store(context, std::memory_order_release);
    return reinterpret_cast<mortise_ctx_t*>(context);
  }
  throw std::runtime_error("more than 4096 plugin instances are loaded");
}

void end_context(mortise_ctx_t* ctx) {
  const std::lock_guard lock(mutex);
  if (!instance_of(ctx)) return;
  Slot& slot = slots[(reinterpret_cast<uint64_t>(ctx) >> 8) % kSlots];
  slot.context.store(0, std::memory_order_release);
  slot.instance.store(nullptr, std::memory_order_relaxed);
}

PluginInstance* instance_of(mortise_ctx_t* ctx) {
  const auto context = reinterpret_cast<uint64_t>(ctx);
  const Slot& slot = slots[(context >> 8) % kSlots];
  if (context == 0 || slot.context.load(std::memory_order_acquire) != context) return nullptr;
  return slot.instance.load(std::memory_order_relaxed);
}

}  // namespace mortise::bridge
