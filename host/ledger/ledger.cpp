// A table of slots with a free list. The generation in a handle tells what a slot holds now from what it held before.
#include "host/ledger/ledger.h"

#include <algorithm>
#include <atomic>

namespace mortise::ledger {
namespace {

constexpr uint32_t kGenerations = 1u << 24;

// Far from those of all other ledgers: steps of the golden ratio spread evenly over a circle, however many they are.
uint32_t next_first_generation() {
  static std::atomic<uint32_t> count{0};
  return (++count * 0x9e3779b1u) >> 8;
}

Handle make_handle(Kind kind, uint32_t generation, uint32_t slot) {
  return (static_cast<Handle>(kind) << 56) | (static_cast<Handle>(generation) << 32) | slot;
}
Kind kind_of(Handle handle) { return static_cast<Kind>(handle >> 56); }
uint32_t generation_of(Handle handle) { return static_cast<uint32_t>(handle >> 32) % kGenerations; }
uint32_t slot_of(Handle handle) { return static_cast<uint32_t>(handle); }

// Things that a slot held before one of this generation.
// Modulo, so that a generation that wrapped around still has an age.
uint32_t age(uint32_t generation, uint32_t first) { return (generation - first) % kGenerations; }

}  // namespace

const char* device_name(Device device) {
  switch (device) {
    case Device::kNone:
      return "none";
    case Device::kCpu:
      return "cpu";
    case Device::kCuda:
      return "cuda";
  }
  return "unknown";
}

Ledger::Ledger() : first_generation_(next_first_generation()) {}

Ledger::~Ledger() { release_all(); }

// The slot that was freed last comes first: a plugin that makes and releases one thing a step stays in one slot.
uint32_t Ledger::free_slot() {
  if (free_.empty()) {
    slots_.emplace_back().generation = first_generation_;
    return static_cast<uint32_t>(slots_.size() - 1);
  }
  const uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

Handle Ledger::add(Kind kind, std::shared_ptr<Resource> resource, bool borrowed) {
  // Before the lock: these are calls into code that may take others.
  const int64_t bytes = resource->size_bytes();
  const Device device = resource->device();
  const std::lock_guard lock(mutex_);
  const uint32_t number = free_slot();
  Slot& slot = slots_[number];
  slot.resource = std::move(resource);
  slot.kind = kind;
  slot.device = device;
  slot.borrowed = borrowed;
  slot.bytes = bytes;
  slot.order = next_order_++;
  // Lent things are the host's own, so they are in no tally and in no receipt.
  if (borrowed) {
    borrowed_.push_back(number);
    borrows_.store(borrowed_.size(), std::memory_order_release);
  } else {
    Tally& tally = tallies_[index_of(kind)];
    ++tally.made;
    if (device == Device::kCpu) tally.bytes_cpu += bytes;
    if (device == Device::kCuda) tally.bytes_cuda += bytes;
  }
  return make_handle(kind, slot.generation, number);
}

// Gives the thing to the caller, who destroys it without the lock.
std::shared_ptr<Resource> Ledger::take(uint32_t number) {
  Slot& slot = slots_[number];
  std::shared_ptr<Resource> resource = std::move(slot.resource);
  if (!slot.borrowed) {
    Tally& tally = tallies_[index_of(slot.kind)];
    if (slot.device == Device::kCpu) tally.bytes_cpu -= slot.bytes;
    if (slot.device == Device::kCuda) tally.bytes_cuda -= slot.bytes;
  }
  // From here on the old handle is stale, although its thing still lives in the caller's hands.
  slot.generation = (slot.generation + 1) % kGenerations;
  // A slot that went once around is given up: its oldest handles would be good again.
  if (slot.generation != first_generation_) free_.push_back(number);
  return resource;
}

// Stale is what this ledger once gave out; bad is everything else: another kind, another plugin's, or made up.
const Ledger::Slot* Ledger::locate(Kind kind, Handle handle, HandleError* error) const {
  *error = HandleError::kBad;
  if (kind_of(handle) != kind || slot_of(handle) >= slots_.size()) return nullptr;
  const Slot& slot = slots_[slot_of(handle)];
  const bool given_up = !slot.resource && slot.generation == first_generation_;
  const uint32_t held_before = given_up ? kGenerations : age(slot.generation, first_generation_);
  const uint32_t asked = age(generation_of(handle), first_generation_);
  if (asked < held_before) {
    *error = HandleError::kStale;
    return nullptr;
  }
  if (asked > held_before || !slot.resource || slot.kind != kind) return nullptr;
  *error = HandleError::kNone;
  return &slot;
}

std::shared_ptr<Resource> Ledger::find(Kind kind, Handle handle, HandleError* error) const {
  const std::lock_guard lock(mutex_);
  const Slot* slot = locate(kind, handle, error);
  return slot ? slot->resource : nullptr;
}

HandleError Ledger::release(Kind kind, Handle handle, bool kept) {
  std::shared_ptr<Resource> resource;
  {
    const std::lock_guard lock(mutex_);
    HandleError error;
    const Slot* slot = locate(kind, handle, &error);
    if (!slot) return error;
    // What is lent cannot be released: it ends with the event.
    if (slot->borrowed) return HandleError::kBad;
    Tally& tally = tallies_[index_of(kind)];
    ++(kept ? tally.kept : tally.released);
    resource = take(slot_of(handle));
  }
  // Outside the lock, as finish may wait and destructors may come back here. A kept thing is destroyed without it,
  // since it lives on as the model's.
  if (!kept) resource->finish();
  return HandleError::kNone;
}

void Ledger::end_borrow(Handle handle) {
  std::shared_ptr<Resource> ended;  // destroyed after the lock was given back
  const std::lock_guard lock(mutex_);
  HandleError error;
  // A slot may hold another loan by now.
  if (!locate(kind_of(handle), handle, &error)) return;
  const uint32_t slot = slot_of(handle);
  const auto found = std::find(borrowed_.begin(), borrowed_.end(), slot);
  if (found == borrowed_.end()) return;
  borrowed_.erase(found);
  borrows_.store(borrowed_.size(), std::memory_order_release);
  ended = take(slot);
}

void Ledger::end_all_borrows() {
  // Declared before the lock, so that the things are destroyed after it was given back.
  std::vector<std::shared_ptr<Resource>> ended;
  const std::lock_guard lock(mutex_);
  ended.reserve(borrowed_.size());
  for (const uint32_t slot : borrowed_) ended.push_back(take(slot));
  borrowed_.clear();
  borrows_.store(0, std::memory_order_release);
}

// What was made later may use what was made before, so it goes first.
std::vector<uint32_t> Ledger::newest_first(Kind kind) const {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].resource && !slots_[i].borrowed && slots_[i].kind == kind) found.push_back(i);
  }
  std::sort(found.begin(), found.end(),
            [this](uint32_t left, uint32_t right) { return slots_[left].order > slots_[right].order; });
  return found;
}

int64_t Ledger::release_all() {
  end_borrows();
  int64_t count = 0;
  for (const Kind kind : kKinds) {
    std::unique_lock lock(mutex_);
    const std::vector<uint32_t> slots = newest_first(kind);
    for (const uint32_t slot : slots) {
      // Finishing one thing may have released another.
      if (!slots_[slot].resource || slots_[slot].borrowed || slots_[slot].kind != kind) continue;
      ++tallies_[index_of(kind)].forced;
      tallies_[index_of(kind)].forced_bytes += slots_[slot].bytes;
      ++count;
      std::shared_ptr<Resource> resource = take(slot);
      lock.unlock();
      resource->finish();
      resource.reset();
      lock.lock();
    }
  }
  return count;
}

Tally Ledger::tally(Kind kind) const {
  const std::lock_guard lock(mutex_);
  return tallies_[index_of(kind)];
}

int64_t Ledger::live() const {
  const std::lock_guard lock(mutex_);
  int64_t sum = 0;
  for (const Tally& tally : tallies_) sum += tally.live();
  return sum;
}

}  // namespace mortise::ledger
